/** Signing in, switching organizations and signing out over HTTP (contract 3, outside of /v1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSignInLink } from '../../../src/changes/identity/sign-in-links.ts'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId, encodeId } from '../../../src/core/ids.ts'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { changeOrganization } from '../../../src/store/identity/organizations.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { assertNoticed, copyRows } from '../../support/database/old-rows.ts'
import { type MembershipOptions, aPersonWith } from '../../support/identity/people.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database } = running
const limit = limits.signInFailuresFree
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)

const aPerson = (memberships?: readonly MembershipOptions[]) =>
  aPersonWith(database, { memberships, passwordHash })
type Person = Awaited<ReturnType<typeof aPerson>>
/** Sends no Idempotency-Key, because sign-in is outside of /v1. */
const signIn = (body: unknown): Promise<Reply> =>
  callApi(running, 'POST', '/auth/sessions', { body, headers: { 'idempotency-key': '' } })

const sessionOf = async ({ email }: Person, organization_id?: string) =>
  (await signIn({ email, password, ...(organization_id && { organization_id }) })).body

const suspendOrganizationsOf = async ({ organizations }: Person): Promise<void> => {
  const set = { suspended_at: new Date().toISOString() }
  for (const id of organizations) await changeOrganization(database, decodeId('org', id)!, set)
}

