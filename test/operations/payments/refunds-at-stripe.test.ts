/** Refunds of live payments that somebody makes at Stripe (domain 4.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { documentsClient } from '../../support/documents/trading-pair.ts'
import { processorNews } from '../../support/payments/processor-news.ts'
import { aPair } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { connectTestProcessor } from '../../support/payments/connect-test-processor.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { startTestService } from '../../support/test-service.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const { settle, refunded } = processorNews(running, fakeStripe)

test('domain 4.5: a refund returns the payment if it is whole, and not if it is partial', async () => {
  const pair = await aPair(running, 'live')
  const { issuer, counterparty } = pair
  for (const party of [issuer, counterparty]) await connectTestProcessor(running, party)
  const { id } = await anApprovedInvoice(running, pair)
  const { payment } = (await pay(running, counterparty.key, id)).body
  const read = () => documentsClient(running).read(id, counterparty)
  await settle(payment.id)
  await refunded(payment.id, 1)
  assert.equal((await read()).status, 'paid')
  await refunded(payment.id, 108_000)
  const { status, payment: shown, balance_due } = await read()
  assert.deepEqual([status, shown.status, balance_due], ['approved', 'returned', 1080])
  await assertServiceConsistent(running)
})
