/** Returns and debits of which the processor has notified the service in vain (domain 4.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyMissedRailEvents } from '../../../src/tasks/missed-rail-events.ts'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { documentsClient } from '../../support/documents/trading-pair.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { livePayments } from '../../support/payments/live-payments.ts'
import { startTestService } from '../../support/test-service.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const { aProcessorPair, deliverStripeEvent, submittedPayment, untilReferenceIsKnown } =
  livePayments(running, fakeStripe)
const pair = await aProcessorPair()
const { context } = running.service

const aPayment = async () => {
  const submitted = await submittedPayment(pair)
  await untilReferenceIsKnown(submitted.intent)
  return submitted
}

const settled = async () => {
  const submitted = await aPayment()
  await settle(submitted.intent)
  return submitted
}

const settle = async (intent: object): Promise<void> => {
  const event = fakeStripe.signedEvent('payment_intent.succeeded', intent)
  assert.equal(await deliverStripeEvent(event), 200)
}

/** The processor has tried to send the event, and has given up. */
const missed = (...event: Parameters<typeof fakeStripe.eventOf>): void =>
  void fakeStripe.pastEvents.unshift(fakeStripe.eventOf(...event))

const ask = () => applyMissedRailEvents.run(context)

const statusOf = async (id: string) =>
  (await documentsClient(running).read(id, pair.counterparty)).payment.status

const alarms = (): number =>
  Number(/^docex_payments_contradicted_total (\d+)$/m.exec(context.metrics.text())![1])

test('domain 4.5: a return whose event never arrived is found with the processor, once', async () => {
  const [disputed, refunded, untouched] = [await settled(), await settled(), await settled()]
  missed('charge.dispute.created', { payment_intent: disputed.intent.id, reason: 'fraudulent' })
  missed('charge.refunded', { payment_intent: refunded.intent.id, refunded: true })
  const other = { payment_intent: 'pi_of_somebody_else', refunded: true }
  for (let i = 0; i < 120; i += 1) missed('charge.refunded', other, { id: `evt_other_${i}` })
  for (let round = 0; round < 2; round += 1) {
    await ask()
    const all = [disputed, refunded, untouched].map(({ id }) => statusOf(id))
    assert.deepEqual(await Promise.all(all), ['returned', 'returned', 'settled'])
  }
  assert.equal(alarms(), 0)
  await assertServiceConsistent(running)
})

test('domain 4.5: one that is found before its payment has settled is applied later', async () => {
  const { id, intent } = await aPayment()
  missed('charge.refunded', { payment_intent: intent.id, refunded: true })
  await ask()
  assert.equal(await statusOf(id), 'processing')
  await settle(intent)
  await ask()
  assert.equal(await statusOf(id), 'returned')
})

test('domain 4.5: what contradicts a payment raises the alarm when it is found, once', async () => {
  const { intent } = await settled()
  missed('charge.refunded', { payment_intent: intent.id, refunded: true })
  missed('refund.failed', { payment_intent: intent.id })
  await ask()
  await ask()
  assert.equal(alarms(), 1)
})

test('domain 4.5: a debit that succeeds after its payment has failed is found, once', async () => {
  const { id, intent } = await aPayment()
  const failure = { ...intent, last_payment_error: { code: 'insufficient_funds' } }
  const failed = fakeStripe.signedEvent('payment_intent.payment_failed', failure)
  assert.equal(await deliverStripeEvent(failed), 200)
  missed('payment_intent.succeeded', intent)
  const before = alarms()
  await ask()
  await ask()
  assert.deepEqual([await statusOf(id), alarms() - before], ['failed', 1])
})

test('a service that shuts down does not go on asking', async () => {
  const { id, intent } = await settled()
  missed('charge.refunded', { payment_intent: intent.id, refunded: true })
  await applyMissedRailEvents.run({ ...context, lifecycle: () => 'draining' })
  assert.equal(await statusOf(id), 'settled')
  await ask()
  assert.equal(await statusOf(id), 'returned')
})
