/** Rotation, revocation and limits of keys (specification 3, 5.7, 5.10 and 5.11, contract 11). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aPair, anInvoice, anOrganization, move } from '../../support/fixtures.ts'
import { type TestService, startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const second = await running.startAnother()
const { database } = running
const pair = await aPair(running)
const admin = pair.counterparty

const asAdmin = (method: string, path: string, body?: unknown, at: TestService = running) =>
  callApi(at, method, path, { key: admin.session, ...(body === undefined ? {} : { body }) })

const mint = (body: Record<string, unknown>): Promise<Reply> =>
  asAdmin('POST', '/v1/keys', { name: 'Key', scopes: ['documents:read'], ...body })

// oxlint-disable-next-line typescript/no-explicit-any -- a response
const minted = async (body: Record<string, unknown> = {}): Promise<any> => {
  const reply = await mint(body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

const read = (id: string) => asAdmin('GET', `/v1/keys/${id}`)
const rotate = (id: string, at = running) => asAdmin('POST', `/v1/keys/${id}/rotate`, undefined, at)
const revoke = (id: string, at = running) => asAdmin('POST', `/v1/keys/${id}/revoke`, undefined, at)
const me = (key: string, at: TestService = running) => callApi(at, 'GET', '/v1/me', { key })

const works = async (key: string): Promise<boolean> => {
  const replies = [await me(key), await me(key, second)]
  const statuses = replies.map(({ status }) => status)
  assert.equal(new Set(statuses).size, 1, 'every process agrees')
  if (statuses[0] !== 200) for (const reply of replies) assertRefused(reply, 'unauthorized')
  return statuses[0] === 200
}

/** Moves the expiry of a key into the past. */
const endGrace = (id: string) =>
  runAndSeal(
    database,
    'keys',
    sql`
    update keys set expires_at = clock_timestamp() - interval '1 millisecond'
    where id = ${decodeId('key', id)!}`,
  )

describe('specification 5.10: rotation', () => {
  const newKeyBody = {
    name: 'Paying agent',
    scopes: ['documents:read', 'documents:write', 'payments:write'],
    allowed_cidrs: ['127.0.0.0/8'],
    payment_limits: { max_per_payment: 250.5, daily_volume: 1000 },
    expires_at: '2099-01-01T00:00:00.000Z',
  }

  test('the new key keeps name, scopes, ranges, limits and expiry, and each key names the other', async () => {
    const old = await minted(newKeyBody)
    const before = Date.now()
    const reply = await rotate(old.id)
    assert.equal(reply.status, 200, reply.text)
    const { key, previous, rotated_from_id, ...record } = reply.body
    for (const field of Object.keys(newKeyBody)) assert.deepEqual(record[field], old[field], field)
    assert.notEqual(key, old.key)
    assert.equal(record.prefix, key.slice(0, 20))
    assert.equal(rotated_from_id, old.id)
    const { expires_at, ...named } = previous
    assert.deepEqual(named, { id: old.id, prefix: old.prefix, rotated_to_id: record.id })
    const graceHours = (Date.parse(expires_at) - before) / 3_600_000
    assert(graceHours > 23.99 && graceHours < 24.01, expires_at)

    const replaced = (await read(old.id)).body
    assert.deepEqual(
      [replaced.status, replaced.expires_at, replaced.rotated_to_id],
      ['rotating', expires_at, record.id],
    )
    assert.deepEqual((await read(record.id)).body, { ...record, rotated_from_id })
    assert.equal(record.status, 'active')
  })

  test('both keys work during the grace period, after which only the new one works', async () => {
    const old = await minted()
    const { key } = (await rotate(old.id)).body
    assert.deepEqual([await works(old.key), await works(key)], [true, true])
    await endGrace(old.id)
    assert.deepEqual([await works(old.key), await works(key)], [false, true])
    assert.equal((await read(old.id)).body.status, 'expired')
  })

  test('KEY_ROTATION_GRACE=0s ends the old key at once', async () => {
    const withoutGrace = await running.startAnother({ KEY_ROTATION_GRACE: '0s' })
    const old = await minted()
    const { key } = (await rotate(old.id, withoutGrace)).body
    assert.deepEqual([await works(old.key), await works(key)], [false, true])
  })

  test('contract 11: a key that expires within the grace period keeps its expiry', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const old = await minted({ expires_at: soon })
    const { previous, expires_at } = (await rotate(old.id)).body
    assert.deepEqual([previous.expires_at, expires_at], [soon, soon])
  })

  test('contract 11: only an active key can be rotated', async () => {
    const [rotated, revoked, expired] = [await minted(), await minted(), await minted()]
    await rotate(rotated.id)
    await revoke(revoked.id)
    await endGrace(expired.id)
    for (const { id } of [rotated, revoked, expired]) {
      assertRefused(await rotate(id), 'conflict', 'key_not_active')
    }
  })

  test('exactly one of ten concurrent rotations succeeds', async () => {
    const { id } = await minted()
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => rotate(id, i % 2 === 0 ? running : second)),
    )
    const won = replies.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    for (const reply of replies) {
      if (reply.status !== 200) assertRefused(reply, 'conflict', 'key_not_active')
    }
    assert.equal((await read(id)).body.rotated_to_id, won[0]!.body.id)
  })

  test('contract 5.1: a write retried with the new key does not run twice', async () => {
    const { id } = await anInvoice(running, pair)
    const old = await minted({ scopes: ['documents:write'] })
    const { key } = (await rotate(old.id)).body
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const approve = (secret: string) =>
      callApi(running, 'POST', `/v1/documents/${id}/transition`, {
        key: secret,
        body: { to: 'approved' },
        headers,
      })
    const [first, retry] = [await approve(old.key), await approve(key)]
    assert.deepEqual([first.status, retry.text], [200, first.text])
    assert.equal(retry.headers.get('idempotent-replay'), 'true')
  })
})

