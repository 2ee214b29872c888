/** Sign-ins take turns by network, and failures are counted by network as well. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { limitSignInFailures } from '../../../src/changes/identity/sign-in-failures.ts'
import { addMembership, createUser } from '../../../src/changes/identity/users.ts'
import { Refusal, refuse } from '../../../src/contract/errors.ts'
import { limits } from '../../../src/contract/limits.ts'
import { turns } from '../../../src/contract/work-classes.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)

const aUser = async (): Promise<string> => {
  const email = anEmail()
  const user = await createUser(running.database, { email, name: 'Ada', passwordHash })
  const { uuid: organization } = await anOrganization(running)
  await addMembership(running.database, { user, organization, role: 'owner' })
  return email
}

const anEmail = (): string => `${randomBytes(6).toString('hex')}@example.com`

const signIn = (address: string, email: string, guess = password): Promise<Reply> =>
  callApi(running, 'POST', '/auth/sessions', {
    body: { email, password: guess },
    headers: { 'idempotency-key': '', 'x-forwarded-for': address },
  })

const guessFrom = (address: string): Promise<Reply> => signIn(address, anEmail(), 'a guess')

describe('reliability 4.8: places to hash a password', () => {
  test('48 guesses at once from one address do not stop the right password from elsewhere', async () => {
    const email = await aUser()
    const guesses = Array.from({ length: 48 }, () => guessFrom('203.0.113.7'))
    const others = Array.from({ length: 20 }, (_, i) => signIn(`198.51.100.${i}`, email))
    for (const { status, text } of await Promise.all(others)) assert.equal(status, 201, text)
    const refused = (await Promise.all(guesses)).map(({ status }) => status)
    for (const status of refused) assert([401, 429, 503].includes(status), `${status}`)
    const queued = turns.passwords.runningPerOrganization + turns.passwords.waitingPerOrganization
    assert(refused.filter((status) => status === 503).length <= 48 - queued)
  })
})

describe('specification 8: failures of a network', () => {
  test('guesses against as many e-mails draw 429, from every address of an IPv6 /64', async () => {
    const email = await aUser()
    const limit = limits.signInFailuresPerNetworkFree
    const attempts = limit + 5
    const statuses: number[] = []
    for (let i = 0; i < attempts; i += 1) statuses.push((await guessFrom(`2001:db8::${i}`)).status)
    assert.deepEqual(statuses, [...Array(limit).fill(401), ...Array(attempts - limit).fill(429)])
    const refused = await signIn('2001:db8::ffff', email)
    const details = assertRefused(refused, 'rate_limited')
    assert.deepEqual([details.policy, details.limit, details.window_seconds], ['sign_in', 30, 300])
    assert.match(refused.body.error.message, /^Too many sign-ins from your network have failed\./)
    assert.equal((await signIn('2001:db8:0:1::1', email)).status, 201, 'another network')
  })

  test('a network of which some attempts failed still signs in', async () => {
    const email = await aUser()
    for (let i = 0; i < limits.signInFailuresPerNetworkFree - 1; i += 1)
      await guessFrom('192.0.2.200')
    assert.equal((await signIn('192.0.2.200', email)).status, 201)
  })

  test('many networks of one block are limited together', async () => {
    const { transaction } = running.service.context.database
    const limited = (address: string, work: () => Promise<void>) =>
      limitSignInFailures({ transaction, attempt: { address, email: null } }, work)
    const fail = (address: string) =>
      assert.rejects(limited(address, () => Promise.reject(refuse('unauthorized', 'wrong'))))
    const isRefused = async (address: string): Promise<boolean> => {
      try {
        await limited(address, async () => {})
        return false
      } catch (error) {
        assert(error instanceof Refusal && error.code === 'rate_limited')
        return true
      }
    }
    for (const [networkOf, elsewhere] of [
      [(i: number) => `2001:db8:77:${i.toString(16)}::1`, '2001:db8:78::1'],
      [(i: number) => `100.64.9.${i % 250}`, '100.64.10.1'],
    ] as const) {
      for (let i = 0; i < limits.signInFailuresPerBlockFree; i += 1) {
        if (i % 100 === 99) assert.equal(await isRefused(networkOf(1_000)), false)
        await fail(networkOf(i))
      }
      assert.equal(await isRefused(networkOf(1_000)), true)
      assert.equal(await isRefused(elsewhere), false)
    }
  })
})
