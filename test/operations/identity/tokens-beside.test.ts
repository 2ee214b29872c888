/** Decision 0162: a browser has a second token, for another organization of its user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { addMembership } from '../../../src/changes/identity/users.ts'
import { type Role, roles } from '../../../src/contract/roles.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { aPersonWith } from '../../support/identity/people.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database, baseUrl } = running
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)

/** The owner of one organization, signed in there, and a member of the other. */
const aBrowser = async (role: Role) => {
  const { email, userId, organizations } = await aPersonWith(database, { passwordHash })
  const other = await anOrganization(running)
  await addMembership(database, { user: userId, organization: other.uuid, role })
  const body = { email, password, client: 'browser', organization_id: organizations[0] }
  const opened = await callApi(running, 'POST', '/auth/sessions', { body })
  assert.equal(opened.status, 201, opened.text)
  const cookieOf = ({ headers }: Reply) => headers.get('set-cookie')!.split(';')[0]!
  let cookie = cookieOf(opened)
  const tokenFor = async (organization_id: string): Promise<Reply> => {
    const headers = { cookie, origin: baseUrl, 'idempotency-key': '' }
    const reply = await callApi(running, 'POST', '/auth/sessions/refresh', {
      body: { organization_id },
      headers,
    })
    if (reply.status === 200) cookie = cookieOf(reply)
    return reply
  }
  const member = `/v1/members/${encodeId('usr', userId)}`
  return { own: organizations[0]!, opened: opened.body, other, member, tokenFor }
}

const scopesOf = async (key: string): Promise<string[]> => {
  const { body } = await callApi(running, 'GET', '/v1/me', { key })
  return body.effective_scopes.toSorted()
}

const statusOf = async (key: string): Promise<number> =>
  (await callApi(running, 'GET', '/v1/me', { key })).status

test('it has the scopes of the role there, and both act for their own organization', async () => {
  const { own, opened, other, tokenFor } = await aBrowser('viewer')
  const beside = (await tokenFor(other.id)).body
  assert.deepEqual([beside.id, beside.organization.id], [opened.id, other.id])
  assert.deepEqual(beside.scopes.toSorted(), [...roles.viewer.scopes].toSorted())
  assert.deepEqual(await scopesOf(beside.token), [...roles.viewer.scopes].toSorted())
  assert.deepEqual(await scopesOf(opened.token), [...roles.owner.scopes].toSorted())
  const members = await callApi(running, 'GET', '/v1/members', { key: beside.token })
  assert.equal(members.status, 403, 'an owner elsewhere is no admin here')
  assert.deepEqual((await tokenFor(own)).body.scopes.toSorted(), await scopesOf(opened.token))
})

test('a change of the role holds for it at once', async () => {
  const { other, member, tokenFor } = await aBrowser('developer')
  const { token } = (await tokenFor(other.id)).body
  assert.deepEqual(await scopesOf(token), [...roles.developer.scopes].toSorted())
  const body = { role: 'viewer' }
  const changed = await callApi(running, 'PATCH', member, { key: other.session, body })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(await scopesOf(token), [...roles.viewer.scopes].toSorted())
  assert.equal((await tokenFor(other.id)).body.role, 'viewer')
})

test('who is removed there has no token for it, and stays signed in elsewhere', async () => {
  const { own, opened, other, member, tokenFor } = await aBrowser('admin')
  const { token } = (await tokenFor(other.id)).body
  const removed = await callApi(running, 'DELETE', member, { key: other.session })
  assert.equal(removed.status, 200, removed.text)
  assert.equal(await statusOf(token), 401)
  const refused = await tokenFor(other.id)
  assert.deepEqual([refused.status, refused.body.error.code], [404, 'not_found'])
  assert.equal(await statusOf(opened.token), 200)
  assert.equal((await tokenFor(own)).status, 200)
})

test('signing out with either token ends both, and there is no next one', async () => {
  const { own, opened, other, tokenFor } = await aBrowser('admin')
  const { token } = (await tokenFor(other.id)).body
  const out = await callApi(running, 'DELETE', '/auth/session', { key: token })
  assert.equal(out.status, 200, out.text)
  assert.deepEqual([await statusOf(opened.token), await statusOf(token)], [401, 401])
  for (const organization of [own, other.id]) {
    assert.equal((await tokenFor(organization)).status, 401)
  }
})
