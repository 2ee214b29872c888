/** Rate limits (specification 8, contract 12): whose requests count together, and at what cost. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { openRateLimits } from '../../src/http/admission/rate-limits.ts'
import { rateLimitsOf } from '../../src/startup/rate-limit-setting.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { aKey, anOrganization } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMITS: 'sec=1000,min=4,org_sec=100000,org_min=10',
})

const get = (path: string, key?: string, address = '203.0.113.7'): Promise<Reply> =>
  callApi(running, 'GET', path, {
    headers: { 'x-forwarded-for': address },
    ...(key === undefined ? {} : { key }),
  })

const statusesOf = async (calls: readonly Promise<Reply>[]): Promise<number[]> =>
  (await Promise.all(calls)).map(({ status }) => status)

describe('contract 12: windows of an organization', () => {
  test('more keys admit no more, and the refusal names the window org', async () => {
    const organization = await anOrganization(running)
    const keys = [organization.key]
    for (const _ of [1, 2]) keys.push((await aKey(running, organization, [])).secret)
    const [first, second, third] = keys as [string, string, string]
    for (const key of [first, first, first, first, second, second, second, second]) {
      assert.equal((await get('/v1/me', key)).status, 200)
    }
    const ninth = await get('/v1/me', third)
    assert.equal(ninth.headers.get('ratelimit-policy'), '"sec";q=1000;w=1,"org";q=10;w=60')
    assert.match(ninth.headers.get('ratelimit')!, /^"sec";r=999;t=1,"org";r=1;t=\d+$/)
    assert.equal((await get('/v1/me', third)).status, 200)
    const refused = await get('/v1/me', third)
    assert.equal(refused.headers.get('ratelimit-policy'), '"sec";q=1000;w=1,"org";q=10;w=60')
    const { retry_after_seconds: _, ...details } = refused.body.error.details
    assert.equal(refused.status, 429)
    assert.deepEqual(details, { policy: 'org', limit: 10, window_seconds: 60 })
    assert.equal(refused.headers.get('retry-after'), String(_))

    // A window of its own: who manages the keys is not locked out by them.
    assert.equal((await get('/v1/me', organization.session)).status, 200)
    const other = await anOrganization(running)
    assert.equal((await get('/v1/me', other.key)).status, 200)
  })

  test('what is refused for one key costs the others nothing', async () => {
    const organization = await anOrganization(running)
    const { secret } = await aKey(running, organization, [])
    const noisy = await statusesOf(
      Array.from({ length: 30 }, () => get('/v1/me', organization.key)),
    )
    assert.equal(noisy.filter((status) => status === 200).length, 4)
    const quiet = await get('/v1/me', secret)
    assert.match(quiet.headers.get('ratelimit')!, /"min";r=3;/)
  })

  test('an ordinary response shows the limits of its key alone', async () => {
    const { key } = await anOrganization(running)
    const reply = await get('/v1/me', key)
    assert.equal(reply.headers.get('ratelimit-policy'), '"sec";q=1000;w=1,"min";q=4;w=60')
    assert.match(reply.headers.get('ratelimit')!, /^"sec";r=999;t=1,"min";r=3;t=\d+$/)
  })
})

test('an IPv6 /64 is counted as one address, and another one by itself', async () => {
  const path = '/v1/enablement'
  const same = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::', '2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::']
  for (const address of same) assert.equal((await get(path, undefined, address)).status, 200)
  assertRefusedMinute(await get(path, undefined, '2001:db8:1:2::99'))
  assert.equal((await get(path, undefined, '2001:db8:1:3::1')).status, 200)
  // An IPv4 address in IPv6 form is that IPv4 address.
  for (let i = 0; i < 4; i += 1) await get(path, undefined, '203.0.113.99')
  assertRefusedMinute(await get(path, undefined, '::ffff:203.0.113.99'))
  assert.equal((await get(path, undefined, '203.0.113.98')).status, 200)
})

const assertRefusedMinute = (reply: Reply): void => {
  assert.equal(assertRefused(reply, 'rate_limited').policy, 'min')
}

test('X-Forwarded-For of a peer that is no proxy neither counts nor is kept', async () => {
  const direct = await running.startAnother({ TRUSTED_PROXIES: '', RATE_LIMITS: 'min=4' })
  const statuses: number[] = []
  for (let i = 0; i < 6; i += 1) {
    const headers = { 'x-forwarded-for': `203.0.113.${i}` }
    statuses.push((await callApi(direct, 'GET', '/v1/enablement', { headers })).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429])
})

test('a window that begins has as many seconds left as it is long, at any time', () => {
  for (let i = 0; i < 1_000; i += 1) {
    const rateLimits = openRateLimits(rateLimitsOf({}), () => 1_000 + i * 17.123456789)
    assert.equal(rateLimits.count('key', 'key', 'org').header, '"sec";r=99;t=1,"min";r=2999;t=60')
  }
})

describe('many callers', () => {
  const settings = rateLimitsOf({ RATE_LIMITS: 'min=2' })
  const flood = (rateLimits: ReturnType<typeof openRateLimits>, from: number, count: number) => {
    for (let i = from; i < from + count; i += 1) rateLimits.count('address', `address ${i}`)
  }

  test('the least recently used windows make room, and those in use stay', () => {
    const rateLimits = openRateLimits(settings, () => 0)
    for (const _ of [1, 2, 3]) rateLimits.count('address', 'noisy')
    const half = limits.rateWindowsMax / 2
    flood(rateLimits, 0, half)
    assert(rateLimits.count('address', 'noisy').refusal, 'its window is still full')
    flood(rateLimits, half, half + 1)
    assert(rateLimits.count('address', 'noisy').refusal, 'using it has kept it')
    assert.match(rateLimits.count('address', 'address 0').header, /"min";r=1;/, 'dropped, so fresh')
    flood(rateLimits, 2 * half, 2 * half)
    assert.equal(rateLimits.count('address', 'noisy').refusal, undefined, 'as many others since')
    for (const _ of [1, 2, 3]) rateLimits.count('key', 'key')
    flood(rateLimits, 4 * half, 2 * half)
    assert(rateLimits.count('key', 'key').refusal, 'addresses displace no keys')
  })

  test('a new caller costs the same when there are many', () => {
    const chunk = 5_000
    const costs = [0, 1, 2].map(() => {
      const rateLimits = openRateLimits(settings, () => 0)
      const cpuMsOf = (from: number): number => {
        const before = process.cpuUsage()
        flood(rateLimits, from, chunk)
        const { user, system } = process.cpuUsage(before)
        return (user + system) / 1_000
      }
      const few = cpuMsOf(0)
      flood(rateLimits, chunk, 3 * limits.rateWindowsMax)
      return { few, many: cpuMsOf(10 * limits.rateWindowsMax) }
    })
    const least = (which: 'few' | 'many') => Math.min(...costs.map((cost) => cost[which]))
    // A sweep of 20,000 windows for each new one took 9 ms: 45 s for these.
    assert(least('many') < 10 * least('few') + 50, JSON.stringify(costs))
  })
})
