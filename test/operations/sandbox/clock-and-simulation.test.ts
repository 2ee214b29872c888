/** The sandbox: its clock, magic accounts, top-ups and simulated outcomes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'
import { callApi } from '../../support/api-client.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import {
  type TestOrganization,
  type Pair,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  move,
} from '../../support/fixtures.ts'

const { running, post, advance, read, assertConsistent } = await startSandboxService()

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

describe('domain 6: the clock', () => {
  test('the clock moves forward by a duration or to a moment for both sides, and never back', async () => {
    const { issuer, counterparty } = await connectPair(
      running,
      await anOrganization(running),
      await anOrganization(running, { isDemo: true }),
    )
    const get = ({ key }: TestOrganization) => callApi(running, 'GET', '/v1/sandbox/clock', { key })
    assert.equal((await get(issuer)).body.offset_seconds, 0)
    assert.equal((await advance(issuer, 'P6DT90S')).offset_seconds, 6 * 86_400 + 90)
    const seen = (await get(counterparty)).body
    assert.deepEqual([seen.offset_seconds, seen.status], [6 * 86_400 + 90, 'ready'])
    const target = dayOf(Date.now() + 20 * 86_400_000)
    const { body } = await post(counterparty.key, '/clock', { advance_to: target })
    const aheadMs = Date.parse(body.now) - Date.parse(target)
    assert(aheadMs >= 0 && aheadMs < 60_000, body.now)
    for (const wrong of [
      {},
      { advance_by: 'P1D', advance_to: target },
      { advance_by: '6 days' },
      { advance_by: 'P0D' },
      { advance_by: '-P1D' },
      { advance_by: 'PT' },
      { advance_by: 'P3000D' },
      { advance_to: dayOf(Date.now()) },
    ]) {
      assert.equal((await post(issuer.key, '/clock', wrong)).status, 400, JSON.stringify(wrong))
    }
  })

  test('an advance makes documents overdue but changes no recorded time', async () => {
    const pair = await aPair(running)
    const { id, due_date } = await anApprovedInvoice(running, pair)
    await advance(pair.counterparty, 'P31D')
    const { overdue, created_at } = await read(id, pair.counterparty)
    assert.equal(overdue, true)
    assert(created_at < due_date)
  })

  test('a scheduled payment executes on its day, before the advance answers', async () => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair)
    const scheduled_for = dayOf(Date.now() + 5 * 86_400_000)
    await move(running, pair.counterparty.key, id, 'payment_scheduled', { scheduled_for })
    await advance(pair.counterparty, 'P3D')
    assert.equal((await read(id, pair.issuer)).payment.status, 'scheduled')
    await advance(pair.counterparty, 'P3D')
    const { status, payment } = await read(id, pair.issuer)
    assert.deepEqual([status, payment.status], ['paid', 'settled'])
    await assertConsistent()
  })

  test('one advance runs everything due in order: scheduled, executed, settled', async () => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair)
    await move(running, pair.counterparty.key, id, 'payment_scheduled', {
      scheduled_for: dayOf(Date.now() + 10 * 86_400_000),
      source_account_id: 'acct_test_stuck',
    })
    await advance(pair.counterparty, 'P12D')
    assert.equal((await read(id, pair.issuer)).payment.status, 'processing')
    await advance(pair.counterparty, 'P200D')
    assert.equal((await read(id, pair.issuer)).status, 'paid')
    await assertConsistent()
  })

  test('a quote expires after its last day', async () => {
    const pair = await aPair(running)
    const { id } = await anInvoice(running, pair, { document_type: 'quote' })
    await advance(pair.issuer, 'P30D')
    assert.equal((await read(id, pair.issuer)).status, 'sent')
    await advance(pair.issuer, 'P1D')
    assert.equal((await read(id, pair.counterparty)).status, 'expired')
    await assertConsistent()
  })

  test('concurrent advances run each due step once', async () => {
    const pair = await aPair(running)
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { id } = await anApprovedInvoice(running, pair)
        const body = { source_account_id: 'acct_test_async' }
        await pay(running, pair.counterparty.key, id, { body })
        return id
      }),
    )
    await Promise.all([advance(pair.counterparty, 'P1D'), advance(pair.counterparty, 'P1D')])
    for (const id of ids) {
      const { status, revision } = await read(id, pair.issuer)
      assert.deepEqual([status, revision], ['paid', 5])
    }
    await assertConsistent()
  })
})

describe('domain 4.5: magic accounts', () => {
  const payFrom = async (pair: Pair, source_account_id: string) => {
    const { id } = await anApprovedInvoice(running, pair)
    const { body } = await pay(running, pair.counterparty.key, id, { body: { source_account_id } })
    return { id, body }
  }
  /** Account, first status, delay, later status, document status and failure code. */
  const table = [
    ['acct_test_ok', 'settled', 'PT1S', 'settled', 'paid', null],
    ['acct_test_async', 'processing', 'PT60S', 'settled', 'paid', null],
    [
      'acct_test_insufficient_funds',
      'processing',
      'PT2S',
      'failed',
      'approved',
      'insufficient_funds',
    ],
    ['acct_test_account_closed', 'processing', 'PT2S', 'failed', 'approved', 'account_closed'],
    [
      'acct_test_processor_down',
      'processing',
      'PT2S',
      'failed',
      'approved',
      'processor_unavailable',
    ],
    ['acct_test_stuck', 'processing', 'P3D', 'settled', 'paid', null],
    ['acct_test_return', 'settled', 'P2D', 'returned', 'approved', 'returned_insufficient_funds'],
  ] as const
  for (const [account, atOnce, after, then, status, code] of table) {
    test(`a payment from ${account} is ${atOnce} at once and ${then} after ${after}`, async () => {
      const pair = await aPair(running)
      const { id, body } = await payFrom(pair, account)
      assert.equal(body.payment.status, atOnce)
      await advance(pair.counterparty, after)
      const document = await read(id, pair.counterparty)
      assert.deepEqual(
        [document.payment.status, document.status, document.payment.failure?.code ?? null],
        [then, status, code],
      )
      assert.equal(document.balance_due, status === 'paid' ? 0 : 1080)
      await assertConsistent()
    })
  }

  test('magic accounts are unlisted, work with any currency and do not exist in live mode', async () => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair, { currency: 'GBP' })
    const body = { source_account_id: 'acct_test_ok' }
    assert.equal((await pay(running, pair.counterparty.key, id, { body })).body.status, 'paid')
    const accounts = await callApi(running, 'GET', '/v1/treasury/accounts', {
      key: pair.counterparty.key,
    })
    assert(!accounts.text.includes('acct_test'))
    const live = await aPair(running, 'live')
    const approved = await anApprovedInvoice(running, live)
    const refused = await pay(running, live.counterparty.key, approved.id, { body })
    assert.equal(refused.status, 404)
  })
})

