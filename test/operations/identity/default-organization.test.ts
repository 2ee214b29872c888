/** Contract 11: for which organization somebody signs in who names none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { callApi } from '../../support/api-client.ts'
import { type MembershipOptions, aPersonWith } from '../../support/identity/people.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)
const aPerson = (memberships: readonly MembershipOptions[]) =>
  aPersonWith(running.database, { memberships, passwordHash })

const signIn = async (email: string, named: object = {}, headers: Record<string, string> = {}) => {
  const body = { email, password, ...named }
  const reply = await callApi(running, 'POST', '/auth/sessions', {
    body,
    headers: { 'idempotency-key': '', ...headers },
  })
  return reply.body
}

const organizationOf = async (email: string, organization_id?: string): Promise<string> =>
  (await signIn(email, organization_id === undefined ? {} : { organization_id })).organization.id

test('the first session is for a sandbox, else for the oldest organization', async () => {
  const mixed = await aPerson([{ mode: 'live' }, {}, {}])
  assert.equal(await organizationOf(mixed.email), mixed.organizations[1])
  const live = await aPerson([{ mode: 'live' }, { mode: 'live' }])
  assert.equal(await organizationOf(live.email), live.organizations[0])
  const sandboxes = await aPerson([{}, {}])
  assert.equal(await organizationOf(sandboxes.email), sandboxes.organizations[0])
})

test('a later session is for the organization last used, by sign-in or by switch', async () => {
  const { email, organizations } = await aPerson([{}, { mode: 'live' }, { mode: 'live' }])
  const [sandbox, first, second] = organizations
  assert.equal(await organizationOf(email, first), first)
  assert.equal(await organizationOf(email), first)
  const { token } = await signIn(email)
  const body = { organization_id: second }
  const switched = await callApi(running, 'POST', '/auth/session/switch', { key: token, body })
  assert.equal(switched.status, 200, switched.text)
  assert.equal(await organizationOf(email), second)
  await signIn(email, { organization_id: sandbox }, { 'svc-dry-run': 'true' })
  assert.equal(await organizationOf(email), second, 'a dry run uses no organization')
})

test('a token that the service makes in advance does not count as use', async () => {
  const { email, organizations } = await aPerson([{ mode: 'live' }, {}])
  const { token } = await signIn(email, { organization_id: organizations[0] })
  const created = await callApi(running, 'POST', '/v1/sandboxes', { key: token, body: {} })
  assert.equal(created.status, 201, created.text)
  assert.equal(await organizationOf(email), organizations[0], 'not one of the new practice pair')
})
