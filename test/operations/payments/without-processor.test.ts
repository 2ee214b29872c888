/** Live payments that were scheduled before the deployment lost its processor (domain 4.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advanceDuePayments } from '../../../src/tasks/due-payments.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { livePayments } from '../../support/payments/live-payments.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService({ PROCESS_ROLE: 'api' })
const withProcessor = await running.startAnother(fakeStripe.settings())
const { aProcessorPair, makeScheduledDue } = livePayments(withProcessor, fakeStripe)

test('settings: without a processor, a scheduled payment waits for one or for its payer', async () => {
  const pair = await aProcessorPair()
  const { key } = pair.counterparty
  const schedule = async () => {
    const { id } = await anApprovedInvoice(withProcessor, pair)
    const body = { to: 'payment_scheduled', scheduled_for: inDays(1) }
    const path = `/v1/documents/${id}/transition`
    const reply = await callApi(withProcessor, 'POST', path, { key, body })
    assert.equal(reply.status, 200, reply.text)
    await makeScheduledDue(reply.body.payment.id)
    return { path, payment: reply.body.payment.id as string }
  }
  const [one, other] = [await schedule(), await schedule()]
  await advanceDuePayments.run(running.service.context)
  const options = { key, body: { to: 'approved' } }
  const cancelled = await callApi(running, 'POST', one.path, options)
  assert.equal(cancelled.status, 200, cancelled.text)
  await until('it is submitted', async () => {
    await advanceDuePayments.run(withProcessor.service.context)
    return fakeStripe.intentsOfPayment(other.payment).length === 1
  })
})
