/**
 * A closed agreement is final on every rail (domain 2.5, 5.4): what the bank returns afterwards is
 * owed on its document. A sandbox closes a repaid loan at once, live money once the days are over
 * in which the last repayment can be returned.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { liveRail } from '../../support/finance/live-rail.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const loans = loansClient(running)
const { posted, agreementOf, documentOf, eventTypesOf } = loans
const live = liveRail(running, fakeStripe, loans)

/** What becomes of a payment, by the rail that has it. */
const rails = {
  test: {
    settle: async () => {},
    returned: (key: string, payment: string) =>
      posted(key, `/v1/sandbox/payments/${payment}/simulate`, { outcome: 'return' }),
    closes: async () => {},
  },
  live: {
    settle: live.settle,
    returned: (_key: string, payment: string) => live.returned(payment),
    closes: (id: string) => live.daysLater(id, 10),
  },
} as const

for (const mode of ['test', 'live'] as const) {
  test(`domain 5.4: ${mode}: after the closing, a returned repayment is owed on its document`, async () => {
    const { settle, returned, closes } = rails[mode]
    const parties = await loanParties(running, mode)
    const { borrower, lender } = parties
    const { agreement } = await loans.accepted(parties)
    const { id, documents } = agreement
    const path = `/v1/documents/${documents.disbursement_id}/pay`
    await settle((await posted(lender.key, path)).payment.id)
    const repay = async (): Promise<string> =>
      (await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)).payments.at(-1).id
    const repayment = await repay()
    await settle(repayment)
    await closes(id)
    const isClosed = async () => (await agreementOf(lender.key, id)).status === 'closed'
    await until('it is closed', isClosed)
    const closed = await agreementOf(lender.key, id)
    assert.deepEqual([closed.closed_reason, closed.amount_repaid], ['repaid', 10_250])

    await returned(borrower.key, repayment)
    for (const { key } of [borrower, lender]) {
      const { status, balance_due } = await documentOf(key, documents.repayment_id)
      assert.deepEqual([status, balance_due], ['approved', 10_250])
      const types = await eventTypesOf(key, documents.repayment_id)
      assert(types.includes('payment.failed'), 'both are told')
    }
    assert.deepEqual(await agreementOf(lender.key, id), closed)
    await settle(await repay())
    const { balance_due } = await documentOf(lender.key, documents.repayment_id)
    assert.equal(balance_due, 0)
    assert.deepEqual(await agreementOf(lender.key, id), closed)
    for (const document of Object.values<string>(documents)) {
      await assertBundlesHold(running, document, [borrower.key, lender.key])
    }
    await assertServiceConsistent(running)
  })
}
