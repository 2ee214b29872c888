/** Live payments against the fake Stripe, and the events that it sends about them. */
import assert from 'node:assert/strict'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../database/run-and-seal.ts'
import { type Pair, aPair } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'
import { until } from '../until.ts'
import { anApprovedInvoice, pay } from './approved-invoices.ts'
import { connectTestProcessor } from './connect-test-processor.ts'
import type { FakeStripe } from './fake-stripe.ts'

export const livePayments = (running: TestService, fakeStripe: FakeStripe) => {
  const { database } = running
  const makeDue = (payment: string, status: 'processing' | 'scheduled') =>
    runAndSeal(
      database,
      'payments',
      sql`update payments set due_at = clock_timestamp()
        where id = ${decodeId('pay', payment)!} and status = ${status}`,
    )
  return {
    /** Both sides are connected to the processor. */
    aProcessorPair: async (): Promise<Pair> => {
      const pair = await aPair(running, 'live')
      await connectTestProcessor(running, pair.issuer, 'issuer')
      await connectTestProcessor(running, pair.counterparty, 'counterparty')
      return pair
    },
    deliverStripeEvent: async (event: { payload: string; header: string }): Promise<number> => {
      const { status } = await fetch(`${running.baseUrl}/processors/stripe/webhooks`, {
        method: 'POST',
        body: event.payload,
        headers: { 'stripe-signature': event.header, 'content-type': 'application/json' },
      })
      return status
    },
    makePaymentDue: (payment: string) => makeDue(payment, 'processing'),
    makeScheduledDue: (payment: string) => makeDue(payment, 'scheduled'),
    /** A payment that the fake has accepted. */
    submittedPayment: async (pair: Pair) => {
      const { id } = await anApprovedInvoice(running, pair)
      const { body } = await pay(running, pair.counterparty.key, id)
      assert.deepEqual([body.status, body.payment.status], ['payment_scheduled', 'processing'])
      const payment: string = body.payment.id
      const isSubmitted = () => fakeStripe.intentsOfPayment(payment).length > 0
      await until('the payment was submitted', isSubmitted)
      return { id, payment, intent: fakeStripe.intentsOfPayment(payment)[0]! }
    },
    untilReferenceIsKnown: (intent: { id: string }) =>
      until('its reference is known', async () => {
        const known = sql`select 1 from payments where settlement_reference = ${intent.id}`
        return (await database.rows(known)).length === 1
      }),
  }
}
