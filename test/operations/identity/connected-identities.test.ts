/** Decision 0122: identities that a signed-in person connects and disconnects. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSession } from '../../../src/changes/identity/new-session.ts'
import { addMembership } from '../../../src/changes/identity/users.ts'
import { limits } from '../../../src/contract/limits.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { inTurn } from '../../support/database/in-turn.ts'
import { assertNoticed, copyRows } from '../../support/database/old-rows.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { aSubject, assertProblem, startOidcService } from '../../support/identity/oidc-service.ts'

const { provider, running, aMember, begin, consent, comeBack, signIn, sessionOf } =
  await startOidcService()
const { database } = running

describe('decision 0122: identities that a signed-in person connects', () => {
  const connect = (key: string) =>
    callApi(running, 'POST', '/auth/identities', {
      key,
      body: { provider: 'acme', to: '/o/org_1/settings' },
    })
  const comeBackFrom = async (reply: Awaited<ReturnType<typeof connect>>) => {
    assert.equal(reply.status, 200, reply.text)
    const [set] = reply.headers.getSetCookie()
    const begun = { url: reply.body.url, cookie: set!.split(';')[0]! }
    return comeBack(await consent(begun), begun.cookie)
  }
  const listed = async (key: string) =>
    (await callApi(running, 'GET', '/auth/identities', { key })).body.data

  test('an invited member connects one, and signs in with it; its address is verified by that', async () => {
    const { userId, session: key, email } = await aMember()
    const unverify = sql`update users set email_verified_at = null where id = ${userId}`
    await runAndSeal(database, 'users', unverify)
    const { problem, to } = await comeBackFrom(await connect(key))
    assert.deepEqual([problem, to], [null, '/o/org_1/settings'])
    const [identity] = await listed(key)
    assert.deepEqual([identity.provider, identity.email], [{ id: 'acme', name: 'Acme' }, email])
    assert.equal((await sessionOf(await signIn())).user.email, email)
    const [row] = await database.rows(sql`select email_verified_at from users where id = ${userId}`)
    assert.notEqual((row as { email_verified_at: string | null }).email_verified_at, null)
    const { data } = (await callApi(running, 'GET', '/v1/audit', { key })).body
    assert(data.some((one: { operation: string }) => one.operation === 'identities.connect'))
  })

  test('the audit log has it in the organization for which the person acted', async () => {
    const connectionsIn = async (key: string): Promise<number> => {
      const path = '/v1/audit?operation=identities.connect'
      const { data } = (await callApi(running, 'GET', path, { key })).body
      return data.filter((one: { path: string }) => one.path === '/auth/oidc/acme/callback').length
    }
    const { userId, session: first } = await aMember()
    const second = await anOrganization(running)
    const organization = second.uuid
    await inTurn(database, (tx) => addMembership(tx, { user: userId, organization, role: 'admin' }))
    const signedIn = await openSession(database, { user: userId, organization, mode: 'test' })
    await comeBackFrom(await connect(signedIn.token))
    assert.deepEqual([await connectionsIn(first), await connectionsIn(second.session)], [0, 1])

    await callApi(running, 'DELETE', '/auth/identities/acme', { key: first })
    const begun = await connect(first)
    assert.equal(begun.status, 200)
    assert.equal((await comeBackFrom(begun)).problem, null)
    assert.deepEqual([await connectionsIn(first), await connectionsIn(second.session)], [1, 1])
  })

  test('another address verifies nothing; an identity of somebody else stays theirs', async () => {
    const first = await aMember()
    await signIn()
    const { sub } = provider.person
    const { session: key } = await aMember()
    provider.person = { sub, email: first.email, email_verified: true }
    assert.equal((await comeBackFrom(await connect(key))).problem, 'other_account')
    assert.deepEqual(await listed(key), [])
  })

  test('a disconnected one signs nobody in, and the row of before does not revive it', async () => {
    const { session: key, userId } = await aMember()
    provider.person = { sub: aSubject(), email: 'private@example.com', email_verified: true }
    await comeBackFrom(await connect(key))
    const restore = await copyRows(database, 'user_identities', `t.user_id = '${userId}'`)
    const remove = () => callApi(running, 'DELETE', '/auth/identities/acme', { key })
    assert.equal((await remove()).status, 200)
    assertRefused(await remove(), 'not_found')
    await assertProblem('unknown_user', signIn())
    await restore()
    const begun = await begin()
    const query = await consent(begun)
    const { cookie } = begun
    const path = `/auth/oidc/acme/callback${query}`
    assertNoticed(
      running,
      await callApi(running, 'GET', path, { headers: { cookie } }),
      'user_identities',
    )
    await database.run(sql`delete from user_identities where user_id = ${userId}`)
  })

  test('whoever has signed out meanwhile connects nothing', async () => {
    const { session: key, userId } = await aMember()
    const begun = await connect(key)
    assert.equal((await callApi(running, 'DELETE', '/auth/session', { key })).status, 200)
    assert.equal((await comeBackFrom(begun)).problem, 'not_begun')
    const own = sql`select 1 from user_identities where user_id = ${userId}`
    assert.deepEqual(await database.rows(own), [])
  })

  test('both need a recent sign-in', async () => {
    const { session: key, userId } = await aMember()
    await signIn()
    const authenticated_at = new Date(Date.now() - limits.recentSignInMs - 60_000).toISOString()
    const own = sql`t.user_id = ${userId}`
    await changeSealedRows(database, 'sessions', own, () => ({ authenticated_at }))
    assertRefused(await connect(key), 'forbidden', 'step_up_required')
    const removed = await callApi(running, 'DELETE', '/auth/identities/acme', { key })
    assertRefused(removed, 'forbidden', 'step_up_required')
  })

  test('an unknown provider is not found; an API key has no identities', async () => {
    const { session: key, key: apiKey } = await aMember()
    const body = { provider: 'nobody' }
    assertRefused(await callApi(running, 'POST', '/auth/identities', { key, body }), 'not_found')
    const asked = await callApi(running, 'GET', '/auth/identities', { key: apiKey })
    assertRefused(asked, 'insufficient_scope')
  })
})
