/** Decision 0122: what comes back from a provider is believed only if all of it fits. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { attemptCookie, attemptText } from '../../../src/core/identity/oidc-attempts.ts'
import { sql } from '../../../src/database/sql.ts'
import { oidcClient } from '../../support/identity/oidc-client.ts'
import { assertProblem, startOidcService } from '../../support/identity/oidc-service.ts'

const { provider, second, running, aMember, begin, consent, comeBack, signIn } =
  await startOidcService()
const { database } = running

const identities = () => database.rows(sql`select 1 from user_identities`)

beforeEach(() => {
  provider.lies = {}
})

describe('decision 0122: an answer of the provider that does not fit', () => {
  test('without the cookie, with that of another browser, or a changed one: it was not begun here', async () => {
    await aMember()
    const [mine, other] = [await begin(), await begin()]
    const query = await consent(mine)
    const before = provider.tokenRequests
    const [secret, rest] = mine.cookie.split('.') as [string, string]
    const changed = Buffer.from(JSON.stringify(['/o/org_2', null])).toString('base64url')
    await assertProblem('not_begun', comeBack(query, ''))
    await assertProblem('not_begun', comeBack(query, `${secret}.${changed}`))
    await assertProblem('not_begun', comeBack(query, `${secret}x.${rest}`))
    assert.equal(provider.tokenRequests, before, 'the provider was not asked')
    await assertProblem('not_begun', comeBack(query, other.cookie))
    assert.equal((await comeBack(query, mine.cookie)).problem, null)
  })

  test('a second time, whatever came of the first', async () => {
    await aMember()
    const begun = await begin()
    const query = await consent(begun)
    assert.equal((await comeBack(query, begun.cookie)).problem, null)
    await assertProblem('not_begun', comeBack(query, begun.cookie))
    const failed = await begin()
    const wrong = (await consent(failed)).replace(/code=\w+/, 'code=AAAAA')
    await assertProblem('provider_wrong', comeBack(wrong, failed.cookie))
    await assertProblem('not_begun', comeBack(await consent(failed), failed.cookie))
  })

  test('by a tab that began before another one, which goes on', async () => {
    await aMember()
    const [earlier, later] = [await consent(await begin()), await begin()]
    await assertProblem('not_begun', comeBack(earlier, later.cookie))
    assert.equal((await comeBack(await consent(later), later.cookie)).problem, null)
  })

  test('by an attempt of an earlier release, which does not say by which sign-in', async () => {
    const { userId } = await aMember()
    const begun = await begin()
    const [, secret] = /=([^.]+)/.exec(begun.cookie)!
    const attempt = { provider: 'acme', to: '', connecting: userId as never }
    const hash = database.seals.credentialMac(attemptText(secret!, attempt))
    await database.run(sql`
      insert into oidc_attempts values (${hash}, clock_timestamp() + interval '1 minute')`)
    const cookie = `svc_oidc=${attemptCookie(secret!, attempt)}`
    await assertProblem('not_begun', comeBack(await consent(begun), cookie))
  })

  test('after ten minutes', async () => {
    await aMember()
    const begun = await begin()
    await database.run(sql`update oidc_attempts set expires_at = now()`)
    await assertProblem('not_begun', comeBack(await consent(begun), begun.cookie))
  })

  test('for another provider, or in the name of another one (RFC 9207)', async () => {
    await aMember()
    const begun = await begin()
    await assertProblem('not_begun', comeBack(await consent(begun), begun.cookie, 'other'))
    provider.lies = { answer: (query) => query.set('iss', second.issuer) }
    const before = provider.tokenRequests
    await assertProblem('provider_wrong', signIn())
    provider.lies = { answer: (query) => query.delete('iss') }
    await assertProblem('provider_wrong', signIn())
    assert.equal(provider.tokenRequests, before, 'no code was sent anywhere')
  })

  const now = () => Math.floor(Date.now() / 1000)
  const late = limits.oidcClockToleranceSeconds + 60
  const lies = {
    'another nonce': { claims: (claims) => ({ ...claims, nonce: 'A'.repeat(43) }) },
    'no nonce': { claims: (claims) => ({ ...claims, nonce: undefined }) },
    'another issuer': { claims: (claims) => ({ ...claims, iss: second.issuer }) },
    'another audience': { claims: (claims) => ({ ...claims, aud: 'somebody-else' }) },
    'an end that has passed': {
      claims: (claims) => ({ ...claims, iat: now() - 900, exp: now() - late }),
    },
    'the algorithm none': { header: { alg: 'none' } },
    'a symmetric algorithm': { header: { alg: 'HS256' } },
    'a key that it does not publish': { hasUnknownKey: true },
    'a key that nobody knows': { header: { kid: 'second' } },
    'no subject': { claims: (claims) => ({ ...claims, sub: undefined }) },
    'a subject of spaces': { claims: (claims) => ({ ...claims, sub: ' ' }) },
  } satisfies Record<string, typeof provider.lies>
  for (const [name, lie] of Object.entries(lies)) {
    test(`a token with ${name}`, async () => {
      await aMember()
      const before = (await identities()).length
      provider.lies = lie
      await assertProblem('provider_wrong', signIn())
      assert.equal((await identities()).length, before)
    })
  }

  test('a refusal of the provider is said to be one', async () => {
    await aMember()
    provider.lies = {
      answer: (query) => {
        query.delete('code')
        query.set('error', 'access_denied')
      },
    }
    await assertProblem('provider_refused', signIn())
  })

  test('a provider that says nothing: the page comes in seconds, and the next attempt works', async () => {
    await aMember()
    provider.lies = { isSilent: 'at the token endpoint' }
    const began = performance.now()
    await assertProblem('provider_away', signIn())
    assert(performance.now() - began < limits.oidcTimeoutMs + 3_000)
    provider.lies = {}
    assert.equal((await signIn()).problem, null)
  })

  test('a provider that is down, and one that is not there', async () => {
    const down = await running.startAnother({ OIDC_ACME_ISSUER: 'http://127.0.0.1:9' })
    const started = await oidcClient(down, 'acme').start()
    assert('arrival' in started)
    assert.equal(started.arrival.problem, 'provider_away')
    const unknown = await oidcClient(running, 'nobody').start()
    assert('arrival' in unknown)
    assert.equal(unknown.arrival.problem, 'unknown_provider')
  })

  test('neither codes nor tokens nor cookies are logged or stored', async () => {
    await aMember()
    const begun = await begin()
    const query = await consent(begun)
    await comeBack(query, begun.cookie)
    const code = new URLSearchParams(query).get('code')!
    const secret = begun.cookie.split('=')[1]!.split('.')[0]!
    const [rows] = await database.rows<{ all: string }>(sql`
      select coalesce((select string_agg(a::text, ' ') from oidc_attempts a), '')
        || (select string_agg(i::text, ' ') from user_identities i) as all`)
    for (const hidden of [code, secret, 'secret of the client']) {
      assert(!rows!.all.includes(hidden))
      assert(!running.logLines.join('').includes(hidden))
    }
  })
})
