/** Live payments whose parties change or lose their accounts at the processor meanwhile. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { documentsClient } from '../../support/documents/trading-pair.ts'
import type { Pair } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { connectTestProcessor } from '../../support/payments/connect-test-processor.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { livePayments } from '../../support/payments/live-payments.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const {
  aProcessorPair,
  makePaymentDue,
  makeScheduledDue,
  submittedPayment,
  untilReferenceIsKnown,
} = livePayments(running, fakeStripe)

const read = (pair: Pair, id: string) => documentsClient(running).read(id, pair.counterparty)

/** The payer no longer pays in dollars. */
const takeAccountAway = ({ counterparty }: Pair) =>
  connectTestProcessor(running, counterparty, 'counterparty', '{"EUR":"pm_eur"}')

describe('domain 4.5: a debit that Stripe has is asked for, whatever became of the accounts', () => {
  test('a debit under way settles without the account that it debits', async () => {
    const pair = await aProcessorPair()
    const { id, payment, intent } = await submittedPayment(pair)
    await untilReferenceIsKnown(intent)
    await takeAccountAway(pair)
    const calls = fakeStripe.callCount
    await makePaymentDue(payment)
    await until('Stripe was asked', () => fakeStripe.callCount > calls)
    assert.equal((await read(pair, id)).payment.status, 'processing')
    intent.status = 'succeeded'
    // The answer that was asked for above may be stored in between, with a later time.
    await until('it is paid', async () => {
      await makePaymentDue(payment)
      return (await read(pair, id)).status === 'paid'
    })
  })

  test('a debit is found although the response to its creation was lost', async () => {
    const pair = await aProcessorPair()
    const { id } = await anApprovedInvoice(running, pair)
    fakeStripe.faults.push('silence after', '500 before')
    const { body } = await pay(running, pair.counterparty.key, id)
    const payment: string = body.payment.id
    await until('it was submitted', () => fakeStripe.intentsOfPayment(payment).length > 0)
    await takeAccountAway(pair)
    await makePaymentDue(payment)
    await until('a look-up was refused', () => fakeStripe.faults.length === 0)
    const [intent] = fakeStripe.intentsOfPayment(payment)
    intent!.status = 'succeeded'
    await until('it is paid', async () => {
      await makePaymentDue(payment)
      return (await read(pair, id)).status !== 'payment_scheduled'
    })
    assert.equal((await read(pair, id)).status, 'paid')
    assert.equal(fakeStripe.intentsOfPayment(payment).length, 1)
  })
  test('what Stripe never had fails on its day', async () => {
    const pair = await aProcessorPair()
    const { id } = await anApprovedInvoice(running, pair)
    const { key } = pair.counterparty
    const body = { to: 'payment_scheduled', scheduled_for: inDays(1) }
    const reply = await callApi(running, 'POST', `/v1/documents/${id}/transition`, { key, body })
    assert.equal(reply.status, 200, reply.text)
    await takeAccountAway(pair)
    await makeScheduledDue(reply.body.payment.id)
    await until('it failed', async () => (await read(pair, id)).status === 'approved')
    const { payment } = await read(pair, id)
    assert.deepEqual([payment.status, payment.failure.code], ['failed', 'account_not_found'])
    assert.deepEqual(fakeStripe.intentsOfPayment(payment.id), [])
  })
})