describe('specification 5.11: revocation', () => {
  test('a revoked key is refused at once by every process, and its record says when it was revoked', async () => {
    const { id, key } = await minted()
    assert(await works(key))
    const { status, body } = await revoke(id)
    assert.deepEqual([status, body.status], [200, 'revoked'])
    assert(Math.abs(Date.parse(body.revoked_at) - Date.now()) < 60_000)
    assert.equal(await works(key), false)
  })

  test('a second revocation answers the same record', async () => {
    const { id } = await minted()
    const first = await revoke(id)
    for (const at of [running, second]) {
      const again = await revoke(id, at)
      assert.deepEqual([again.status, again.text], [200, first.text])
      assert.equal(again.headers.get('idempotent-replay'), null)
    }
    assert.equal((await read(id)).text, first.text)
  })

  test('revoking the old key ends its grace period, while revoking the new key does not', async () => {
    const [one, other] = [await minted(), await minted()]
    const [newOne, newOther] = [(await rotate(one.id)).body, (await rotate(other.id)).body]
    await revoke(one.id)
    await revoke(newOther.id)
    assert.deepEqual([await works(one.key), await works(newOne.key)], [false, true])
    assert.deepEqual([await works(other.key), await works(newOther.key)], [true, false])
  })

  test('a suspended organization’s keys and sessions are refused', async () => {
    const suspended = await anOrganization(running)
    await runAndSeal(
      database,
      'organizations',
      sql`
      update organizations set suspended_at = clock_timestamp() where id = ${suspended.uuid}`,
    )
    assert.equal(await works(suspended.key), false)
    assert.equal(await works(suspended.session), false)
  })
})

describe('specification 5.7: payment_limits', () => {
  const scopes = ['documents:write', 'payments:write']

  test('limits are set at mint and shown on the key and in /v1/me, with null for no limit', async () => {
    for (const [payment_limits, shown] of [
      [
        { max_per_payment: 99.99, daily_volume: 1000 },
        { max_per_payment: 99.99, daily_volume: 1000 },
      ],
      [{ max_per_payment: 0.01 }, { max_per_payment: 0.01, daily_volume: null }],
      [{ daily_volume: 999999999999.99 }, { max_per_payment: null, daily_volume: 999999999999.99 }],
      [undefined, { max_per_payment: null, daily_volume: null }],
    ]) {
      const { id, key, ...record } = await minted({ scopes, payment_limits })
      assert.deepEqual(record.payment_limits, shown)
      assert.deepEqual((await read(id)).body.payment_limits, shown)
      const { daily_volume_left: left, quotas, ...limits } = (await me(key)).body.limits
      assert(quotas.length > 0)
      assert.deepEqual(limits, shown)
      assert.equal(left === null, shown?.daily_volume == null)
    }
  })

  test('a key without payments:write has no payment limits and cannot be given any', async () => {
    const reply = await mint({ payment_limits: { max_per_payment: 1 } })
    assertProblems(reply, '/payment_limits invalid_value')
    const { key, ...record } = await minted()
    assert.equal('payment_limits' in record, false)
    const { quotas, ...limits } = (await me(key)).body.limits
    assert(quotas.length > 0)
    assert.deepEqual(Object.values(limits), [null, null, null])
  })

  test('a limit is an amount above 0 with at most 2 decimals', async () => {
    for (const [value, code] of [
      [0, 'out_of_range'],
      [-1, 'out_of_range'],
      [1_000_000_000_000, 'out_of_range'],
      [0.001, 'too_precise'],
      [10.123, 'too_precise'],
      ['10', 'wrong_type'],
    ] as const) {
      const reply = await mint({ scopes, payment_limits: { max_per_payment: value } })
      assertProblems(reply, `/payment_limits/max_per_payment ${code}`)
    }
    const large = await mint({ scopes, payment_limits: { max_per_payment: 1e15 } })
    const [problem] = assertProblems(large, '/payment_limits/max_per_payment out_of_range')
    assert.equal(problem!.message, 'Must be from 0.01 to 999999999999.99.')
    assert.equal(problem!.fix, 'send an amount from 0.01 to 999999999999.99, or null for no limit')
    const unknown = await mint({ scopes, payment_limits: { max_per_pay: 1 } })
    assertProblems(unknown, '/payment_limits/max_per_pay unknown_field')
  })

  test('a key without payments:write does not see the transitions that pay', async () => {
    const { id } = await anInvoice(running, pair)
    assert.equal((await move(running, admin.key, id, 'approved')).status, 200)
    const { key } = await minted()
    const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
    assert.deepEqual(body.allowed_transitions, ['disputed'])
  })
})
