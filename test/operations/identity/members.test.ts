/** Contract 12: members, their roles, and what each role may do. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { roleNames } from '../../../src/contract/role-names.ts'
import { type Role, roles } from '../../../src/contract/roles.ts'
import { addMembership, createUser } from '../../../src/changes/identity/users.ts'
import { openSession } from '../../../src/changes/identity/new-session.ts'
import { decodeId, encodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { type TestOrganization, aDraft, aPair, anOrganization } from '../../support/fixtures.ts'
import { eachPage } from '../../support/http/all-pages.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { browserClient, cookieOf } from '../../support/identity/browser-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const elsewhere = await running.startAnother()
const { database } = running
const { aPerson, signIn, refresh } = await browserClient(running)

/** A member with a session. */
const join = async ({ uuid, mode }: Pick<TestOrganization, 'uuid' | 'mode'>, role: Role) => {
  const email = `${freshIdempotencyKey()}@example.com`
  const user = await createUser(database, { email, name: 'Grace', passwordHash: null })
  await addMembership(database, { user, organization: uuid, role })
  const { token } = await openSession(database, { user, organization: uuid, mode })
  return { email, session: token, path: `/v1/members/${encodeId('usr', user)}` }
}

const update = (path: string, role: Role, key: string) =>
  callApi(running, 'PATCH', path, { key, body: { role } })

const remove = (path: string, key: string) => callApi(running, 'DELETE', path, { key })

const statusOf = async (key: string, service = running): Promise<number> =>
  (await callApi(service, 'GET', '/v1/me', { key })).status

describe('contract 12: roles', () => {
  for (const role of roleNames) {
    test(`the session of role ${role} has its scopes, and is an admin's or not`, async () => {
      const { issuer } = await aPair(running)
      const { session } = await join(issuer, role)
      const { body } = await callApi(running, 'GET', '/v1/me', { key: session })
      assert.equal(body.user.role, role)
      assert.deepEqual(body.effective_scopes.toSorted(), [...roles[role].scopes].toSorted())
      const keys = await callApi(running, 'GET', '/v1/members', { key: session })
      assert.equal(keys.status, roles[role].isAdmin ? 200 : 403)
    })
  }

  test('a viewer and an approver read but write nothing; finance pays, a developer does not', async () => {
    const pair = await aPair(running)
    const path = `/v1/documents/${(await aDraft(running, pair)).id}`
    for (const role of ['viewer', 'approver', 'developer', 'finance'] as const) {
      const { session: key } = await join(pair.issuer, role)
      assert.equal((await callApi(running, 'GET', path, { key })).status, 200)
      const edit = await callApi(running, 'PATCH', path, { key, body: { notes: role } })
      const writes = role === 'developer' || role === 'finance'
      assert.equal(edit.status, writes ? 200 : 403, `${role}: ${edit.text}`)
      const pay = await callApi(running, 'POST', `${path}/pay`, { key })
      const code = role === 'finance' ? 'conflict' : 'insufficient_scope'
      assert.equal(pay.body.error.code, code, role)
    }
  })

  test('member is what developer and finance are together', () => {
    const both = new Set([...roles.developer.scopes, ...roles.finance.scopes])
    assert.deepEqual(new Set(roles.member.scopes), both)
  })
})