/** Asserts that all are the same 401, byte for byte apart from the request id. */
const assertRefusedAlike = (replies: readonly Reply[]): void => {
  const texts = replies.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'REQ')}`)
  assert.match(texts[0]!, /^401 /)
  assert.deepEqual(texts, Array(texts.length).fill(texts[0]))
}

/** The status, code and details of a refusal. */
const refusalOf = ({ status, body }: Reply) => [status, body.error.code, body.error.details]

describe('contract 3: sign-in by password', () => {
  test('sign-in answers 201 with organization, user, role, scopes and a session token for /v1', async () => {
    const { email, userId, organizations } = await aPerson()
    const reply = await signIn({ email: ` ${email.toUpperCase()} `, password })
    assert.equal(reply.status, 201, reply.text)
    const { id, token, expires_at, scopes, ...rest } = reply.body
    assert.match(id, /^ses_[0-9a-z]{26}$/)
    assert.match(token, /^rs_test_[\w-]{32}$/)
    assert.equal(Math.ceil((Date.parse(expires_at) - Date.now()) / 3_600_000), 12)
    assert(scopes.includes('keys:manage') && scopes.includes('treasury:read'))
    assert.deepEqual(rest, {
      token_type: 'Bearer',
      organization: { id: organizations[0], name: 'Organization 1', mode: 'sandbox' },
      user: { id: encodeId('usr', userId), email, name: 'Ada' },
      role: 'owner',
    })
    const me = await callApi(running, 'GET', '/v1/me', { key: token })
    assert.deepEqual([me.status, me.body.user.email, me.body.key], [200, email, null])
  })

  test('a wrong password, an unknown user and a user without password get the same 401 bytes', async () => {
    const { email } = await aPerson()
    const { email: withoutPassword } = await anOrganization(running)
    const replies = [
      await signIn({ email, password: 'wrong' }),
      await signIn({ email, password: 'wrong', organization_id: `org_0${'1'.repeat(25)}` }),
      await signIn({ email: 'nobody@example.com', password }),
      await signIn({ email: withoutPassword, password }),
    ]
    assertRefusedAlike(replies)
    assert.deepEqual(refusalOf(replies[0]!), [401, 'unauthorized', undefined])
    assert.equal(replies[0]!.headers.get('www-authenticate'), 'Bearer')
  })

  test('contract 2: all problems of a sign-in are listed at once, and none shows the password', async () => {
    const cases: [string, object][] = [
      ['/email /password', {}],
      ['/password', { email: 'a@example.com' }],
      ['/email', { password: 'hunter2' }],
      ['/link', { link: 'hunter2', email: 'a@example.com' }],
      ['/password', { email: 'a@example.com', password: ['hunter2'] }],
      ['/password', { email: 'a@example.com', password: `hunter2${'x'.repeat(200)}` }],
      ['/otp', { email: 'a@example.com', password: 'hunter2', otp: 1 }],
      ['/organization_id', { email: 'a', password: 'hunter2', organization_id: 'doc_1' }],
    ]
    for (const [expected, body] of cases) {
      const reply = await signIn(body)
      assert.equal(reply.status, 400, reply.text)
      assert.equal(reply.text.includes('hunter2'), false)
      const problems: { param: string }[] = reply.body.error.details.errors
      assert.deepEqual(problems.map(({ param }) => param).toSorted(), expected.split(' '))
    }
  })

  test(`specification 8: after ${limit} failures even the right password gets 429`, async () => {
    const { email } = await aPerson()
    for (let attempt = 0; attempt < limit; attempt += 1) {
      assert.equal((await signIn({ email, password: `guess ${attempt}` })).status, 401)
    }
    const refused = await signIn({ email: email.toUpperCase(), password })
    const wait = refused.body.error.details.retry_after_seconds
    const details = { policy: 'sign_in', limit, window_seconds: 300, retry_after_seconds: wait }
    assert.deepEqual(refusalOf(refused), [429, 'rate_limited', details])
    assert(wait >= 1 && wait <= 5)
    const values = ['retry-after', 'svc-should-retry'].map((name) => refused.headers.get(name))
    assert.deepEqual(values, [String(wait), 'true'])
    assert((await sessionOf(await aPerson())).token, 'other users are unaffected')
  })
})

describe('the organization and the scopes of a session', () => {
  test('a live session is rs_live_, and an unverified one has no scope that needs verification', async () => {
    const body = await sessionOf(await aPerson([{ mode: 'live', verified: false, role: 'admin' }]))
    assert.match(body.token, /^rs_live_/)
    assert.equal(body.organization.mode, 'live')
    assert.equal(body.scopes.includes('treasury:read'), false)
    assert(body.scopes.includes('keys:manage'))
  })

  test('specification 5.6: a member has all scopes but keys:manage in GET /auth/session and /v1/me', async () => {
    const { token, token_type, ...session } = await sessionOf(await aPerson([{ role: 'member' }]))
    const me = await callApi(running, 'GET', '/v1/me', { key: token })
    const read = await callApi(running, 'GET', '/auth/session', { key: token })
    assert.deepEqual([session.role, token_type], ['member', 'Bearer'])
    const { client, authenticated_at, organizations, ...shared } = read.body
    assert.deepEqual([read.status, client, shared], [200, 'cli', session])
    assert(authenticated_at && organizations.length === 1)
    assert.deepEqual(session.scopes, me.body.effective_scopes)
    assert(!session.scopes.includes('keys:manage') && session.scopes.includes('documents:write'))
  })

  test("another user's organization answers 404", async () => {
    const { email } = await aPerson()
    const { id } = await anOrganization(running)
    const reply = await signIn({ email, password, organization_id: id })
    const details = { resource: 'organization', id }
    assert.deepEqual(refusalOf(reply), [404, 'not_found', details])
  })

  test('a user without an active organization cannot sign in, and suspension ends open sessions', async () => {
    const person = await aPerson([{ mode: 'live' }])
    const { token } = await sessionOf(person)
    await suspendOrganizationsOf(person)
    assert.equal((await callApi(running, 'GET', '/auth/session', { key: token })).status, 401)
    const others = await aPerson([])
    for (const [email, reason] of [
      [person.email, 'organization_suspended'],
      [others.email, 'no_organization'],
    ]) {
      const refused = [403, 'capability_unavailable', { capability: 'sign_in', reason }]
      assert.deepEqual(refusalOf(await signIn({ email, password })), refused)
    }
  })
})

describe('contract 10: sign-in by a one-time link', () => {
  test('a link works once, even when it is used concurrently', async () => {
    const { email, userId } = await aPerson()
    const { token: link } = await createSignInLink(database, userId)
    const replies = await Promise.all([1, 2, 3].map(() => signIn({ link })))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 401, 401])
    assert.equal(replies.find(({ status }) => status === 201)!.body.user.email, email)
    assert.equal((await signIn({ link })).status, 401)
  })

  test('unknown, malformed and expired links get the same 401', async () => {
    const { userId } = await aPerson()
    const { token: link } = await createSignInLink(database, userId)
    const past = () => ({ expires_at: '2026-01-01T00:00:00.000Z' })
    await changeSealedRows(database, 'sign_in_links', sql`t.user_id = ${userId}`, past)
    const links = [link, `sl_${'A'.repeat(32)}`, 'nonsense']
    assertRefusedAlike(await Promise.all(links.map((token) => signIn({ link: token }))))
  })

  test('a refused sign-in leaves the link unused', async () => {
    const { userId, organizations } = await aPerson()
    const { token: link } = await createSignInLink(database, userId)
    const foreign = (await anOrganization(running)).id
    assert.equal((await signIn({ link, organization_id: foreign })).status, 404)
    assert.equal((await signIn({ link, organization_id: organizations[0] })).status, 201)
  })
})

describe('reading and ending a session', () => {
  test('DELETE answers the last record, and every process then refuses the token', async () => {
    const other = await running.startAnother()
    const { token, id } = await sessionOf(await aPerson())
    assert.equal((await callApi(other, 'GET', '/v1/me', { key: token })).status, 200)
    const ended = await callApi(running, 'DELETE', '/auth/session', { key: token })
    assert.deepEqual([ended.status, ended.body.id], [200, id])
    assert.equal((await callApi(other, 'GET', '/v1/me', { key: token })).status, 401)
    assert.equal((await callApi(running, 'DELETE', '/auth/session', { key: token })).status, 401)
  })

  test('an API key gets 403 insufficient_scope with the required scope session', async () => {
    const { key, id } = await anOrganization(running)
    const calls = [
      callApi(running, 'GET', '/auth/session', { key }),
      callApi(running, 'DELETE', '/auth/session', { key }),
      callApi(running, 'POST', '/auth/session/switch', { key, body: { organization_id: id } }),
    ]
    for (const reply of await Promise.all(calls)) {
      assert.equal(reply.status, 403)
      assert.deepEqual(reply.body.error.details.required_scopes, ['session'])
    }
  })
})

describe('contract 3: switching the organization', () => {
  const switchTo = (key: string, organization_id: string, headers = {}) =>
    callApi(running, 'POST', '/auth/session/switch', { key, body: { organization_id }, headers })

  test('a switch replaces the session with one of the other organization and the same expiry', async () => {
    const person = await aPerson([{ mode: 'live' }, { role: 'member' }])
    const first = await sessionOf(person)
    const { status, body } = await switchTo(first.token, person.organizations[1]!)
    assert.equal(status, 200)
    assert.match(body.token, /^rs_test_/)
    assert.deepEqual([body.role, body.expires_at], ['member', first.expires_at])
    assert.notEqual(body.id, first.id)
    assert.equal((await callApi(running, 'GET', '/v1/me', { key: first.token })).status, 401)
    const me = await callApi(running, 'GET', '/v1/me', { key: body.token })
    assert.equal(me.body.organization.id, person.organizations[1])
  })

  test('a refused switch leaves the session unchanged', async () => {
    const { token } = await sessionOf(await aPerson())
    assert.equal((await switchTo(token, (await anOrganization(running)).id)).status, 404)
    assert.equal((await switchTo(token, 'org_1')).status, 400)
    assert.equal((await callApi(running, 'GET', '/auth/session', { key: token })).status, 200)
  })

  test('exactly one of two concurrent switches succeeds', async () => {
    const person = await aPerson([{}, {}])
    const { token } = await sessionOf(person)
    const both = person.organizations.map((id) => switchTo(token, id))
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 401])
  })

  test('4.2 a dry run shows no token and changes nothing', async () => {
    const { token, organization: same } = await sessionOf(await aPerson())
    const tried = await switchTo(token, same.id, { 'svc-dry-run': 'true' })
    assert.deepEqual([tried.status, tried.body.token], [200, null])
    assert.equal((await callApi(running, 'GET', '/auth/session', { key: token })).status, 200)
  })
})

test('contract 10: a used link is not revived by the row of before', async () => {
  const { userId } = await aPerson()
  const { token: link } = await createSignInLink(database, userId)
  const { token: other } = await createSignInLink(database, userId)
  const restore = await copyRows(database, 'sign_in_links', `t.user_id = '${userId}'`)
  assert.equal((await signIn({ link })).status, 201)
  assert.equal((await signIn({ link: other })).status, 201, 'other links of the user still work')
  await restore()
  assertNoticed(running, await signIn({ link }), 'sign_in_links')
})

test('passwords and tokens appear neither in the log nor in the database', async () => {
  const { email, userId } = await aPerson()
  const { token: link } = await createSignInLink(database, userId)
  const { token: byLink } = (await signIn({ link })).body
  const { token: byPassword } = (await signIn({ email, password })).body
  await signIn({ email, password: 'a very wrong password' })
  const [rows] = await database.rows<{ all: string }>(sql`
    select (select coalesce(string_agg(s::text, ' '), '') from sessions s)
        || (select coalesce(string_agg(l::text, ' '), '') from sign_in_links l)
        || (select coalesce(string_agg(u::text, ' '), '') from users u) as all`)
  for (const secret of [link, byLink, byPassword, password, 'a very wrong password']) {
    assert(!rows!.all.includes(secret))
    assert(!running.logLines.join('').includes(secret))
  }
})
