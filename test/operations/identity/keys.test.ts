/** API keys over HTTP (specification 2.3 and 5, contract 3, 4 and 11). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { Scope } from '../../../src/contract/scopes.ts'
import { keyRandomBytes, mintKey } from '../../../src/core/identity/credentials.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { changeOrganization } from '../../../src/store/identity/organizations.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { aMemberSession } from '../../support/http/example-calls.ts'
import { withoutIds, assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { type TestOrganization, aKey, anOrganization } from '../../support/fixtures.ts'
import { type TestService, startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { tablesContaining } from '../../support/database/plaintext-search.ts'

const running = await startTestService()
const proxied = await running.startAnother({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running
const admin = await anOrganization(running)

type NewKeyBody = Record<string, unknown>

const mint = (body: NewKeyBody, { session }: TestOrganization = admin): Promise<Reply> =>
  callApi(running, 'POST', '/v1/keys', {
    key: session,
    body: { name: 'Key', scopes: ['documents:read'], ...body },
  })

/** A new key's record, with its secret. */
// oxlint-disable-next-line typescript/no-explicit-any -- a response
const minted = async (body: NewKeyBody = {}, by: TestOrganization = admin): Promise<any> => {
  const reply = await mint(body, by)
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

const asAdmin = (method: string, path: string): Promise<Reply> =>
  callApi(running, method, path, { key: admin.session })
const read = (id: string) => asAdmin('GET', `/v1/keys/${id}`)
const rotate = (id: string) => asAdmin('POST', `/v1/keys/${id}/rotate`)

const me = (key: string, at: TestService = running, forwardedFor = ''): Promise<Reply> =>
  callApi(at, 'GET', '/v1/me', { key, headers: { 'x-forwarded-for': forwardedFor } })

const uuidOf = (id: string): string => decodeId('key', id)!
const hoursFromNow = (hours: number): string =>
  new Date(Date.now() + hours * 3_600_000).toISOString()

describe('contract 3: the format and the storage of keys', () => {
  test('a key is rk_test_ or rk_live_, dx1_, 43 characters and a CRC32; its prefix is the first 20', async () => {
    const live = await anOrganization(running, { mode: 'live' })
    for (const [by, form] of [
      [admin, /^rk_test_dx1_[0-9A-Za-z]{49}$/],
      [live, /^rk_live_dx1_[0-9A-Za-z]{49}$/],
    ] as const) {
      const { key, prefix, sandbox } = await minted({}, by)
      assert.match(key, form)
      assert.equal(prefix, key.slice(0, 20))
      assert.equal(sandbox, by === admin)
      const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
      let sum = 0
      for (const digit of key.slice(-6)) sum = sum * 62 + digits.indexOf(digit)
      assert.equal(sum, crc32(key.slice(0, -6)))
    }
  })

  test('the record has the fields of the contract, and no other response contains the secret', async () => {
    const { key, ...record } = await minted({ name: 'Fields' })
    assert.deepEqual(Object.keys(record).toSorted(), [
      'allowed_cidrs',
      'created_at',
      'expires_at',
      'id',
      'last_used_at',
      'name',
      'prefix',
      'revoked_at',
      'sandbox',
      'scopes',
      'status',
    ])
    assert.deepEqual((await read(record.id)).body, record)
    const list = await asAdmin('GET', '/v1/keys')
    assert.deepEqual(list.body.data[0], record)
    assert(!list.text.includes(key.slice(20)))
  })

  test('only a MAC of the whole key is stored', async () => {
    const { id, key } = await minted()
    const rows = await database.rows<{ hash: Buffer }>(sql`
      select hash from keys where id = ${uuidOf(id)}`)
    assert.deepEqual(rows[0]!.hash, database.seals.credentialMac(key))
    assert.deepEqual(await tablesContaining(database, key), [])
    assert.deepEqual(await tablesContaining(database, key.slice(20, -6)), [])
  })

  test('an altered, malformed or misplaced key gets 401, and so does an unknown one', async () => {
    const { key } = await minted()
    const { key: unknown } = mintKey('test', randomBytes(keyRandomBytes))
    const off = `${key.slice(0, 30)}${key[30] === 'a' ? 'b' : 'a'}${key.slice(31)}`
    for (const wrong of [`${key}x`, key.replace('test', 'live'), key.slice(0, 20), 'x']) {
      assert.equal(withoutIds(await me(wrong)), withoutIds(await me(off)), wrong)
    }
    assertRefused(await me(off), 'unauthorized')
    assertRefused(await me(unknown), 'unauthorized')
    for (const authorization of [
      key,
      `Basic ${key}`,
      `Bearer${key}`,
      `Bearer ${key} x`,
      'Bearer',
    ]) {
      const reply = await callApi(running, 'GET', '/v1/me', { headers: { authorization } })
      assertRefused(reply, 'unauthorized')
    }
    for (const path of [`/v1/me?api_key=${key}`, `/v1/me?access_token=${key}`]) {
      assertRefused(await callApi(running, 'GET', path), 'unauthorized')
    }
  })
})

describe('specification 5.2 and 5.5: minting keys and granting scopes', () => {
  test('a key with keys:manage may read keys but cannot mint, rotate or revoke them', async () => {
    const { key, id } = await minted({ scopes: ['keys:manage'] })
    const otherKey = await minted()
    const body = { name: 'Escalated', scopes: ['documents:read'] }
    for (const path of ['/v1/keys', `/v1/keys/${otherKey.id}/rotate`, `/v1/keys/${id}/revoke`]) {
      const reply = await callApi(running, 'POST', path, {
        key,
        body: path === '/v1/keys' ? body : {},
      })
      const details = assertRefused(reply, 'insufficient_scope')
      const expected = { required_scopes: ['admin_session'], key_scopes: ['keys:manage'] }
      assert.deepEqual(details, expected)
    }
    assert.equal((await callApi(running, 'GET', `/v1/keys/${otherKey.id}`, { key })).status, 200)
    assert.equal((await callApi(running, 'GET', '/v1/keys', { key })).status, 200)
  })

  test('a member cannot mint keys', async () => {
    const key = await aMemberSession(running, admin)
    const body = { name: 'x', scopes: ['documents:read'] }
    assertRefused(await callApi(running, 'POST', '/v1/keys', { key, body }), 'insufficient_scope')
  })

  test('5.6 a scope beyond the organization’s capabilities is stored, and intersected on every call', async () => {
    const unverified = await anOrganization(running, { verified: false })
    const scopes: Scope[] = ['documents:read', 'treasury:read']
    const { key, ...record } = await minted({ scopes }, unverified)
    assert.deepEqual(record.scopes, scopes)
    const before = (await me(key)).body
    assert.deepEqual([before.key.scopes, before.effective_scopes], [scopes, ['documents:read']])
    assert.equal(before.organization.verified, false)
    await changeOrganization(database, unverified.uuid, { verified_at: '2026-11-23T00:00:00.000Z' })
    assert.deepEqual((await me(key)).body.effective_scopes, scopes)
  })

  test('repeated scopes are merged, and unknown ones are refused', async () => {
    const twice = await minted({ scopes: ['documents:read', 'documents:read'] })
    assert.deepEqual(twice.scopes, ['documents:read'])
    assertProblems(await mint({ scopes: [] }), '/scopes out_of_range')
    const [problem] = assertProblems(
      await mint({ scopes: ['document:read'] }),
      '/scopes/0 invalid_value',
    )
    assert.match(problem!.fix!, /did you mean documents:read\?/)
  })

  test('server-owned fields are refused as read_only, unknown ones as unknown_field', async () => {
    const reply = await mint({ id: 'x', prefix: 'rk_', key: 'mine', organization: 'x' })
    const owned = ['/id', '/prefix', '/key'].map((param) => `${param} read_only`)
    assertProblems(reply, ...owned, '/organization unknown_field')
    assertProblems(await mint({ name: '' }), '/name invalid_value')
    assertProblems(await mint({ name: 'x'.repeat(101) }), '/name too_long')
  })
})

describe('specification 5.8: expires_at', () => {
  test('an expired key is refused by every process, and its status is expired', async () => {
    const { id, key } = await minted({ expires_at: '2099-01-01T01:00:00+01:00' })
    assert.equal((await read(id)).body.expires_at, '2099-01-01T00:00:00.000Z')
    assert.equal((await me(key)).status, 200)
    await runAndSeal(
      database,
      'keys',
      sql`
      update keys set expires_at = clock_timestamp() - interval '1 millisecond'
      where id = ${uuidOf(id)}`,
    )
    for (const at of [running, proxied]) assertRefused(await me(key, at), 'unauthorized')
    assert.equal((await read(id)).body.status, 'expired')
    assertRefused(await rotate(id), 'conflict', 'key_not_active')
  })

  test('a past or malformed instant is refused, and null means no expiry', async () => {
    const past = await mint({ expires_at: '2020-01-01T00:00:00Z' })
    assertProblems(past, '/expires_at out_of_range')
    for (const wrong of ['2099-01-01', '2099-01-01T00:00:00', 'never']) {
      assertProblems(await mint({ expires_at: wrong }), '/expires_at invalid_value')
    }
    assert.equal((await minted({ expires_at: null })).expires_at, null)
  })
})

describe('specification 5.9: allowed_cidrs', () => {
  const isAllowed = async (key: string, address: string): Promise<boolean> => {
    const reply = await me(key, proxied, address)
    if (reply.status !== 200) assert.deepEqual(assertRefused(reply, 'forbidden'), { address })
    return reply.status === 200
  }

  test('ranges may be IPv4 or IPv6, and a mapped address counts as IPv4', async () => {
    const { key } = await minted({ allowed_cidrs: ['203.0.113.0/25', '2001:db8:7::/48'] })
    assert.deepEqual(
      [
        await isAllowed(key, '203.0.113.127'),
        await isAllowed(key, '203.0.113.128'),
        await isAllowed(key, '2001:db8:7:ffff::1'),
        await isAllowed(key, '2001:db8:8::1'),
      ],
      [true, false, true, false],
    )
    assert.equal((await me(key, proxied, '::ffff:203.0.113.5')).status, 200)
    assert.equal((await me(key, proxied, '::ffff:cb00:7105')).status, 200)
  })

  test('a mapped range is stored as IPv4, and a single address as a range of one', async () => {
    const allowed_cidrs = ['::ffff:203.0.113.0/120', '198.51.100.7', '2001:DB8::1']
    const { key, ...record } = await minted({ allowed_cidrs })
    assert.deepEqual(record.allowed_cidrs, ['203.0.113.0/24', '198.51.100.7/32', '2001:db8::1/128'])
    assert.equal(await isAllowed(key, '203.0.113.5'), true)
  })

  test('a stored range that cannot be read opens the key to nobody', async () => {
    const { key, id } = await minted({ allowed_cidrs: ['203.0.113.0/24'] })
    const unreadable = { allowed_cidrs: ['203.0.113.0/33'] }
    await changeSealedRows(database, 'keys', sql`t.id = ${uuidOf(id)}`, () => unreadable)
    assert.equal(await isAllowed(key, '203.0.113.9'), false)
  })

  test('contract 3: the right-most untrusted X-Forwarded-For entry counts, only behind a trusted proxy', async () => {
    const { key } = await minted({ allowed_cidrs: ['203.0.113.0/24'] })
    assert.equal((await me(key, proxied, '203.0.113.9, 198.51.100.1')).status, 403)
    assert.equal((await me(key, proxied, '198.51.100.1, 203.0.113.9')).status, 200)
    assert.equal((await me(key, proxied, 'nonsense, 203.0.113.9')).status, 200)
    assert.equal((await me(key, proxied, '203.0.113.9, nonsense')).status, 403)
    assert.equal((await me(key, proxied)).status, 403)
    const direct = assertRefused(await me(key, running, '203.0.113.9'), 'forbidden')
    assert.deepEqual(direct, { address: '127.0.0.1' }, 'no proxy is trusted by default')
  })

  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.family === 'IPv6')
  test('a dual-stack listener sees IPv4 callers as IPv4', { skip: !hasIpv6 }, async () => {
    const dual = await running.startAnother({ HOST: '::' })
    const { key } = await minted({ allowed_cidrs: ['127.0.0.0/8'] })
    assert.equal((await me(key, dual)).status, 200)
  })

  test('no ranges mean any address, at most 20 are accepted, and host bits are refused', async () => {
    for (const allowed_cidrs of [undefined, null, []]) {
      const { key, ...record } = await minted({ allowed_cidrs })
      assert.deepEqual(record.allowed_cidrs, [])
      assert.equal(await isAllowed(key, '192.0.2.1'), true)
    }
    const ranges = Array.from({ length: 21 }, (_, i) => `10.${i}.0.0/16`)
    assert.equal((await minted({ allowed_cidrs: ranges.slice(1) })).allowed_cidrs.length, 20)
    assertProblems(await mint({ allowed_cidrs: ranges }), '/allowed_cidrs out_of_range')
    const wrong = [
      '10.0.0.1/8',
      '10.0.0.0/33',
      '10.0.0.0/08',
      '010.0.0.0/8',
      'fe80::1%eth0',
      'home',
    ]
    const problems = wrong.map((_, i) => `/allowed_cidrs/${i} invalid_value`)
    assertProblems(await mint({ allowed_cidrs: wrong }), ...problems)
  })
})

test('contract 3: last_used_at is written off the request path, at shutdown at the latest', async () => {
  const { secret, keyId } = await aKey(running, admin, ['documents:read'])
  assert.equal((await read(keyId)).body.last_used_at, null)
  const process = await running.startAnother()
  const before = hoursFromNow(0)
  assert.equal((await me(secret, process)).status, 200)
  const after = hoursFromNow(0)
  await until('the clock advances', () => hoursFromNow(0) > after)
  await process.service.stop()
  const { last_used_at } = (await read(keyId)).body
  assert(last_used_at >= before && last_used_at <= after, last_used_at)
})