test('specification 3: a live payment without a processor answers capability_unavailable', async () => {
  const live = await aPair(running, 'live')
  const { id } = await anApprovedInvoice(running, live)
  for (const reply of [
    await pay(running, live.counterparty.key, id),
    await move(running, live.counterparty.key, id, 'paid'),
  ]) {
    assert.equal(reply.body.error.code, 'capability_unavailable')
    assert.deepEqual(reply.body.error.details, {
      capability: 'payments',
      reason: 'processor_not_connected',
      blockers: ['payer_processor', 'payee_processor'],
    })
  }
})

describe('domain 6: top-ups and simulated outcomes', () => {
  test('a top-up appears in the balance and in the transactions', async () => {
    const { issuer } = await aPair(running)
    const { body } = await post(issuer.key, '/topup', { currency: 'EUR', amount: 1234.56 })
    assert.deepEqual([body.posted, body.available], [1_001_234.56, 1_001_234.56])
    const list = await callApi(running, 'GET', '/v1/treasury/transactions?type=topup', {
      key: issuer.key,
    })
    assert.deepEqual(
      [list.body.data[0].amount, list.body.data[0].running_balance],
      [1234.56, 1_001_234.56],
    )
    for (const amount of [0, -1, 0.001, 1e15]) {
      assert.equal((await post(issuer.key, '/topup', { currency: 'EUR', amount })).status, 400)
    }
    await assertConsistent()
  })

  test('simulate settles, fails or returns a payment, with a reason that fits the outcome', async () => {
    const pair = await aPair(running)
    const stuck = { body: { source_account_id: 'acct_test_stuck' } }
    const { id } = await anApprovedInvoice(running, pair)
    const simulate = async (body: object) => {
      const { payment } = await read(id, pair.counterparty)
      return post(pair.counterparty.key, `/payments/${payment.id}/simulate`, body)
    }
    await pay(running, pair.counterparty.key, id, stuck)
    assert.equal((await simulate({ outcome: 'fail', reason: 'returned_no_account' })).status, 400)
    const failed = await simulate({ outcome: 'fail', reason: 'account_frozen' })
    assert.deepEqual([failed.body.status, failed.body.failure.code], ['failed', 'account_frozen'])
    await pay(running, pair.counterparty.key, id, stuck)
    const early = assertRefused(await simulate({ outcome: 'return' }), 'conflict')
    const illegal = { reason: 'illegal_transition', from: 'processing', to: 'return' }
    const side = 'counterparty'
    assert.deepEqual(early, { ...illegal, side, allowed: ['settle', 'fail'] }, 'contract 2, 11')
    assert.equal((await simulate({ outcome: 'settle' })).body.status, 'settled')
    const late = assertRefused(await simulate({ outcome: 'fail' }), 'conflict')
    assert.deepEqual([late.from, late.allowed], ['settled', ['return']])
    const returned = await simulate({ outcome: 'return', reason: 'returned_no_account' })
    assert.deepEqual(
      [returned.body.status, returned.body.failure.code],
      ['returned', 'returned_no_account'],
    )
    const { status, balance_due, amount_paid } = await read(id, pair.issuer)
    assert.deepEqual([status, balance_due, amount_paid], ['approved', 1080, 0])
    await assertConsistent()
  })

  test('of outcomes that are requested at once, one happens, and the others are refused', async () => {
    const pair = await aPair(running)
    for (const outcome of ['settle', 'fail', 'return'] as const) {
      const body = outcome === 'return' ? {} : { source_account_id: 'acct_test_stuck' }
      for (let round = 0; round < 4; round += 1) {
        const { id } = await anApprovedInvoice(running, pair)
        await pay(running, pair.counterparty.key, id, { body })
        const { payment } = await read(id, pair.counterparty)
        const answers = await Promise.all(
          Array.from({ length: 8 }, () =>
            post(pair.counterparty.key, `/payments/${payment.id}/simulate`, { outcome }),
          ),
        )
        const [done, ...refused] = answers.toSorted((a, b) => a.status - b.status)
        assert.equal(done!.status, 200)
        const from = { settle: 'settled', fail: 'failed', return: 'returned' }[outcome]
        for (const one of refused) assert.equal(assertRefused(one, 'conflict').from, from)
      }
    }
    await assertConsistent()
  })
})

test('contract 2: sandbox paths answer a live key with sandbox_isolation', async () => {
  const live = await aPair(running, 'live')
  const get = await callApi(running, 'GET', '/v1/sandbox/clock', { key: live.issuer.key })
  assert.deepEqual([get.status, get.body.error.code], [403, 'sandbox_isolation'])
  for (const [path, body] of [
    ['/clock', { advance_by: 'P1D' }],
    ['/topup', { currency: 'USD', amount: 1 }],
    ['/reset', {}],
    ['/demo/documents', { document_type: 'invoice' }],
    ['/demo/transitions', { document_id: 'doc_01kbm9s346q3d25vt4f5v37e3s', to: 'paid' }],
    ['/payments/pay_01kbm9s346q3d25vt4f5v37e3s/simulate', { outcome: 'settle' }],
  ] as const) {
    const reply = await post(live.issuer.key, path, body)
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'sandbox_isolation'], path)
  }
  const [row] = await running.database.rows<{ n: bigint }>(
    sql`select count(*) as n from organizations where mode = 'live' and clock_offset_seconds <> 0`,
  )
  assert.equal(row!.n, 0n)
})
