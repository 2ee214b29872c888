/** What needs a recent sign-in of a browser's user in live (contract 2 and 3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { limits } from '../../../src/contract/limits.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { aPersonWith } from '../../support/identity/people.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database, baseUrl } = running
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)
const anId = '01kbm9s346q3d25vt4f5v37e3s'

const signedIn = async (mode: 'live' | 'test', client: 'browser' | 'cli') => {
  const { email, userId } = await aPersonWith(database, { memberships: [{ mode }], passwordHash })
  const opened = await callApi(running, 'POST', '/auth/sessions', {
    body: { email, password, client },
  })
  const key: string = opened.body.token
  const call = (method: string, path: string, body?: object): Promise<Reply> =>
    callApi(running, method, path, { key, ...(body === undefined ? {} : { body }) })
  /** As if the user had signed in that long ago. */
  const age = async (): Promise<void> => {
    const authenticated_at = new Date(Date.now() - limits.recentSignInMs - 1_000).toISOString()
    const own = sql`t.user_id = ${userId}`
    await changeSealedRows(database, 'sessions', own, () => ({ authenticated_at }))
  }
  return { opened, call, age }
}

const aKey = { name: 'erp', scopes: ['documents:read'] }

/** What moves keys or money, or makes somebody a member who may. */
const sensitive = [
  ['POST', '/v1/keys', aKey],
  ['POST', `/v1/keys/key_${anId}/rotate`, {}],
  ['POST', `/v1/keys/key_${anId}/revoke`, {}],
  ['POST', '/v1/invitations', { email: 'grace@corner-shop.example', role: 'owner' }],
  ['DELETE', `/v1/invitations/inv_${anId}`, {}],
  ['PATCH', `/v1/members/usr_${anId}`, { role: 'approver' }],
  ['DELETE', `/v1/members/usr_${anId}`, {}],
  ['PATCH', '/v1/organization', { profile: { legal_name: 'Corner Shop Ltd' } }],
  ['POST', `/v1/documents/doc_${anId}/pay`, {}],
  ['POST', `/v1/documents/doc_${anId}/transition`, { to: 'paid' }],
  ['PATCH', `/v1/approval_rules/rul_${anId}`, { approvers: 1 }],
  ['DELETE', `/v1/approval_rules/rul_${anId}`, {}],
  ['POST', `/v1/approvals/apr_${anId}/approve`, { digest: `sha256:${'0'.repeat(64)}` }],
  ['POST', `/v1/approvals/apr_${anId}/decline`, {}],
] as const

const reasonOf = ({ status, body }: Reply) => [
  status,
  body.error?.code,
  body.error?.details?.reason,
]

test('a browser whose user signed in long ago moves neither live money nor keys nor members', async () => {
  const { call, age } = await signedIn('live', 'browser')
  assert.equal((await call('POST', '/v1/keys', aKey)).status, 201)
  await age()
  for (const [method, path, body] of sensitive) {
    const refused = [403, 'forbidden', 'step_up_required']
    assert.deepEqual(reasonOf(await call(method, path, body)), refused, path)
  }
  assert.equal((await call('GET', '/v1/keys')).status, 200, 'reading is as before')
  assert.equal((await call('GET', '/v1/members')).status, 200, 'reading is as before')
  const draft = await call('POST', `/v1/documents/doc_${anId}/transition`, { to: 'approved' })
  assert.equal(draft.status, 404, 'other moves are as before')
})

test('a sign-in is recent by the clock of the database, which has its time', async (t) => {
  const { call } = await signedIn('live', 'browser')
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * limits.recentSignInMs })
  const made = await call('POST', '/v1/keys', aKey)
  assert.equal(made.status, 201, made.text)
})

test('the password makes it recent again, for all tokens of the browser', async () => {
  const { opened, call, age } = await signedIn('live', 'browser')
  await age()
  const path = '/auth/session/step-up'
  assert.equal((await call('POST', path, { password: 'wrong' })).status, 401)
  assert.equal((await call('POST', '/v1/keys', aKey)).status, 403)
  const stepped = await call('POST', path, { password })
  assert.equal(stepped.status, 200, stepped.text)
  assert(Date.parse(stepped.body.authenticated_at) > Date.now() - 60_000)
  assert.equal((await call('POST', '/v1/keys', aKey)).status, 201)
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const next = await callApi(running, 'POST', '/auth/sessions/refresh', {
    body: {},
    headers: { cookie, origin: baseUrl },
  })
  const created = await callApi(running, 'POST', '/v1/keys', { key: next.body.token, body: aKey })
  assert.equal(created.status, 201, created.text)
})

const decisions = sensitive.filter(([, path]) => path.startsWith('/v1/approval'))

test('sandboxes need no step-up, and tokens of the command line none for keys and payments', async () => {
  for (const [mode, client] of [
    ['test', 'browser'],
    ['live', 'cli'],
  ] as const) {
    const { call, age } = await signedIn(mode, client)
    await age()
    assert.equal((await call('POST', '/v1/keys', aKey)).status, 201)
    const path = `/v1/documents/doc_${anId}/pay`
    assert.equal((await call('POST', path, {})).status, 404)
  }
  const { call, age } = await signedIn('test', 'cli')
  await age()
  for (const [method, path, body] of decisions) {
    assert.equal((await call(method, path, body)).status, 404, path)
  }
})

test('clients.md 4: whoever decides on a live approval, or its rules, has signed in within 15 minutes', async () => {
  const { call, age } = await signedIn('live', 'cli')
  for (const [method, path, body] of decisions) {
    assert.equal((await call(method, path, body)).status, 404, path)
  }
  await age()
  for (const [method, path, body] of decisions) {
    const refused = await call(method, path, body)
    assert.deepEqual(reasonOf(refused), [403, 'forbidden', 'step_up_required'], path)
    assert.match(refused.body.error.message, /docex login/)
  }
  assert.equal((await call('POST', '/auth/session/step-up', { password })).status, 200)
  for (const [method, path, body] of decisions) {
    assert.equal((await call(method, path, body)).status, 404, path)
  }
})

test(`specification 8: after ${limits.signInFailuresFree} wrong passwords even the right one waits`, async () => {
  const { call } = await signedIn('live', 'browser')
  const path = '/auth/session/step-up'
  for (let attempt = 0; attempt < limits.signInFailuresFree; attempt += 1) {
    assert.equal((await call('POST', path, { password: `guess ${attempt}` })).status, 401)
  }
  assert.equal((await call('POST', path, { password })).status, 429)
})
