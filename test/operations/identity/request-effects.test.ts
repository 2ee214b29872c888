/** What the request log says of a call beside its outcome: who, from where, and its effect. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { type TestOrganization, aDraft, aPair, exampleLine, move } from '../../support/fixtures.ts'
import { loggedRequestPath } from '../../support/http/logged-requests.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const pair = await aPair(running)
const { issuer, counterparty } = pair

const entryOf = async (owner: TestOrganization, reply: Reply) => {
  const path = await loggedRequestPath(running, owner, reply)
  return (await callApi(running, 'GET', path, { key: owner.session })).body
}

const idOf = ({ headers }: Reply): string => headers.get('request-id')!

/** The ids of the events that name this call as the one that caused them. */
const eventsOf = async (owner: TestOrganization, reply: Reply): Promise<string[]> => {
  const { body } = await callApi(running, 'GET', '/v1/events?limit=100', { key: owner.key })
  const events = body.data as { id: string; request: { id: string } | null }[]
  return events.flatMap(({ id, request }) => (request?.id === idOf(reply) ? [id] : []))
}

const draftBody = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
}

describe('an entry of the request log', () => {
  test('an entry of a write names its document and the events of the caller’s own feed', async () => {
    const created = await callApi(running, 'POST', '/v1/documents', {
      key: issuer.key,
      body: draftBody,
    })
    const path = `/v1/documents/${created.body.id}/issue`
    const issued = await callApi(running, 'POST', path, { key: issuer.key })
    for (const reply of [created, issued]) {
      const entry = await entryOf(issuer, reply)
      const written = await eventsOf(issuer, reply)
      assert(written.length > 0)
      assert.equal(entry.document_id, created.body.id)
      assert.deepEqual(entry.event_ids.toSorted(), written.toSorted())
      assert.equal(entry.original_request_id, null)
    }
    const moved = await move(running, counterparty.key, created.body.id, 'approved')
    const entry = await entryOf(counterparty, moved)
    assert.deepEqual(entry.event_ids, await eventsOf(counterparty, moved))
  })

  test('an entry of a replay names the request that was executed, its document, and no event', async () => {
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const send = () =>
      callApi(running, 'POST', '/v1/documents', { key: issuer.key, body: draftBody, headers })
    const [first, again] = [await send(), await send()]
    assert.equal(again.headers.get('idempotent-replay'), 'true')
    const entry = await entryOf(issuer, again)
    assert.deepEqual(
      [entry.original_request_id, entry.document_id, entry.event_ids],
      [idOf(first), first.body.id, []],
    )
  })

  test('an entry of a read or a refusal names the document of its path, if it was found', async () => {
    const { id } = await aDraft(running, pair)
    const path = `/v1/documents/${id}`
    const read = await callApi(running, 'GET', `${path}/transitions`, { key: issuer.key })
    const refused = await move(running, issuer.key, id, 'approved')
    const hidden = await callApi(running, 'GET', path, { key: counterparty.key })
    const dry = await callApi(running, 'POST', '/v1/documents', {
      key: issuer.key,
      body: draftBody,
      headers: { 'svc-dry-run': 'true' },
    })
    assert.deepEqual([read.status, refused.status, hidden.status, dry.status], [200, 409, 404, 200])
    assert.equal((await entryOf(issuer, read)).document_id, id)
    assert.equal((await entryOf(issuer, refused)).document_id, id)
    assert.equal((await entryOf(counterparty, hidden)).document_id, null)
    const { document_id, event_ids } = await entryOf(issuer, dry)
    assert.deepEqual([document_id, event_ids], [null, []], 'a dry run makes nothing')
  })

  test('an entry names the person or the key that called, and from which address', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const byKey = await callApi(running, 'GET', '/v1/me', {
      key: issuer.key,
      headers: from('203.0.113.7'),
    })
    const byPerson = await callApi(running, 'GET', '/v1/me', {
      key: issuer.session,
      headers: from('2001:db8::7'),
    })
    const ofKey = await entryOf(issuer, byKey)
    assert.deepEqual(
      [ofKey.key_id, ofKey.user_id, ofKey.address],
      [issuer.keyId, null, '203.0.113.7'],
    )
    const ofPerson = await entryOf(issuer, byPerson)
    assert.deepEqual([ofPerson.key_id, ofPerson.address], [null, '2001:db8::7'])
    const me = await callApi(running, 'GET', '/v1/me', { key: issuer.session })
    assert.equal(ofPerson.user_id, me.body.user.id)
  })
})

test('an organization sees the addresses of its own callers only', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.9' }
  const { id } = await aDraft(running, pair)
  await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
  const path = `/v1/documents/${id}`
  const read = await callApi(running, 'GET', path, { key: counterparty.key, headers })
  assert.equal(read.status, 200)
  assert.equal((await entryOf(counterparty, read)).address, '198.51.100.9')
  const elsewhere = `/v1/requests/${idOf(read)}`
  assert.equal((await callApi(running, 'GET', elsewhere, { key: issuer.session })).status, 404)
  const list = await callApi(running, 'GET', '/v1/requests?limit=100', { key: issuer.session })
  assert(list.body.data.length > 0 && !list.text.includes('198.51.100.9'))
})