describe('contract 12: members', () => {
  test('the list has every member once, newest first, by role', async () => {
    const owner = await anOrganization(running)
    const joined: string[] = [owner.email]
    for (const role of ['viewer', 'finance', 'viewer', 'admin'] as const) {
      joined.unshift((await join(owner, role)).email)
    }
    const emails: string[] = []
    for await (const { data } of eachPage(running, owner.session, '/v1/members?limit=2')) {
      emails.push(...data.map(({ email }) => email))
    }
    assert.deepEqual(emails, joined)
    const { body } = await callApi(running, 'GET', '/v1/members?role=viewer,admin', {
      key: owner.session,
    })
    assert.deepEqual(
      body.data.map(({ email }: { email: string }) => email),
      [joined[0], joined[1], joined[3]],
    )
  })

  test('a new role takes effect on the next request, on every process', async () => {
    const owner = await anOrganization(running)
    const { path, session } = await join(owner, 'finance')
    const changed = await update(path, 'viewer', owner.session)
    assert.deepEqual([changed.status, changed.body.role], [200, 'viewer'], changed.text)
    for (const service of [running, elsewhere]) {
      const { body } = await callApi(service, 'GET', '/v1/me', { key: session })
      assert.deepEqual(
        [body.user.role, body.effective_scopes.includes('payments:write')],
        ['viewer', false],
      )
    }
  })

  test('a removed member is out on the next request, and only of this organization', async () => {
    const owner = await anOrganization(running)
    const { path, session } = await join(owner, 'admin')
    const removed = await remove(path, owner.session)
    assert.deepEqual([removed.status, removed.body.role], [200, 'admin'], removed.text)
    assert.deepEqual([await statusOf(session), await statusOf(session, elsewhere)], [401, 401])
    assertRefused(await remove(path, owner.session), 'not_found')
    assert.deepEqual([await statusOf(owner.session), await statusOf(owner.key)], [200, 200])
  })

  test('decision 0240: a browser that signed in there goes on for the other organizations', async () => {
    const { email, userId, organizations } = await aPerson([{ role: 'viewer' }, {}])
    const [left, kept] = organizations
    const owner = await join({ uuid: decodeId('org', left!)!, mode: 'test' }, 'owner')
    const opened = await signIn(email)
    assert.equal(opened.body.organization.id, left)
    const beside = await refresh(cookieOf(opened), { organization_id: kept })
    const removed = await remove(`/v1/members/${encodeId('usr', userId)}`, owner.session)
    assert.equal(removed.status, 200, removed.text)
    assert.deepEqual(
      [await statusOf(opened.body.token), await statusOf(beside.body.token)],
      [401, 200],
    )
    assertRefused(await refresh(cookieOf(beside), { organization_id: left }), 'not_found')
    const next = await refresh(cookieOf(beside))
    assert.deepEqual([next.status, next.body.organization?.id], [200, kept], next.text)
    const key = next.body.token
    const { data } = (await callApi(running, 'GET', '/auth/sessions', { key })).body
    assert.deepEqual(
      data.map((one: { id: string; is_current: boolean }) => [one.id, one.is_current]),
      [[opened.body.id, true]],
    )
    await callApi(running, 'DELETE', '/auth/session', { key })
    assert.deepEqual([await statusOf(beside.body.token), await statusOf(key)], [401, 401])
  })

  test('decision 0240: a sign-in that is not as it was written ends, and the removal goes on', async () => {
    const { email, userId, organizations } = await aPerson([{ role: 'viewer' }, {}])
    const owner = await join({ uuid: decodeId('org', organizations[0]!)!, mode: 'test' }, 'owner')
    const opened = await signIn(email)
    const id = decodeId('ses', opened.body.id)!
    await database.run(sql`update sessions set user_agent = 'Forged' where id = ${id}`)
    const removed = await remove(`/v1/members/${encodeId('usr', userId)}`, owner.session)
    assert.equal(removed.status, 200, removed.text)
    assertRefused(await refresh(cookieOf(opened)), 'unauthorized')
  })

  test('another organization’s member is not found', async () => {
    const [owner, stranger] = [await anOrganization(running), await anOrganization(running)]
    const { path, session } = await join(owner, 'viewer')
    assertRefused(await update(path, 'admin', stranger.session), 'not_found')
    assertRefused(await remove(path, stranger.session), 'not_found')
    assertRefused(await remove('/v1/members/usr_x', stranger.session), 'not_found')
    assert.equal(await statusOf(session), 200)
  })
})

describe('contract 12: owners', () => {
  test('only an owner makes, changes and removes owners', async () => {
    const owner = await anOrganization(running)
    const other = await join(owner, 'owner')
    const admin = await join(owner, 'admin')
    const viewer = await join(owner, 'viewer')
    for (const refused of [
      await update(viewer.path, 'owner', admin.session),
      await update(other.path, 'viewer', admin.session),
      await remove(other.path, admin.session),
    ]) {
      const { required_scopes } = assertRefused(refused, 'insufficient_scope')
      assert.deepEqual(required_scopes, ['owner_session'])
    }
    assert.equal((await update(viewer.path, 'admin', admin.session)).status, 200)
    assert.equal((await update(other.path, 'viewer', owner.session)).status, 200)
  })

  test('the last owner stays, also when two demote each other at once', async () => {
    const owner = await anOrganization(running)
    const path = `/v1/members/${encodeId('usr', owner.userId)}`
    for (const refused of [
      await update(path, 'admin', owner.session),
      await remove(path, owner.session),
    ]) {
      assert.equal(assertRefused(refused, 'conflict').reason, 'last_owner')
    }
    const other = await join(owner, 'owner')
    await Promise.all([
      update(other.path, 'viewer', owner.session),
      update(path, 'viewer', other.session),
    ])
    const sessions = [owner.session, other.session]
    const lists = sessions.map((key) => callApi(running, 'GET', '/v1/members?role=owner', { key }))
    const [list] = (await Promise.all(lists)).filter(({ status }) => status === 200)
    assert.equal(list!.body.data.length, 1)
  })

  test('a dry run and a change to the same role change nothing', async () => {
    const owner = await anOrganization(running)
    const { path, session } = await join(owner, 'finance')
    const headers = { 'svc-dry-run': 'true' }
    const rehearsed = await callApi(running, 'DELETE', path, { key: owner.session, headers })
    assert.equal(rehearsed.status, 200, rehearsed.text)
    assert.equal((await update(path, 'finance', owner.session)).body.role, 'finance')
    assert.equal(await statusOf(session), 200)
  })
})
