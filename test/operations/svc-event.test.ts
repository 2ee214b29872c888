/**
 * Provenance 8: the response of a write carries the event that it appended to the history of its
 * document, so that clients are witnesses. Generated from the operations, so that a new one is
 * covered too. No task runs here, so whatever a history gets, a request has written.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { streamOf } from '../../src/core/provenance/history-event.ts'
import { sql } from '../../src/database/sql.ts'
import { carriesEvent, isVersioned } from '../../src/docs/operation-facts.ts'
import { operations } from '../../src/operations/index.ts'
import {
  type Reply,
  type RequestOptions,
  callApi,
  freshIdempotencyKey,
} from '../support/api-client.ts'
import { aFileForm } from '../support/documents/attachments-client.ts'
import { aDraft, anInvoice, anOrganization, connectPair } from '../support/fixtures.ts'
import { credentialFor, exampleCalls } from '../support/http/example-calls.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running

const aPractisingPair = async () => {
  const owner = await anOrganization(running)
  await connectPair(running, owner, await anOrganization(running, { isDemo: true }))
  return connectPair(running, owner, await anOrganization(running))
}
const pair = await aPractisingPair()
const { issuer, counterparty } = pair

/** They change any number of documents, by writes of the service, and their response names none. */
const aboutManyDocuments = ['sandboxes.create', 'sandbox.clock.advance', 'sandbox.reset']

const writes = operations
  .filter((operation) => operation.method !== 'GET' && isVersioned(operation))
  .filter(({ id }) => !aboutManyDocuments.includes(id))

interface Head {
  /** The public id. */
  document: string
  event: string
}

/** The newest event of every document, as the database has it. */
const heads = async (): Promise<Head[]> => {
  const rows = await database.rows<{ id: string; stream_salt: Buffer; seq: number; hash: Buffer }>(
    sql`select d.id, d.stream_salt, e.seq, e.hash from documents d
      join lateral (select seq, hash from prov_event where document_id = d.id
        order by seq desc limit 1) e on true`,
  )
  return rows.map(({ id, stream_salt, seq, hash }) => {
    const document = encodeId('doc', id)
    return { document, event: `${streamOf(stream_salt, document)} ${seq} ${hash.toString('hex')}` }
  })
}

/** The documents whose history a call has extended, with the reply of the call. */
const extendedBy = async (
  call: () => Promise<Reply>,
): Promise<{ reply: Reply; changed: Head[] }> => {
  const before = new Set((await heads()).map(({ event }) => event))
  const reply = await call()
  return { reply, changed: (await heads()).filter(({ event }) => !before.has(event)) }
}

const eventOf = ({ headers }: Reply): string | null => headers.get('svc-event')

/** The document that a request names in its path or body, or that its response shows. */
const namedDocuments = (path: string, sent: unknown, { body }: Reply): string[] => [
  ...(path.match(/doc_\w+/g) ?? []),
  ...[
    (sent as { document_id?: string } | undefined)?.document_id,
    body.id,
    body.document_id,
    // An agreement is about its document.
    (body.agreement ?? body).documents?.agreement_id,
  ].filter((id): id is string => id?.startsWith('doc_') === true),
]

const withEvent: string[] = []

