/** The live rail with its stand-in: a payment is under way until a test says what becomes of it. */
import assert from 'node:assert/strict'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../database/run-and-seal.ts'
import type { startFakeStripe } from '../payments/fake-stripe.ts'
import type { TestService } from '../test-service.ts'
import { until } from '../until.ts'
import type { loansClient } from './loans.ts'

type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>

/** What the processor tells the service about a payment. */
export const processorNews = (running: { baseUrl: string }, fakeStripe: FakeStripe) => {
  /** The debit of a payment that the rail has submitted. */
  const intentOf = async (payment: string) => {
    await until('it is submitted', () => fakeStripe.intentsOfPayment(payment).length > 0)
    return fakeStripe.intentsOfPayment(payment)[0]!
  }

  const deliver = async (type: string, object: object): Promise<void> => {
    const { payload, header } = fakeStripe.signedEvent(type, object)
    const send = () =>
      fetch(`${running.baseUrl}/processors/stripe/webhooks`, {
        method: 'POST',
        body: payload,
        headers: { 'stripe-signature': header, 'content-type': 'application/json' },
      })
    await until('the event is accepted', async () => (await send()).status === 200)
  }

  return {
    intentOf,

    settle: async (payment: string): Promise<void> =>
      deliver('payment_intent.succeeded', await intentOf(payment)),

    fail: async (payment: string): Promise<void> => {
      const intent = await intentOf(payment)
      const last_payment_error = { code: 'insufficient_funds' }
      await deliver('payment_intent.payment_failed', { ...intent, last_payment_error })
    },

    returned: async (payment: string): Promise<void> => {
      const { id } = await intentOf(payment)
      const object = { payment_intent: id, reason: 'insufficient_funds' }
      await deliver('charge.dispute.created', object)
    },

    /** As the operator does at the processor; in whole unless another amount is given. */
    refunded: async (payment: string, part?: number): Promise<void> => {
      const { id, amount } = await intentOf(payment)
      const amount_refunded = part ?? amount
      const refund = { amount_refunded, refunded: amount_refunded === amount }
      await deliver('charge.refunded', { payment_intent: id, amount, ...refund })
    },
  }
}

export const liveRail = (
  running: TestService,
  fakeStripe: FakeStripe,
  { posted }: ReturnType<typeof loansClient>,
) => ({
  ...processorNews(running, fakeStripe),

  /** Pays a document, and returns its payment, which the rail has under way. */
  paid: async (key: string, document: string): Promise<string> => {
    const { status, payment } = await posted(key, `/v1/documents/${document}/pay`)
    assert.deepEqual([status, payment.status], ['payment_scheduled', 'processing'])
    return payment.id
  },

  /** As if so many days had gone by since the loan was repaid. */
  daysLater: (agreement: string, days: number) =>
    runAndSeal(
      running.database,
      'finance_agreements',
      sql`update finance_agreements
      set repaid_at = repaid_at - make_interval(days => ${days}), due_at = clock_timestamp()
      where id = ${decodeId('agr', agreement)!}`,
    ),
})
