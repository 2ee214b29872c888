/** What the stand-in of the processor tells the service about payments. */
import { until } from '../until.ts'
import type { FakeStripe } from './fake-stripe.ts'

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