for (const operation of writes) {
  describe(operation.id, () => {
    test('Svc-Event names what the history of the document has got, on the replay too', async () => {
      const { path, body } = await exampleCalls[operation.id]!(running, pair)
      const key = credentialFor(operation, issuer)
      const idempotencyKey = freshIdempotencyKey()
      const send = (headers: Record<string, string>) => {
        const options: RequestOptions = {
          key,
          headers: { 'idempotency-key': idempotencyKey, ...headers },
        }
        return callApi(
          running,
          operation.method,
          path,
          body === undefined ? options : { ...options, body },
        )
      }
      const dryRun = await extendedBy(() =>
        send({ 'svc-dry-run': 'true', 'idempotency-key': freshIdempotencyKey() }),
      )
      assert.deepEqual([eventOf(dryRun.reply), dryRun.changed], [null, []])
      const { reply, changed } = await extendedBy(() => send({}))
      assert.equal(reply.status, operation.status ?? 200, reply.text)
      assert.equal(
        eventOf(reply) !== null,
        changed.length > 0,
        'if and only if a history has grown',
      )
      if (changed.length > 0) {
        const answered = changed.filter(({ event }) => event === eventOf(reply))
        const names = namedDocuments(path, body, reply)
        assert(names.includes(answered[0]!.document), 'it is about the document of the request')
        withEvent.push(operation.id)
      }
      const again = await extendedBy(() => send({}))
      assert.equal(again.reply.headers.get('idempotent-replay'), 'true')
      assert.deepEqual([eventOf(again.reply), again.changed], [eventOf(reply), []])
      assert.equal(again.reply.text, reply.text)
      const refused = await send({ 'idempotency-key': freshIdempotencyKey(), 'if-match': '"999"' })
      if (refused.status >= 400) assert.equal(eventOf(refused), null)
    })
  })
}

test('the docs name the operations whose responses carry it', () => {
  assert(withEvent.includes('documents.create'))
  assert.deepEqual(
    withEvent,
    writes.filter(carriesEvent).map(({ id }) => id),
  )
})

test('Svc-Event is what both sides’ history says of the event', async () => {
  const draft = await aDraft(running, pair)
  const path = `/v1/documents/${draft.id}`
  const seen = [await callApi(running, 'POST', `${path}/issue`, { key: issuer.key })]
  const { key: approver } = counterparty
  const approval = { key: approver, body: { to: 'approved' } }
  seen.push(await callApi(running, 'POST', `${path}/transition`, approval))
  const file = { key: approver, body: aFileForm() }
  seen.push(await callApi(running, 'POST', `${path}/attachments`, file))
  for (const { key } of [issuer, counterparty]) {
    const { body } = await callApi(running, 'GET', `${path}/history`, { key })
    const entries: { seq: number; hash: string }[] = body.entries
    assert.deepEqual(
      seen.map((reply) => eventOf(reply)!.split(' ').slice(1)),
      entries.slice(1).map(({ seq, hash }) => [String(seq), hash]),
    )
  }
})

test('a write that changes several documents carries the event of the one it answers with', async () => {
  const source = await anInvoice(running, pair)
  const convert = () =>
    callApi(running, 'POST', `/v1/documents/${source.id}/convert`, {
      key: issuer.key,
      body: { document_type: 'credit_note' },
    })
  const credit = (await convert()).body
  const issue = await extendedBy(() =>
    callApi(running, 'POST', `/v1/documents/${credit.id}/issue`, { key: issuer.key }),
  )
  assert.deepEqual(
    issue.changed.map(({ document }) => document).toSorted(),
    [credit.id, source.id].toSorted(),
  )
  const own = issue.changed.find(({ document }) => document === credit.id)!
  assert.equal(eventOf(issue.reply), own.event)
})

test('a write that changes nothing carries the newest event, which it has not appended', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  const first = await pay(running, counterparty.key, id)
  const second = await extendedBy(() => pay(running, counterparty.key, id))
  assert.equal(second.reply.status, 200)
  assert.deepEqual([eventOf(second.reply), second.changed], [eventOf(first), []])
})

test('a replayed Svc-Event that another event has taken the place of is withheld', async () => {
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const draft = await aDraft(running, pair)
  const path = `/v1/documents/${draft.id}`
  const edit = () =>
    callApi(running, 'PATCH', path, { key: issuer.key, body: { notes: 'Edited' }, headers })
  assert.equal((await edit()).status, 200)
  const document = decodeId('doc', draft.id)!
  await database.script(`set session_replication_role = replica;
    update prov_event set hash = (select hash from prov_event where document_id = '${document}' and seq = 1)
      where document_id = '${document}' and seq = 2;
    set session_replication_role = default`)
  const replay = await edit()
  assert.equal(replay.status, 500, replay.text)
  assert.equal(replay.body.error.code, 'integrity_failure')
  assert.equal(eventOf(replay), null)
})
