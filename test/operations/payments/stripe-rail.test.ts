/**
 * Live payments over Stripe Connect, against a fake that fails in every way it can. A payment makes
 * one debit, whatever is lost; events arrive repeated, out of order and forged.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dayMs } from '../../../src/core/dates.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { openStripe } from '../../../src/rails/stripe.ts'
import type { PaymentRow } from '../../../src/store/payments/payments.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { livePayments } from '../../support/payments/live-payments.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import type { Pair } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { type StripeFault, startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { documentsClient } from '../../support/documents/trading-pair.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const { database } = running
const {
  aProcessorPair,
  deliverStripeEvent,
  makePaymentDue,
  submittedPayment,
  untilReferenceIsKnown,
} = livePayments(running, fakeStripe)

const assertAllConsistent = () => assertServiceConsistent(running)

const read = (pair: Pair, id: string) => documentsClient(running).read(id, pair.counterparty)

describe('domain 4.5: a live payment', () => {
  test('a payment is processing at once, debits the payer for the payee and settles on the event', async () => {
    const pair = await aProcessorPair()
    const { id, payment, intent } = await submittedPayment(pair)
    assert.deepEqual(
      [intent.amount, intent.currency, intent.transfer],
      [108_000, 'usd', 'acct_issuer'],
    )
    assert.equal(
      await deliverStripeEvent(fakeStripe.signedEvent('payment_intent.succeeded', intent)),
      200,
    )
    const { status, payment: shown, balance_due } = await read(pair, id)
    assert.deepEqual([status, shown.id, shown.status, balance_due], ['paid', payment, 'settled', 0])
    assert.equal(shown.settlement_reference, intent.id)
    await assertAllConsistent()
  })

  const lost: StripeFault[][] = [
    ['silence before'],
    ['silence after'],
    ['500 before'],
    ['500 after'],
    ['redirect after'],
    ['endless after'],
    ['silence after', '500 after', 'silence before', 'silence after'],
  ]
  for (const faults of lost) {
    test(`after ${faults.join(', ')} the call is repeated and makes one debit`, async () => {
      const pair = await aProcessorPair()
      fakeStripe.statusOfNewIntents = 'succeeded'
      fakeStripe.faults.push(...faults)
      const { id } = await anApprovedInvoice(running, pair)
      const { body } = await pay(running, pair.counterparty.key, id)
      await until('it is paid', async () => {
        await makePaymentDue(body.payment.id)
        return (await read(pair, id)).status === 'paid'
      })
      assert.deepEqual(fakeStripe.faults, [])
      assert.equal(fakeStripe.intentsOfPayment(body.payment.id).length, 1)
      fakeStripe.statusOfNewIntents = 'processing'
      await assertAllConsistent()
    })
  }

  test('reliability 4.6: no redirect is followed, and a private host is called only if allowed', async () => {
    assert.equal(fakeStripe.redirectsFollowed, 0)
    const { secretKey, webhookSecret, apiBase } = running.service.context.config.stripe!
    const guarded = { secretKey, webhookSecret, apiBase, reach: 'public' as const }
    const { rail } = openStripe(guarded, running.service.context.outbound)
    const [row] = await database.rows<PaymentRow>(sql`
      select * from payments where settlement_reference is not null limit 1`)
    const calls = fakeStripe.callCount
    const accounts = { customer: '', paymentMethod: '', payout: '' }
    const { outcome } = await rail.submitOrPoll(row!, accounts, row!.created_at)
    assert.deepEqual([outcome, fakeStripe.callCount], ['processing', calls])
  })

  test('a refused debit fails the payment, and the document is payable again', async () => {
    const pair = await aProcessorPair()
    fakeStripe.statusOfNewIntents = 'requires_payment_method'
    const { id } = await anApprovedInvoice(running, pair)
    await pay(running, pair.counterparty.key, id)
    await until('it failed', async () => (await read(pair, id)).status === 'approved')
    fakeStripe.statusOfNewIntents = 'processing'
    const { payment } = await read(pair, id)
    assert.deepEqual([payment.status, payment.failure.code], ['failed', 'insufficient_funds'])
    await assertAllConsistent()
  })

  test('after the lifetime of Stripe’s idempotency keys, the debit is looked up, not repeated', async (t) => {
    const pair = await aProcessorPair()
    const { id, payment, intent } = await submittedPayment(pair)
    await untilReferenceIsKnown(intent)
    intent.status = 'succeeded'
    await runAndSeal(
      database,
      'payments',
      sql`update payments set created_at = created_at - interval '3 days',
      settlement_reference = null where id = ${decodeId('pay', payment)!}`,
    )
    // Another program with the same account of Stripe has named the payment, too.
    const other = { ...intent, id: 'pi_other', amount: 1 }
    const debits = [...fakeStripe.intents]
    fakeStripe.intents.clear()
    for (const [key, debit] of [[other.id, other] as const, ...debits])
      fakeStripe.intents.set(key, debit)
    fakeStripe.forgetKeys()
    // The time is that of the database: the clock of a process may have been set back.
    const now = Date.now.bind(Date)
    t.mock.method(Date, 'now', () => now() - 3 * dayMs)
    await makePaymentDue(payment)
    await until('it is paid', async () => (await read(pair, id)).status === 'paid')
    assert.equal((await read(pair, id)).payment.settlement_reference, intent.id)
    assert.equal(fakeStripe.intentsOfPayment(payment).length, 2)
  })

  test('a method other than bank debit, or a missing processor, is refused', async () => {
    const pair = await aProcessorPair()
    const { id } = await anApprovedInvoice(running, pair)
    const wire = await pay(running, pair.counterparty.key, id, { body: { payment_method: 'wire' } })
    assert.equal(wire.status, 400)
    const pounds = await anApprovedInvoice(running, pair, { currency: 'GBP' })
    const { body } = await pay(running, pair.counterparty.key, pounds.id)
    assert.deepEqual(body.error.details.blockers, ['payer_processor'])
  })
})

describe('domain 4.5: live money leaves the bank account of the payer', () => {
  const accountOf = async ({ counterparty: { key } }: Pair, of = 'USD settlement') => {
    const { body } = await callApi(running, 'GET', '/v1/treasury/accounts', { key })
    const accounts: Record<'id' | 'currency' | 'purpose', string>[] = body.data
    return accounts.find(({ currency, purpose }) => `${currency} ${purpose}` === of)!.id
  }

  test('no other account can be named, however much it holds', async () => {
    const pair = await aProcessorPair()
    const others = ['USD funding', 'EUR settlement'].map((of) => accountOf(pair, of))
    const { id } = await anApprovedInvoice(running, pair)
    const { key } = pair.counterparty
    const scheduled_for = inDays(1)
    for (const source_account_id of await Promise.all(others))
      for (const more of [{}, { to: 'paid' }, { to: 'payment_scheduled', scheduled_for }]) {
        const path = `/v1/documents/${id}/${'to' in more ? 'transition' : 'pay'}`
        const body = { ...more, source_account_id }
        const { body: refused } = await callApi(running, 'POST', path, { key, body })
        const [{ param, fix }] = refused.error.details.errors
        assert.match(`${param}: ${fix}`, /^\/source_account_id: leave source_account_id out/)
      }
    const magic = { source_account_id: 'acct_test_ok' }
    assert.equal((await pay(running, key, id, { body: magic })).status, 404)
    assert.equal((await read(pair, id)).status, 'approved')
  })

  test('the default account may be named, and the bank pays as if it were not', async () => {
    const pair = await aProcessorPair()
    const { id } = await anApprovedInvoice(running, pair)
    const body = { source_account_id: await accountOf(pair) }
    const { payment } = (await pay(running, pair.counterparty.key, id, { body })).body
    assert.deepEqual([payment.status, payment.source_account_id], ['processing', null])
  })

  test('what was scheduled from another account is taken from the bank on its day', async () => {
    const pair = await aProcessorPair()
    const { id } = await anApprovedInvoice(running, pair)
    const { key } = pair.counterparty
    const body = { to: 'payment_scheduled', scheduled_for: inDays(1) }
    const reply = await callApi(running, 'POST', `/v1/documents/${id}/transition`, { key, body })
    assert.equal(reply.status, 200, reply.text)
    const account = decodeId('acct', await accountOf(pair))!
    const { payment } = reply.body
    await runAndSeal(
      database,
      'payments',
      sql`update payments set payer_account = ${account}, due_at = clock_timestamp()
      where id = ${decodeId('pay', payment.id)!}`,
    )
    await until('it is submitted', () => fakeStripe.intentsOfPayment(payment.id).length > 0)
    const shown = (await read(pair, id)).payment
    assert.deepEqual([shown.status, shown.source_account_id], ['processing', null])
    const { body: balances } = await callApi(running, 'GET', '/v1/treasury/balances', { key })
    assert(balances.data.every((one: { pending_out: number }) => one.pending_out === 0))
    await assertAllConsistent()
  })
})

describe('domain 4.5: events of the processor', () => {
  test('repeated and late events change nothing', async () => {
    const pair = await aProcessorPair()
    const { id, intent } = await submittedPayment(pair)
    const settled = fakeStripe.signedEvent('payment_intent.succeeded', intent)
    const statuses = await Promise.all(Array.from({ length: 8 }, () => deliverStripeEvent(settled)))
    assert.deepEqual(new Set(statuses), new Set([200]))
    const { revision } = await read(pair, id)
    const late = { ...intent, last_payment_error: { code: 'insufficient_funds' } }
    assert.equal(
      await deliverStripeEvent(fakeStripe.signedEvent('payment_intent.payment_failed', late)),
      200,
    )
    assert.equal(
      await deliverStripeEvent(fakeStripe.signedEvent('payment_intent.succeeded', intent)),
      200,
    )
    const after = await read(pair, id)
    assert.deepEqual([after.status, after.revision], ['paid', revision])
    await assertAllConsistent()
  })

  test('a return that overtakes its settlement gets 503, and its retry reverses the payment', async () => {
    const pair = await aProcessorPair()
    const { id, intent } = await submittedPayment(pair)
    await untilReferenceIsKnown(intent)
    const dispute = { payment_intent: intent.id, reason: 'insufficient_funds' }
    const returned = fakeStripe.signedEvent('charge.dispute.created', dispute)
    assert.equal(await deliverStripeEvent(returned), 503)
    assert.equal(
      await deliverStripeEvent(fakeStripe.signedEvent('payment_intent.succeeded', intent)),
      200,
    )
    for (let i = 0; i < 3; i += 1) assert.equal(await deliverStripeEvent(returned), 200)
    const { status, payment, balance_due } = await read(pair, id)
    assert.deepEqual([status, balance_due], ['approved', 1080])
    assert.deepEqual(
      [payment.status, payment.failure.code],
      ['returned', 'returned_insufficient_funds'],
    )
    await assertAllConsistent()
  })

  test('a wrong signature, an old signature and an altered body are refused', async () => {
    const pair = await aProcessorPair()
    const { id, intent } = await submittedPayment(pair)
    const { payload, header } = fakeStripe.signedEvent('payment_intent.succeeded', intent)
    assert.equal(await deliverStripeEvent({ payload, header: 'nonsense' }), 400)
    assert.equal(
      await deliverStripeEvent({ payload: payload.replace('succeeded', 'canceled'), header }),
      400,
    )
    const old = header.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1_000) - 3_600}`)
    assert.equal(await deliverStripeEvent({ payload, header: old }), 400)
    assert.equal((await read(pair, id)).payment.status, 'processing')
  })

  test('an event that concerns no payment of the service is acknowledged without effect', async () => {
    assert.equal(
      await deliverStripeEvent(fakeStripe.signedEvent('customer.created', { id: 'cus_x' })),
      200,
    )
    const metadata = { payment_id: `pay_${'0'.repeat(26)}` }
    const stranger = { id: 'pi_x', amount: 108_000, currency: 'usd', metadata }
    assert.equal(
      await deliverStripeEvent(fakeStripe.signedEvent('payment_intent.succeeded', stranger)),
      200,
    )
  })
  test('a return of what is no payment of the service is not asked for again', async () => {
    const stranger = { payment_intent: 'pi_stranger', reason: 'fraudulent' }
    for (const type of ['charge.refunded', 'charge.dispute.created'])
      await until(`${type} is acknowledged`, async () => {
        const status = await deliverStripeEvent(fakeStripe.signedEvent(type, stranger))
        return status === 200
      })
    const unnamed = fakeStripe.signedEvent('charge.refunded', { payment_intent: null })
    assert.equal(await deliverStripeEvent(unnamed), 200)
  })

  test('a return, or its end, is asked for again while its payment is being submitted', async () => {
    const pair = await aProcessorPair()
    fakeStripe.faults.push('500 after', '500 before')
    const { intent } = await submittedPayment(pair)
    const dispute = { payment_intent: intent.id, reason: 'insufficient_funds' }
    for (const type of ['charge.dispute.created', 'charge.dispute.funds_reinstated'])
      assert.equal(await deliverStripeEvent(fakeStripe.signedEvent(type, dispute)), 503, type)
  })
})
