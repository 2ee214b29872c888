/** Events of the processor that do not agree with a payment, and disputes that end well. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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

/** A payment that the processor has under way, whose debit the service knows. */
const aPayment = async () => {
  const submitted = await submittedPayment(pair)
  await untilReferenceIsKnown(submitted.intent)
  return submitted
}

const told = async (type: string, object: object, more: object = {}): Promise<void> =>
  assert.equal(await deliverStripeEvent(fakeStripe.signedEvent(type, object, more)), 200)

const statusOf = async (id: string) => {
  const { status, payment } = await documentsClient(running).read(id, pair.counterparty)
  return [status, payment.status]
}

const alarms = (): number => {
  const text = running.service.context.metrics.text()
  return Number(/^docex_payments_contradicted_total (\d+)$/m.exec(text)![1])
}

/** How many alarms an event has raised. */
const alarmsOf = async (...event: Parameters<typeof told>): Promise<number> => {
  const before = alarms()
  await told(...event)
  return alarms() - before
}

describe('domain 4.5: an event moves a payment only if it is about its debit', () => {
  const others = { amount: { amount: 1 }, currency: { currency: 'eur' }, id: { id: 'pi_other' } }
  for (const [name, other] of Object.entries(others)) {
    test(`one with another ${name} changes nothing and raises an alarm`, async () => {
      const { id, intent } = await aPayment()
      for (const type of ['succeeded', 'payment_failed', 'canceled']) {
        const raised = await alarmsOf(`payment_intent.${type}`, { ...intent, ...other })
        assert.deepEqual(await statusOf(id), ['payment_scheduled', 'processing'], type)
        assert.equal(raised, 1, type)
      }
      await told('payment_intent.succeeded', intent)
      assert.deepEqual(await statusOf(id), ['paid', 'settled'])
    })
  }

  test('what a connected account does by itself is nothing of ours, whatever it names', async () => {
    const { id, intent } = await aPayment()
    const account = { account: 'acct_issuer' }
    for (const type of ['succeeded', 'payment_failed'])
      assert.equal(await alarmsOf(`payment_intent.${type}`, intent, account), 0)
    assert.deepEqual(await statusOf(id), ['payment_scheduled', 'processing'])
    await told('payment_intent.succeeded', intent)
    await told('charge.refunded', { payment_intent: intent.id, refunded: true }, account)
    assert.deepEqual(await statusOf(id), ['paid', 'settled'])
  })
})

describe('domain 4.1: a payment that has ended stays as it is, and nobody overlooks the money', () => {
  test('a debit that succeeds after its payment has failed raises an alarm, once', async () => {
    const { id, payment, intent } = await aPayment()
    await told('payment_intent.payment_failed', intent)
    const repeated = { id: `evt_late_${intent.id}` }
    assert.equal(await alarmsOf('payment_intent.succeeded', intent, repeated), 1)
    assert.equal(await alarmsOf('payment_intent.succeeded', intent, repeated), 0)
    const logged = running.logLines.map((line) => JSON.parse(line))
    const [{ rail_event, reference }] = logged.filter(
      ({ event, payment: named }) => event === 'payment_contradicted' && named === payment,
    )
    assert.deepEqual([rail_event, reference], [repeated.id, intent.id])
    assert.deepEqual(await statusOf(id), ['approved', 'failed'])
    await assertServiceConsistent(running)
  })

  test('a dispute that the payee wins after the return raises an alarm', async () => {
    const { id, intent } = await aPayment()
    await told('payment_intent.succeeded', intent)
    const dispute = { payment_intent: intent.id, reason: 'fraudulent', status: 'needs_response' }
    assert.equal(await alarmsOf('charge.dispute.created', dispute), 0)
    assert.equal(await alarmsOf('charge.dispute.funds_withdrawn', dispute), 0)
    const won = { ...dispute, status: 'won' }
    assert.equal(await alarmsOf('charge.dispute.funds_reinstated', won), 1)
    assert.deepEqual(await statusOf(id), ['approved', 'returned'])
    await assertServiceConsistent(running)
  })

  test('a whole refund that fails after the return raises an alarm', async () => {
    const { id, intent } = await aPayment()
    await told('payment_intent.succeeded', intent)
    await told('refund.failed', { payment_intent: intent.id })
    assert.deepEqual(await statusOf(id), ['paid', 'settled'])
    await told('charge.refunded', { payment_intent: intent.id, refunded: true })
    assert.equal(await alarmsOf('refund.failed', { payment_intent: intent.id }), 1)
    assert.deepEqual(await statusOf(id), ['approved', 'returned'])
  })

  const endings = {
    'charge.dispute.funds_reinstated': 'charge.dispute.funds_withdrawn',
    'refund.failed': 'charge.refunded',
  }
  for (const [ending, beginning] of Object.entries(endings)) {
    test(`${ending} raises an alarm, too, if it overtakes ${beginning}`, async () => {
      const { id, intent } = await aPayment()
      await told('payment_intent.succeeded', intent)
      const about = { payment_intent: intent.id, reason: 'fraudulent', refunded: true }
      assert.equal(await alarmsOf(ending, about), 1)
      assert.deepEqual(await statusOf(id), ['paid', 'settled'])
      await told(beginning, about)
      assert.deepEqual(await statusOf(id), ['approved', 'returned'])
      await assertServiceConsistent(running)
    })
  }

  test('a dispute about a part of the debit returns nothing, and raises an alarm', async () => {
    const { id, intent } = await aPayment()
    await told('payment_intent.succeeded', intent)
    const part = { payment_intent: intent.id, reason: 'fraudulent', status: 'needs_response' }
    for (const other of [{ amount: 1 }, { currency: 'eur' }]) {
      const dispute = { ...part, ...other }
      assert.equal(await alarmsOf('charge.dispute.funds_withdrawn', dispute), 1)
      assert.deepEqual(await statusOf(id), ['paid', 'settled'])
    }
    await told('charge.dispute.funds_withdrawn', part)
    assert.deepEqual(await statusOf(id), ['approved', 'returned'], 'one about all of it does')
  })

  test('an inquiry returns nothing, until the bank takes the money', async () => {
    const { id, intent } = await aPayment()
    await told('payment_intent.succeeded', intent)
    const inquiry = { payment_intent: intent.id, reason: 'general' }
    for (const status of ['warning_needs_response', 'warning_under_review', 'warning_closed']) {
      await told('charge.dispute.created', { ...inquiry, status })
      assert.deepEqual(await statusOf(id), ['paid', 'settled'], status)
    }
    await told('charge.dispute.funds_withdrawn', { ...inquiry, status: 'needs_response' })
    assert.deepEqual(await statusOf(id), ['approved', 'returned'])
  })

  test('money that the bank has taken is returned, whatever the dispute is called meanwhile', async () => {
    const { id, intent } = await aPayment()
    await told('payment_intent.succeeded', intent)
    const dispute = { payment_intent: intent.id, reason: 'general', status: 'warning_under_review' }
    await told('charge.dispute.funds_withdrawn', dispute)
    assert.deepEqual(await statusOf(id), ['approved', 'returned'])
  })
})
