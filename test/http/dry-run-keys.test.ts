/** Contract 11: a dry run under a used Idempotency-Key answers what the real call would. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { exampleLine } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'

const { running, issuer, connection } = await startTradingPair()

/** Returns the real call and the dry run of a POST under one Idempotency-Key. */
const underOneKey = (path: string, key: string) => {
  const idempotency = { 'idempotency-key': freshIdempotencyKey() }
  const call = (headers: Record<string, string>) => (body: object) =>
    callApi(running, 'POST', path, { key, body, headers: { ...idempotency, ...headers } })
  return { call: call({}), rehearse: call({ 'svc-dry-run': 'true' }) }
}

test('another document is refused, the same one replayed, and a new key runs', async () => {
  const invoice = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
  const quote = { ...invoice, document_type: 'quote' }
  const used = underOneKey('/v1/documents', issuer.key)
  assert.equal((await used.rehearse(quote)).status, 200, 'a dry run does not use the key')
  const original = await used.call(invoice)
  assert.equal(original.status, 201)
  assertRefused(await used.rehearse(quote), 'idempotency_conflict')
  const replay = await used.rehearse(invoice)
  assert.deepEqual([replay.status, replay.text], [201, original.text])
  assert.equal(replay.headers.get('idempotent-replay'), 'true')
  const fresh = await underOneKey('/v1/documents', issuer.key).rehearse(invoice)
  assert.deepEqual([fresh.status, fresh.body.number], [200, null])
})

test('a key with a secret is refused or rehearsed, and the secret is not shown again', async () => {
  const body = { name: 'Rehearsed', scopes: ['documents:read'] }
  const used = underOneKey('/v1/keys', issuer.session)
  assert.match((await used.call(body)).body.key, /^rk_test_/)
  assertRefused(await used.rehearse({ ...body, name: 'Other' }), 'idempotency_conflict')
  const again = await used.rehearse(body)
  assert.deepEqual([again.status, again.body.key], [200, null])
})

test('a write with another spelling of Svc-Dry-Run is refused: it would not be a dry run', async () => {
  const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
  for (const name of ['Dry-Run', 'X-Dry-Run', 'Svc-DryRun', 'X-Svc-Dry-Run', 'Dry_Run']) {
    const headers = { [name]: 'true' }
    const reply = await callApi(running, 'POST', '/v1/documents', {
      key: issuer.key,
      body,
      headers,
    })
    assertRefused(reply, 'invalid_request')
    const [problem] = reply.body.error.details.errors
    assert.deepEqual([problem.param, problem.fix], [name.toLowerCase(), 'send Svc-Dry-Run'])
    assert.equal(
      (await callApi(running, 'GET', '/v1/me', { key: issuer.key, headers })).status,
      200,
    )
  }
})

test('a header of which the name only ends alike is none of ours', async () => {
  const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
  const headers = { 'X-Foundry-Run': '7' }
  const reply = await callApi(running, 'POST', '/v1/documents', { key: issuer.key, body, headers })
  assert.equal(reply.status, 201, reply.text)
})
