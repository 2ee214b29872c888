/** Console 2.3 and 2.5, decision 0122: signing in through an identity provider. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { createUser } from '../../../src/changes/identity/users.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { oidcClient } from '../../support/identity/oidc-client.ts'
import { aSubject, assertProblem, startOidcService } from '../../support/identity/oidc-service.ts'
import { codeOf, turnOnFactor } from '../../support/identity/second-factor.ts'

const { provider, running, aMember, signIn, sessionOf } = await startOidcService()
const { database } = running

const identities = () => database.rows(sql`select 1 from user_identities`)

beforeEach(() => {
  provider.lies = {}
})

describe('console 2.5: signing in elsewhere', () => {
  test('GET /auth/methods lists the providers', async () => {
    const { oidc } = (await callApi(running, 'GET', '/auth/methods')).body
    assert.deepEqual(oidc, [
      { id: 'acme', name: 'Acme' },
      { id: 'other', name: 'Stand-in' },
    ])
  })

  test('a member with the verified address is signed in, without a token in the address', async () => {
    const { email, id } = await aMember()
    const arrival = await signIn()
    assert.deepEqual(
      [arrival.path, arrival.problem, arrival.fragment],
      ['/app/signed-in', null, ''],
    )
    const { organization, user } = await sessionOf(arrival)
    assert.deepEqual([organization.id, user.email], [id, email])
  })

  test('the request has state, nonce and PKCE; the cookie is short and for /auth alone', async () => {
    const { headers } = await callApi(running, 'GET', '/auth/oidc/acme/start')
    const asked = new URL(headers.get('location')!).searchParams
    assert.equal(asked.get('code_challenge_method'), 'S256')
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.match(asked.get(name)!, /^[\w-]{43}$/, name)
    }
    assert.match(asked.get('redirect_uri')!, /\/auth\/oidc\/acme\/callback$/)
    assert.match(
      headers.get('set-cookie')!,
      /^svc_oidc=[\w.-]+; Max-Age=600; Path=\/auth; HttpOnly; SameSite=Lax$/,
    )
  })

  test('from then on the subject decides: the address may change', async () => {
    const { email } = await aMember()
    await signIn()
    provider.person = { ...provider.person, email: 'new@example.com' }
    assert.equal((await sessionOf(await signIn())).user.email, email)
    provider.person = { sub: provider.person.sub }
    assert.equal((await sessionOf(await signIn())).user.email, email)
  })

  test('an address that moved to somebody else does not take an account over', async () => {
    await aMember()
    await signIn()
    provider.person = { ...provider.person, sub: aSubject() }
    await assertProblem('other_identity', signIn())
    const first = await aMember()
    const { sub } = provider.person
    await signIn()
    const other = await aMember()
    provider.person = { sub, email: other.email, email_verified: true }
    assert.equal((await sessionOf(await signIn())).user.email, first.email)
  })

  test('decision 0117: the second factor is asked for, by an mfa_token in the fragment', async () => {
    const { userId, session: key } = await aMember()
    const { secret } = await turnOnFactor(running, { key, userId })
    const { path, fragment, refreshCookie } = await signIn()
    assert.deepEqual([path, refreshCookie], ['/app/signed-in', undefined])
    const shown = new URLSearchParams(fragment.slice(1))
    assert.equal(shown.get('methods'), 'totp')
    const body = { mfa_token: shown.get('t'), totp: await codeOf(database, secret) }
    const entered = await callApi(running, 'POST', '/auth/sessions', { body })
    assert.equal(entered.status, 201, entered.text)
  })

  test('the way back leads to a page of the console, and never elsewhere', async () => {
    await aMember()
    assert.equal((await signIn('/o/org_1/keys?status=active')).to, '/o/org_1/keys?status=active')
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '/o/../../auth/x',
      '/\\evil.example',
      '/o/%2e%2e/%2e%2e/v1/docs',
      'javascript:alert(1)',
      '/o/x\r\nSet-Cookie: a=b',
    ]
    for (const to of elsewhere) {
      const arrival = await signIn(to)
      assert.deepEqual([arrival.path, arrival.to], ['/app/signed-in', null], to)
    }
  })
})

describe('console 2.3: whom an identity opens no account', () => {
  test('nobody becomes a user by it', async () => {
    const count = async () => (await database.rows(sql`select 1 from users`)).length
    const before = await count()
    provider.person = { sub: aSubject(), email: 'nobody@example.com', email_verified: true }
    await assertProblem('unknown_user', signIn())
    assert.equal(await count(), before)
  })

  test('a user without an organization', async () => {
    const email = `${aSubject()}@example.com`
    await createUser(database, { email, name: 'Ada', passwordHash: null })
    provider.person = { sub: aSubject(), email, email_verified: true }
    await assertProblem('unknown_user', signIn())
  })

  test('an address that the provider has not verified', async () => {
    const { email } = await aMember()
    const before = (await identities()).length
    for (const person of [{ email, email_verified: false }, { email }, {}]) {
      provider.person = { sub: aSubject(), ...person }
      await assertProblem('email_unverified', signIn())
    }
    provider.lies = { claims: (claims) => ({ ...claims, email, email_verified: 'true' }) }
    await assertProblem('email_unverified', signIn())
    assert.equal((await identities()).length, before)
  })

  test('an address that no account can have is none', async () => {
    for (const email of ['ada\0@example.com', `${'a'.repeat(300)}@example.com`]) {
      provider.person = { sub: aSubject(), email, email_verified: true }
      await assertProblem('email_unverified', signIn())
    }
  })

  test('an account whose address nobody has verified here: somebody else may have made it', async () => {
    const { userId } = await aMember()
    await runAndSeal(
      database,
      'users',
      sql`update users set email_verified_at = null where id = ${userId}`,
    )
    await assertProblem('account_unverified', signIn())
  })

  test('an address outside of the allowed domains, also of a connected identity', async () => {
    await aMember()
    await signIn()
    const strict = await running.startAnother({ OIDC_ACME_ALLOWED_DOMAINS: 'acme.example' })
    await assertProblem('domain_not_allowed', oidcClient(strict, 'acme').signIn())
    provider.person = { ...provider.person, email: 'a@acme.example' }
    assert.equal((await oidcClient(strict, 'acme').signIn()).problem, null)
    provider.person = { ...provider.person, email: 'a@acme.example', email_verified: false }
    await assertProblem('email_unverified', oidcClient(strict, 'acme').signIn())
  })

  test('a member of a suspended organization alone', async () => {
    const { uuid } = await aMember()
    const suspend = sql`update organizations set suspended_at = now() where id = ${uuid}`
    await runAndSeal(database, 'organizations', suspend)
    await assertProblem('no_organization', signIn())
  })
})
