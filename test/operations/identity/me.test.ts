/** GET /v1/me: the remaining payment limits and sandbox quotas (contract 4 and 11). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { currencies } from '../../../src/contract/currencies.ts'
import { quotaDefinitions } from '../../../src/contract/quotas.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { type TestOrganization, aKey, aPair, move } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const payer = pair.counterparty

const me = async (key: string, at = running) => {
  const { status, text, body } = await callApi(at, 'GET', '/v1/me', { key })
  assert.equal(status, 200, text)
  return body
}

const aPayingKey = async (payment_limits: object): Promise<{ id: string; key: string }> => {
  const scopes = ['documents:read', 'documents:write', 'payments:write']
  const body = { name: 'Payer', scopes, payment_limits }
  return (await callApi(running, 'POST', '/v1/keys', { key: payer.session, body })).body
}

/** The used and the remaining daily volume, by currency. */
const volumes = async (key: string) => {
  const { daily_volume_left: left } = (await me(key)).limits
  return Object.fromEntries(
    left.map((row: { currency: string; used: number; left: number }) => [
      row.currency,
      [row.used, row.left],
    ]),
  )
}

const tomorrow = (): string => `${inDays(1)}T00:00:00.000Z`

describe('contract 4: me shows the remaining payment limits', () => {
  test('the daily volume is counted per currency and carried over by a rotation', async () => {
    const { id, key } = await aPayingKey({ daily_volume: 3000.5 })
    const { limits } = await me(key)
    assert.deepEqual(
      limits.daily_volume_left,
      currencies.map((currency) => ({ currency, used: 0, left: 3000.5, resets_at: tomorrow() })),
    )
    const { id: dollars, balance_due } = await anApprovedInvoice(running, pair)
    const euros = await anApprovedInvoice(running, pair, { currency: 'EUR' })
    for (const invoice of [dollars, euros.id]) {
      assert.equal((await pay(running, key, invoice)).status, 200)
    }
    const spent = [balance_due, 3000.5 - balance_due]
    const expected = { USD: spent, EUR: spent, GBP: [0, 3000.5], CAD: [0, 3000.5] }
    assert.deepEqual(await volumes(key), expected)
    const rotated = await callApi(running, 'POST', `/v1/keys/${id}/rotate`, { key: payer.session })
    assert.deepEqual(await volumes(rotated.body.key), expected)

    const usedToday = async (path: string, reader: string) => {
      const { body } = await callApi(running, 'GET', path, { key: reader })
      return (body.data?.find((row: { id: string }) => row.id === id) ?? body).used_today
    }
    const [used, left] = spent
    const used_today = ['USD', 'EUR'].map((currency) => ({
      currency,
      used,
      left,
      resets_at: tomorrow(),
    }))
    const paths = [`/v1/keys/${id}`, `/v1/keys/${rotated.body.id}`, '/v1/keys']
    for (const path of paths) assert.deepEqual(await usedToday(path, payer.session), used_today)
    const { secret } = await aKey(running, payer, ['keys:manage'])
    for (const path of paths) assert.equal(await usedToday(path, secret), undefined)
  })

  test('a failed payment restores its volume, and a scheduled one counts on its own day', async () => {
    const { key } = await aPayingKey({ daily_volume: 3000 })
    const scheduled_for = inDays(3)
    const { id: later } = await anApprovedInvoice(running, pair)
    const scheduled = await move(running, key, later, 'payment_scheduled', { scheduled_for })
    assert.equal(scheduled.status, 200, scheduled.text)
    assert.deepEqual((await volumes(key)).USD, [0, 3000])
    const { id, balance_due } = await anApprovedInvoice(running, pair)
    const body = { source_account_id: 'acct_test_stuck' }
    const { payment } = (await pay(running, key, id, { body })).body
    assert.deepEqual((await volumes(key)).USD, [balance_due, 3000 - balance_due])
    const failed = await callApi(running, 'POST', `/v1/sandbox/payments/${payment.id}/simulate`, {
      key,
      body: { outcome: 'fail' },
    })
    assert.equal(failed.status, 200, failed.text)
    assert.deepEqual((await volumes(key)).USD, [0, 3000])
  })

  test('a caller without a daily volume or without payments:write has no remaining volume', async () => {
    const { key } = await aPayingKey({ max_per_payment: 10 })
    const { limits } = await me(key)
    assert.deepEqual([limits.max_per_payment, limits.daily_volume_left], [10, null])
    const { secret } = await aKey(running, payer, ['documents:read'])
    for (const caller of [secret, payer.session]) {
      const { quotas, ...payments } = (await me(caller)).limits
      const none = { max_per_payment: null, daily_volume: null, daily_volume_left: null }
      assert.deepEqual(payments, none)
      assert(quotas.length > 0)
    }
  })
})

test('me says from which address the call came, as address lists are compared with it', async () => {
  const proxied = await running.startAnother({ TRUSTED_PROXIES: '127.0.0.1' })
  const { body } = await callApi(proxied, 'GET', '/v1/me', {
    key: payer.key,
    headers: { 'x-forwarded-for': '::ffff:203.0.113.7' },
  })
  assert.deepEqual([body.address, (await me(payer.key)).address], ['203.0.113.7', '127.0.0.1'])
})

describe('contract 11: me shows the quotas under limits', () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of a response
  const quotas = async ({ key }: TestOrganization, at = running): Promise<any> =>
    Object.fromEntries(
      (await me(key, at)).limits.quotas.map(({ quota, ...row }: { quota: string }) => [quota, row]),
    )

  test('each quota has its limit, its use, the rest and the time of its reset', async () => {
    const fresh = await aPair(running)
    const before = await quotas(fresh.issuer)
    for (const [name, { limit }] of Object.entries(quotaDefinitions)) {
      const resets_at = name.endsWith('_per_day') ? tomorrow() : null
      const used = name === 'active_keys' ? 1 : 0
      assert.deepEqual(before[name], { limit, used, left: limit - used, resets_at })
    }
    await anApprovedInvoice(running, fresh)
    const { documents_per_day: today, stored_documents: stored } = await quotas(fresh.issuer)
    assert.deepEqual([today.used, today.left], [1, 4_999])
    assert.deepEqual([stored.used, stored.left], [1, 19_999])
    const lowered = await running.startAnother({ QUOTA_STORED_DOCUMENTS: '0' })
    assert.equal((await quotas(fresh.issuer, lowered)).stored_documents.left, 0, 'never negative')
  })

  test('only those that hold are shown: endpoints always, live also the owned practice pairs', async () => {
    const live = (await aPair(running, 'live')).issuer
    const off = await running.startAnother({ SANDBOX_QUOTAS: 'off' })
    assert.deepEqual(Object.keys(await quotas(live)), ['webhook_endpoints', 'sandboxes'])
    assert.deepEqual(Object.keys(await quotas(live, off)), ['webhook_endpoints'])
    assert.deepEqual(Object.keys(await quotas(payer, off)), ['webhook_endpoints'])
  })
})
