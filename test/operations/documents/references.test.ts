/** References between documents and their effects on the target (domain 1, provenance 3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { streamOf } from '../../../src/core/provenance/history-event.ts'
import { sql } from '../../../src/database/sql.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import {
  aDraft,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  exampleLine,
  move,
} from '../../support/fixtures.ts'
import { storedHistory } from '../../support/provenance/stored-history.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, seller, buyer, fromBuyer, assertConsistent, ...documents } =
  await startTradingPair()
const { read, issue, convert, issueDocument, convertAndIssue } = documents

describe('domain 1: references', () => {
  test('each side sees the whole chain from quote to order to invoice', async () => {
    const quote = await issueDocument('quote', 'accepted')
    const order = await convertAndIssue(quote, 'purchase_order', buyer)
    await move(running, seller.key, order.body.id, 'accepted')
    const invoice = await convertAndIssue(order.body.id, 'invoice', seller)
    for (const viewer of [seller, buyer]) {
      const chain = await Promise.all(
        [quote, order.body.id, invoice.body.id].map((id) => read(id, viewer)),
      )
      assert.deepEqual(
        chain.map(({ status }) => status),
        ['converted', 'fulfilled', 'submitted'],
      )
      assert.deepEqual(
        chain.map(({ references }) => references.map(({ rel }: { rel: string }) => rel)),
        [[], ['converts'], ['converts']],
      )
    }
  })

  const createWith = async (references: object[], more = {}): Promise<Reply> =>
    callApi(running, 'POST', '/v1/documents', {
      key: seller.key,
      body: {
        connection_id: pair.connection,
        document_type: 'invoice',
        line_items: [exampleLine],
        references,
        ...more,
      },
    })

  test('a reference to an invisible document or one of another connection answers 404', async () => {
    const theirs = (await aDraft(running, fromBuyer)).id
    const elsewhere = await aPair(running)
    const foreign = (await anInvoice(running, elsewhere)).id
    for (const document_id of [theirs, foreign, `doc_${'0'.repeat(26)}`]) {
      const details = assertRefused(
        await createWith([{ rel: 'relates_to', document_id }]),
        'not_found',
      )
      const param = '/references/0/document_id'
      assert.deepEqual(details, { resource: 'document', id: document_id, param })
    }
  })

  test('a malformed, repeated or self reference answers 400 at its position', async () => {
    const { id } = await anInvoice(running, pair)
    const one = { rel: 'relates_to', document_id: id }
    assertProblems(await createWith([one, one]), '/references/1 invalid_value')
    assertProblems(
      await createWith([{ rel: 'likes', document_id: 'con_1' }]),
      '/references/0/rel invalid_value',
      '/references/0/document_id invalid_value',
    )
    assertProblems(
      await createWith([{ ...one, rel: 'credits' }]),
      '/references/0/rel invalid_value',
    )
    const draft = await aDraft(running, pair)
    const body = { references: [{ rel: 'relates_to', document_id: draft.id }] }
    assertProblems(
      await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, { key: seller.key, body }),
      '/references/0/document_id invalid_value',
    )
  })

  test('a draft may refer to another draft, but can be issued only after it', async () => {
    const target = await aDraft(running, pair)
    const references = [{ rel: 'relates_to', document_id: target.id }]
    const draft = await aDraft(running, pair, { references })
    assertRefused(await issue(draft.id, seller), 'conflict', 'reference_not_issued')
    await issue(target.id, seller)
    assert.equal((await issue(draft.id, seller)).status, 200)
  })

  test('PATCH replaces all references, and only the final ones take effect', async () => {
    const [first, second] = [
      await issueDocument('quote', 'accepted'),
      await issueDocument('quote', 'accepted'),
    ]
    const draft = (await convert(first, 'invoice', seller)).body
    const patch = (references: object[]) =>
      callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
        key: seller.key,
        body: { references },
      })
    await patch([{ rel: 'relates_to', document_id: first }])
    await patch([{ rel: 'converts', document_id: second }])
    assert.equal((await issue(draft.id, seller)).status, 200)
    const states = [await read(first, seller), await read(second, seller)]
    assert.deepEqual(
      states.map(({ status, revision }) => [status, revision]),
      [
        ['accepted', 3],
        ['converted', 4],
      ],
    )
  })

  test('issuing waits for a source that another transaction has locked', async () => {
    const quote = await issueDocument('quote', 'accepted')
    const draft = (await convert(quote, 'invoice', seller)).body
    const { database } = running
    await database.run(sql`begin`)
    const number = (await read(quote, seller)).number
    await database.run(sql`
      select id from documents where issuer_number = ${number} and issuer_id = ${seller.uuid}
      for no key update`)
    const waiting = issue(draft.id, seller)
    await new Promise(setImmediate)
    await database.run(sql`commit`)
    assert.equal((await waiting).status, 200)
    assert.equal((await read(quote, seller)).status, 'converted')
  })

  test('a dry run of issuing converts nothing, and the same key then issues for real', async () => {
    const quote = await issueDocument('quote', 'accepted')
    const draft = (await convert(quote, 'invoice', seller)).body
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const path = `/v1/documents/${draft.id}/issue`
    const dry = await callApi(running, 'POST', path, {
      key: seller.key,
      headers: { ...headers, 'svc-dry-run': 'true' },
    })
    assert.deepEqual([dry.status, dry.body.status], [200, 'submitted'])
    assert.equal((await read(quote, seller)).status, 'accepted')
    assert.equal((await callApi(running, 'POST', path, { key: seller.key, headers })).status, 200)
    assert.equal((await read(quote, seller)).status, 'converted')
  })

  test('provenance 3: both histories record the link with the position and hash of the other', async () => {
    const quote = await issueDocument('quote', 'accepted')
    const order = await convertAndIssue(quote, 'purchase_order', buyer)
    const bodies = async (id: string) => {
      const { number } = await read(id, seller)
      const rows = await storedHistory(
        running.database,
        sql`e.document_id = (select document_id from document_views
          where organization_id = ${seller.uuid} and number = ${number})`,
      )
      const [document] = await running.database.rows<{ stream_salt: Buffer }>(
        sql`select stream_salt from documents where id = ${rows[0]!.document_id}`,
      )
      const stream = streamOf(document!.stream_salt, id)
      return rows.map(({ seq, hash, shared_body }) => ({
        ...JSON.parse(shared_body!),
        position: { stream, seq, hash: hash.toString('hex') },
      }))
    }
    const [quoteEvents, orderEvents] = [await bodies(quote), await bodies(order.body.id)]
    const [conversion, issuing] = [quoteEvents.at(-1), orderEvents.at(-1)]
    assert.deepEqual(conversion.link, {
      relation: 'ordered_as',
      direction: 'to',
      peer: issuing.position,
    })
    const before = quoteEvents.at(-2)
    assert.deepEqual(issuing.links, [
      { relation: 'ordered_as', direction: 'from', peer: before.position },
    ])
  })
})

test('the stored counts agree with the links after every test of this file', assertConsistent)

test('contract 2: a document of the own organization in the other mode is sandbox_isolation', async () => {
  const live = await aPair(running, 'live')
  const sandbox = await anOrganization(running, { sandboxOf: live.issuer.uuid })
  const practice = await connectPair(running, sandbox, await anOrganization(running))
  for (const [mine, other] of [
    [practice, live],
    [live, practice],
  ] as const) {
    for (const document of [await aDraft(running, other), await anInvoice(running, other)]) {
      const references = [{ rel: 'relates_to', document_id: document.id }]
      const lines = { document_type: 'invoice', line_items: [exampleLine] }
      const refused = await callApi(running, 'POST', '/v1/documents', {
        key: mine.issuer.key,
        body: { connection_id: mine.connection, ...lines, references },
      })
      assertRefused(refused, 'sandbox_isolation')
    }
  }
})
