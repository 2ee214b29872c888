/** RFC 8628, console 2.5: a person approves the sign-in of a program in a browser. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { startDeviceCode } from '../../../src/changes/identity/device-codes.ts'
import {
  checkUserCodeGuesses,
  recordWrongUserCode,
} from '../../../src/changes/identity/user-code-guesses.ts'
import { identityLimits as limits } from '../../../src/contract/identity-limits.ts'
import { sealedRows } from '../../../src/database/sealed-rows.ts'
import { type Queryable, sql } from '../../../src/database/sql.ts'
import { inRolledBackTransaction } from '../../../src/database/transactions.ts'
import { purgeDeviceCodes } from '../../../src/store/identity/device-codes.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import {
  aDevice,
  anAddress,
  anApprovedDevice,
  decide,
  deviceWorld,
  pollDevice,
  startDevice,
} from '../../support/identity/device-codes.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running

const lifetimeMs = limits.deviceCodeLifetimeMs

const { aBrowser, passTime } = deviceWorld(running)

const reasonOf = (reply: Reply): string => assertRefused(reply, 'conflict').reason

describe('RFC 8628 3.2: the codes', () => {
  test('the program gets both codes, the address of the page, and how often it may poll', async () => {
    const reply = await startDevice(running, anAddress())
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    const { device_code, user_code, ...rest } = reply.body
    assert.match(device_code, /^dc_[0-9A-Za-z_-]{32}$/)
    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    const page = `${running.service.context.config.baseUrl}/app/device`
    assert.deepEqual(rest, {
      verification_uri: page,
      expires_in: 600,
      interval: 5,
      verification_uri_complete: `${page}?user_code=${user_code}`,
    })
  })

  test('RFC 8628 3.1 and 3.4: what its clients send is accepted, and no other grant', async () => {
    const start = { client_id: 'erp', scope: 'documents:read' }
    const started = await callApi(running, 'POST', '/auth/device', {
      body: start,
      headers: anAddress(),
    })
    assert.equal(started.status, 200, started.text)
    const { device_code } = started.body
    const poll = (grant_type: string): Promise<Reply> =>
      callApi(running, 'POST', '/auth/device/token', {
        body: { grant_type, device_code, client_id: 'erp' },
      })
    const grant = 'urn:ietf:params:oauth:grant-type:device_code'
    assert.equal(reasonOf(await poll(grant)), 'authorization_pending')
    const [problem] = assertProblems(await poll('password'), '/grant_type invalid_value')
    assert.equal(problem!.message, '"password" is not known.')
    assert.match(problem!.fix!, /^send urn:ietf:params:oauth:grant-type:device_code/)
  })

  test('neither code is stored, only keyed hashes of them', async () => {
    const { device_code, user_code } = await aDevice(running, anAddress())
    const rows = await database.rows<{ text: string }>(
      sql`select d::text as text from device_codes d`,
    )
    const stored = rows.map(({ text }) => text).join()
    for (const secret of [device_code, user_code, user_code.replace('-', '')]) {
      assert(!stored.includes(secret))
      assert(!stored.includes(Buffer.from(secret).toString('hex')))
    }
  })

  test('a network has a bounded number of codes at the same time, of any of its addresses', async () => {
    const network = `2001:db8:${randomInt(0xffff).toString(16)}:1`
    const from = (host: number) => ({ 'x-forwarded-for': `${network}::${host.toString(16)}` })
    const starts = Array.from({ length: limits.deviceCodesPerNetworkMax + 3 }, (_, i) =>
      startDevice(running, from(i + 1)),
    )
    const statuses = (await Promise.all(starts)).map(({ status }) => status)
    const count = (status: number) => statuses.filter((one) => one === status).length
    assert.deepEqual([count(200), count(429)], [limits.deviceCodesPerNetworkMax, 3])
    const details = assertRefused(await startDevice(running, from(99)), 'rate_limited')
    assert.equal(details.policy, 'device_codes')
    assert.equal((await startDevice(running, anAddress())).status, 200, 'others are not affected')
    await passTime(lifetimeMs)
    assert.equal((await startDevice(running, from(1))).status, 200)
  })

  test('so has the block around it: one holder of many networks leaves codes for others', async () => {
    const block = `2001:db8:${randomInt(0xffff).toString(16)}`
    const from = (network: number) => ({ 'x-forwarded-for': `${block}:${network.toString(16)}::1` })
    for (let i = 0; i < limits.deviceCodesPerBlockMax; i += 1) {
      assert.equal((await startDevice(running, from(i))).status, 200)
    }
    const further = from(limits.deviceCodesPerBlockMax)
    const details = assertRefused(await startDevice(running, further), 'rate_limited')
    assert.equal(details.limit, limits.deviceCodesPerBlockMax)
    assert.equal((await startDevice(running, anAddress())).status, 200, 'others are not affected')
    await passTime(lifetimeMs)
    assert.equal((await startDevice(running, further)).status, 200)
  })

  test('a caller without an address, or with one that has a zone, is in no block', async () => {
    const start = (tx: Queryable, address: string) =>
      startDeviceCode(tx, { address, user_agent: null })
    const among = async (tx: Queryable) => {
      for (const address of ['', 'fe80::1%eth0', 'fe80::2', '']) await start(tx, address)
    }
    await inRolledBackTransaction(database, among)
  })

  test('all networks together have a bounded number of codes', async () => {
    const start = (tx: Queryable) =>
      startDeviceCode(tx, { address: '203.0.113.9', user_agent: null })
    const fill = async (tx: Queryable) => {
      await tx.run(sql`delete from device_codes`)
      await tx.run(sql`
        insert into device_codes (hash, user_hash, status, address, network, created_at,
          expires_at, interval_seconds, seal)
        select sha256(n::text::bytea), sha256(n::text::bytea), 'pending', '',
          host('10.0.0.0'::inet + n), now(),
          now() + interval '1 minute', 5, '' from generate_series(2, ${limits.deviceCodesMax}) n`)
      await start(tx)
      await assert.rejects(start(tx), { code: 'rate_limited', message: /^10000 codes in all/ })
    }
    await inRolledBackTransaction(database, fill)
  })
})

describe('RFC 8628 3.5: the polls', () => {
  test('before a decision: authorization_pending; too early: slow_down, and five seconds more', async () => {
    const { device_code } = await aDevice(running, anAddress())
    const first = assertRefused(await pollDevice(running, device_code), 'conflict')
    assert.deepEqual(first, { reason: 'authorization_pending', interval: 5 })
    const early = assertRefused(await pollDevice(running, device_code), 'conflict')
    assert.deepEqual(early, { reason: 'slow_down', interval: 10 })
    await passTime(6_000)
    const again = assertRefused(await pollDevice(running, device_code), 'conflict')
    assert.deepEqual(again, { reason: 'slow_down', interval: 15 }, 'the interval has grown')
    await passTime(15_000)
    const later = assertRefused(await pollDevice(running, device_code), 'conflict')
    assert.deepEqual(later, { reason: 'authorization_pending', interval: 15 })
  })

  test('an unknown, a malformed and an expired code get the same bytes: expired_token', async () => {
    const { device_code } = await aDevice(running, anAddress())
    await passTime(lifetimeMs)
    const codes = [device_code, `dc_${'x'.repeat(32)}`, 'nonsense']
    const replies = await Promise.all(codes.map((code) => pollDevice(running, code)))
    const texts = replies.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'REQ')}`)
    assert.equal(reasonOf(replies[0]!), 'expired_token')
    assert.deepEqual(texts, Array(texts.length).fill(texts[0]))
  })

  test('a code that was denied: access_denied', async () => {
    const { key } = await aBrowser()
    const { device_code, user_code } = await aDevice(running, anAddress())
    await decide(running, key, 'claim', { user_code })
    const denied = await decide(running, key, 'deny', { user_code })
    assert.deepEqual([denied.status, denied.body.status], [200, 'denied'])
    assert.equal(reasonOf(await pollDevice(running, device_code)), 'access_denied')
    const late = await decide(running, key, 'approve', { user_code })
    assert.equal(reasonOf(late), 'already_decided')
  })

  test('an approved code gets one session, also when five polls come at once', async () => {
    const { key } = await aBrowser()
    const other = await running.startAnother()
    const { device_code } = await anApprovedDevice(running, key)
    const polls = [running, other, running, other, running].map((one) =>
      pollDevice(one, device_code),
    )
    const replies = await Promise.all(polls)
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted(),
      [201, 409, 409, 409, 409],
      replies.map(({ text }) => text).join(),
    )
    assert.equal(reasonOf(await pollDevice(running, device_code)), 'expired_token')
  })
})

describe('CVE-2026-45337: only the sign-in that has claimed a code decides on it', () => {
  test('a code that nobody has claimed can be neither approved nor denied', async () => {
    const { key } = await aBrowser()
    const { user_code } = await aDevice(running, anAddress())
    for (const step of ['approve', 'deny'] as const) {
      assert.equal(reasonOf(await decide(running, key, step, { user_code })), 'not_claimed')
    }
  })

  test('another person, and another sign-in of the same person, cannot decide or claim it', async () => {
    const owner = await aBrowser()
    const second: string = (await owner.signIn({ client: 'browser' })).body.token
    const stranger = await aBrowser()
    const { device_code, user_code } = await aDevice(running, anAddress())
    assert.equal((await decide(running, owner.key, 'claim', { user_code })).status, 200)
    for (const key of [stranger.key, second]) {
      for (const step of ['claim', 'approve', 'deny'] as const) {
        const refused = await decide(running, key, step, { user_code })
        assert.equal(reasonOf(refused), 'claimed_elsewhere', step)
      }
    }
    assert.equal(reasonOf(await pollDevice(running, device_code)), 'authorization_pending')
    assert.equal((await decide(running, owner.key, 'approve', { user_code })).status, 200)
  })

  test('of two that claim it at once, one has it', async () => {
    const people = [await aBrowser(), await aBrowser(), await aBrowser()]
    const { user_code } = await aDevice(running, anAddress())
    const claims = people.map(({ key }) => decide(running, key, 'claim', { user_code }))
    const statuses = (await Promise.all(claims)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 409, 409])
  })

  test('the next token of the same browser still decides, and a claim can be repeated', async () => {
    const { key, refresh } = await aBrowser()
    const { user_code } = await aDevice(running, anAddress())
    const claims = [key, key].map((one) => decide(running, one, 'claim', { user_code }))
    for (const { status, text } of await Promise.all(claims)) assert.equal(status, 200, text)
    const next: string = (await refresh()).body.token
    assert.notEqual(next, key)
    const approved = await decide(running, next, 'approve', { user_code })
    assert.equal(approved.status, 200, approved.text)
  })
})

describe('RFC 8628 5.1: guessing', () => {
  test('ten codes that do not exist make a person wait, for any code', async () => {
    const { key } = await aBrowser()
    const { user_code } = await aDevice(running, anAddress())
    for (let guess = 0; guess < limits.wrongUserCodesMax; guess += 1) {
      const wrong = await decide(running, key, 'claim', { user_code: 'BBBB-BBBB' })
      const details = assertRefused(wrong, 'not_found')
      assert.deepEqual([details.resource, details.id], ['device_code', 'BBBB-BBBB'])
    }
    for (const step of ['claim', 'approve', 'deny'] as const) {
      const details = assertRefused(await decide(running, key, step, { user_code }), 'rate_limited')
      assert.equal(details.policy, 'user_codes')
    }
    const other = await aBrowser()
    assert.equal((await decide(running, other.key, 'claim', { user_code })).status, 200)
  })

  test('thirty that do not exist make everybody on their network wait', () => {
    const guess = (user: number, network = 'a') => ({
      user: `user ${user}`,
      address: `2001:db8:${network}::${user}`,
    })
    for (let user = 1; user <= limits.wrongUserCodesPerNetworkMax; user += 1) {
      checkUserCodeGuesses(guess(user))
      recordWrongUserCode(guess(user))
    }
    assert.throws(() => checkUserCodeGuesses(guess(99)), { code: 'rate_limited' })
    checkUserCodeGuesses(guess(99, 'b'))
  })

  test('an expired code does not exist any more', async () => {
    const { key } = await aBrowser()
    const { user_code } = await aDevice(running, anAddress())
    await passTime(lifetimeMs)
    assertRefused(await decide(running, key, 'claim', { user_code }), 'not_found')
  })
})

test('malformed bodies are refused with their fields', async () => {
  const { key } = await aBrowser()
  const poll = await callApi(running, 'POST', '/auth/device/token', { body: {} })
  assertProblems(poll, '/device_code required')
  const claim = await callApi(running, 'POST', '/auth/device/claim', { key, body: {} })
  assertProblems(claim, '/user_code required')
})

test('expired codes are purged', async () => {
  const { device_code } = await aDevice(running, anAddress())
  await passTime(lifetimeMs)
  await purgeDeviceCodes(database, 1_000)
  const rows = await sealedRows(
    database,
    'device_codes',
    sql`where t.expires_at < clock_timestamp()`,
  )
  assert.deepEqual(rows, [])
  assert.equal(reasonOf(await pollDevice(running, device_code)), 'expired_token')
})
