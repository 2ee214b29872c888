/** Practice pairs over HTTP: provisioning, ownership and their maximum number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultScopes, scopeNames } from '../../../src/contract/scopes.ts'
import { quotaDefinitions } from '../../../src/contract/quotas.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { exampleLine, anOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const provision = (session: string, body = {}, headers = {}): Promise<Reply> =>
  callApi(running, 'POST', '/v1/sandboxes', { key: session, body, headers })

const list = async (session: string, query = '') =>
  (await callApi(running, 'GET', `/v1/sandboxes${query}`, { key: session })).body

test('a new pair is ready at once: both sides have keys and sessions, and the connection is active', async () => {
  const live = await anOrganization(running, { mode: 'live' })
  const { status, body } = await provision(live.session, { name: 'Trial' })
  assert.equal(status, 201)
  assert.match(body.sandbox_id, /^sbx_/)
  for (const [key, organization] of [
    [body.api_key, body.organization],
    [body.admin_session_token, body.organization],
    [body.demo_api_key, body.demo_organization],
    [body.demo_admin_session_token, body.demo_organization],
  ]) {
    const me = (await callApi(running, 'GET', '/v1/me', { key })).body
    assert.deepEqual(me.organization, { ...organization, mode: 'sandbox' })
    const scopes = me.key === null ? scopeNames : defaultScopes
    assert.deepEqual(me.effective_scopes.toSorted(), scopes.toSorted())
  }
  assert.deepEqual(
    [body.organization.name, body.demo_organization.name, body.organization.verified],
    ['Trial', 'Demo Counterparty', true],
  )
  const document = { connection_id: body.connection_id, document_type: 'invoice' }
  const created = await callApi(running, 'POST', '/v1/documents', {
    key: body.api_key,
    body: { ...document, line_items: [exampleLine] },
  })
  assert.equal(created.status, 201, created.text)
  assert.equal(created.body.payment_terms, 'Net 30')
  // Only the live owner learns that the document exists in its sandbox.
  const read = (key: string) => callApi(running, 'GET', `/v1/documents/${created.body.id}`, { key })
  assertRefused(await read(live.key), 'sandbox_isolation')
  assertRefused(await read((await anOrganization(running)).key), 'not_found')
})

test('domain 6: the demo side of a new pair has already sent its first documents', async () => {
  const live = await anOrganization(running, { mode: 'live' })
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const { body } = await provision(live.session, {}, headers)
  const documentsOf = async (key: string) => {
    const { data } = (await callApi(running, 'GET', '/v1/documents', { key })).body
    return data.map(({ number, status }: { number: string; status: string }) => [number, status])
  }
  const expected = [
    ['SQ-000001', 'sent'],
    ['BILL-000002', 'approved'],
    ['BILL-000001', 'submitted'],
  ]
  assert.deepEqual(await documentsOf(body.api_key), expected)
  assert.deepEqual(
    (await documentsOf(body.demo_api_key)).map(([number]: [string]) => number),
    ['QUO-000001', 'INV-000002', 'INV-000001'],
  )
  // A replay sends them no second time.
  await provision(live.session, {}, headers)
  assert.deepEqual(await documentsOf(body.api_key), expected)
})

test('verified: false provisions a pair of unverified organizations', async () => {
  const owner = await anOrganization(running, { mode: 'live' })
  const { body } = await provision(owner.session, { verified: false })
  assert.deepEqual([body.organization.verified, body.demo_organization.verified], [false, false])
})

test('the owner and its practice organizations share one list, without secrets, that others do not see', async () => {
  const live = await anOrganization(running, { mode: 'live' })
  const first = (await provision(live.session)).body
  const second = (await provision(first.admin_session_token)).body
  const ids = [second.sandbox_id, first.sandbox_id]
  for (const session of [live.session, first.admin_session_token, second.admin_session_token]) {
    const { data } = await list(session)
    assert.deepEqual(
      data.map((row: { sandbox_id: string }) => row.sandbox_id),
      ids,
    )
    assert(!/rk_test|rs_test/.test(JSON.stringify(data)))
  }
  const page = await list(live.session, '?limit=1')
  const next = await list(live.session, `?limit=1&cursor=${page.next_cursor}`)
  assert.deepEqual([page.data[0].sandbox_id, next.data[0].sandbox_id], ids)
  assert.equal(next.next_cursor, null)
  assert.deepEqual((await list(first.demo_admin_session_token)).data, [])
})

test('a sandbox without a live owner has practice pairs of its own', async () => {
  const sandbox = await anOrganization(running)
  const { body } = await provision(sandbox.session)
  for (const session of [sandbox.session, body.admin_session_token]) {
    assert.equal((await list(session)).data[0].sandbox_id, body.sandbox_id)
  }
  // Two sandboxes are foreign to each other, not two environments of one owner.
  const path = `/v1/connections/${body.connection_id}`
  assertRefused(await callApi(running, 'GET', path, { key: sandbox.key }), 'not_found')
})

test('a retry shows the same secrets, and a dry run shows none and creates nothing', async () => {
  const owner = await anOrganization(running, { mode: 'live' })
  const dry = await provision(owner.session, {}, { 'svc-dry-run': 'true' })
  assert.equal(dry.status, 200)
  for (const secret of ['api_key', 'demo_api_key', 'admin_session_token']) {
    assert.equal(dry.body[secret], null)
  }
  assert.deepEqual((await list(owner.session)).data, [])
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const created = await provision(owner.session, {}, headers)
  const again = await provision(owner.session, {}, headers)
  assert.deepEqual([again.status, again.text], [201, created.text])
  for (const reply of [created, again]) assert.equal(reply.headers.get('cache-control'), 'no-store')
  assert.equal((await list(owner.session)).data.length, 1)
})

test('beyond the maximum, even concurrently, the answer is 429 sandbox_quota without a reset time', async () => {
  const owner = await anOrganization(running, { mode: 'live' })
  for (let i = 0; i < quotaDefinitions.sandboxes.limit - 1; i += 1) {
    assert.equal((await provision(owner.session)).status, 201)
  }
  const replies = await Promise.all([1, 2, 3].map(() => provision(owner.session)))
  const refused = replies.filter(({ status }) => status !== 201)
  assert.equal(refused.length, 2)
  for (const reply of refused) {
    assert.deepEqual(assertRefused(reply, 'sandbox_quota'), {
      quota: 'sandboxes',
      limit: 20,
      used: 20,
      resets_at: null,
    })
  }
})
