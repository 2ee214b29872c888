/** Lock-out: what failed sign-ins make wait, and whom they do not (docs/decisions/0175). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { createSignInLink } from '../../../src/changes/identity/sign-in-links.ts'
import { limits } from '../../../src/contract/limits.ts'
import { sql } from '../../../src/database/sql.ts'
import { purgeSignInFailures } from '../../../src/store/identity/sign-in-failures.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { aPersonWith } from '../../support/identity/people.ts'
import { endWaits, passTime } from '../../support/identity/sign-in-waits.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const another = await running.startAnother()
const { database } = running
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)
const aPerson = () => aPersonWith(database, { passwordHash })
const free = limits.signInFailuresFree
const everywhere = limits.signInFailuresPerAccountFree

/** Each in a block of its own. */
let networks = 0
const aNetwork = (): string => `100.${64 + (networks >> 8)}.${networks++ & 255}.1`

interface Attempt {
  email: string
  from: string
  tried?: string
  at?: typeof running
}

const signIn = ({ email, from, tried = password, at = running }: Attempt): Promise<Reply> =>
  callApi(at, 'POST', '/auth/sessions', {
    body: { email, password: tried },
    headers: { 'idempotency-key': '', 'x-forwarded-for': from },
  })

const guess = (attempt: Attempt): Promise<Reply> => signIn({ ...attempt, tried: 'a guess' })

const waitOf = (reply: Reply): number => {
  const seconds: number = assertRefused(reply, 'rate_limited').retry_after_seconds
  assert.equal(reply.headers.get('retry-after'), String(seconds))
  return seconds
}

interface Failures {
  email: string
  from: () => string
  times: number
}

/** As often as is allowed, and waits as long as is asked for. */
const failOften = async ({ email, from, times }: Failures): Promise<void> => {
  for (let i = 0; i < times; i += 1) {
    await endWaits(running)
    assertRefused(await guess({ email, from: from() }), 'unauthorized')
  }
}

test('console 2.5: after 5 failures, each further one doubles the wait of user and nobody alike', async () => {
  const { email } = await aPerson()
  for (const tried of [email, `${randomBytes(6).toString('hex')}@example.com`]) {
    const from = aNetwork()
    for (let i = 0; i < free; i += 1)
      assertRefused(await guess({ email: tried, from }), 'unauthorized')
    for (const seconds of [5, 10, 20, 40]) {
      const wait = waitOf(await signIn({ email: tried, from }))
      assert(wait <= seconds && wait > seconds / 2, `${wait} of ${seconds} s`)
      await endWaits(running)
      assertRefused(await guess({ email: tried, from }), 'unauthorized')
    }
  }
})

test('a refused attempt does not make the wait longer, and a sign-in forgets the failures', async () => {
  const { email } = await aPerson()
  const from = aNetwork()
  await failOften({ email, from: () => from, times: free + 3 })
  for (let i = 0; i < 10; i += 1) assert(waitOf(await guess({ email, from })) <= 40)
  await passTime(running, 40_000)
  assert.equal((await signIn({ email, from })).status, 201)
  for (let i = 1; i < free; i += 1) await guess({ email, from })
  assert.equal((await signIn({ email, from })).status, 201)
})

test('failures on one network make nobody wait on another one', async () => {
  const { email } = await aPerson()
  const from = aNetwork()
  await failOften({ email, from: () => from, times: free + 8 })
  waitOf(await signIn({ email, from }))
  assert.equal((await signIn({ email, from: aNetwork() })).status, 201)
})

test('failures on many networks make strangers wait, but not where the person has signed in, nor links', async () => {
  const { email, userId } = await aPerson()
  const home = aNetwork()
  assert.equal((await signIn({ email, from: home })).status, 201)
  await failOften({ email, from: aNetwork, times: everywhere + 8 })
  waitOf(await guess({ email, from: aNetwork() }))
  assert.equal((await signIn({ email, from: home })).status, 201)
  const { token: link } = await createSignInLink(database, userId)
  const headers = { 'idempotency-key': '', 'x-forwarded-for': aNetwork() }
  const byLink = await callApi(running, 'POST', '/auth/sessions', { body: { link }, headers })
  assert.equal(byLink.status, 201, byLink.text)
  await passTime(running, limits.signInWaitMaxMs)
  assert.equal((await signIn({ email, from: aNetwork() })).status, 201)
})

test('specification 8: guesses at once learn no more than one after the other, on all processes together', async () => {
  const one = aNetwork()
  const cases = [
    { from: () => one, before: free + 8 },
    { from: aNetwork, before: everywhere + 8 },
  ]
  for (const { from, before } of cases) {
    const { email } = await aPerson()
    await failOften({ email, from, times: before })
    await endWaits(running)
    const guesses = Array.from({ length: 24 }, (_, i) =>
      guess({ email, from: from(), at: i % 2 === 0 ? running : another }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [401, ...Array(23).fill(429)])
  }
})

test('what is forgotten is purged', async () => {
  await purgeSignInFailures(database, 10_000)
  const { email } = await aPerson()
  await guess({ email, from: aNetwork() })
  const rows = () => database.rows(sql`select hash from sign_in_failures`)
  assert((await rows()).length >= 4)
  await passTime(running, limits.signInNetworkKnownMs)
  assert((await purgeSignInFailures(database, 10_000)) >= 4)
  assert.deepEqual(await rows(), [])
})
