/** Scheduled payments of organizations that the operator has suspended since (domain 4.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { inDays } from '../../support/dates.ts'
import { documentsClient } from '../../support/documents/trading-pair.ts'
import { type TestOrganization, move } from '../../support/fixtures.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { livePayments } from '../../support/payments/live-payments.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const { aProcessorPair, makeScheduledDue } = livePayments(running, fakeStripe)

const suspend = ({ uuid }: TestOrganization, at: string | null) =>
  runAndSeal(
    running.database,
    'organizations',
    sql`update organizations set suspended_at = ${at} where id = ${uuid}`,
  )

test('domain 4.1: the scheduled payment of a suspended payer fails on its day', async () => {
  const pair = await aProcessorPair()
  const { issuer, counterparty } = pair
  const { id } = await anApprovedInvoice(running, pair)
  const on = { scheduled_for: inDays(1) }
  const { body } = await move(running, counterparty.key, id, 'payment_scheduled', on)
  await suspend(counterparty, new Date().toISOString())
  await makeScheduledDue(body.payment.id)
  const read = (side: TestOrganization) => documentsClient(running).read(id, side)
  await until('it has failed', async () => (await read(issuer)).payment.status === 'failed')
  assert.deepEqual(fakeStripe.intentsOfPayment(body.payment.id), [])
  const { status, balance_due, payment } = await read(issuer)
  assert.deepEqual(
    [status, balance_due, payment.failure.code],
    ['approved', 1080, 'payment_failed'],
  )

  await suspend(counterparty, null)
  const own = await read(counterparty)
  assert.deepEqual([own.payable, own.payment.failure.code], [true, 'account_frozen'])
  await assertBundlesHold(running, id, [issuer.key])
  await assertServiceConsistent(running)
})
