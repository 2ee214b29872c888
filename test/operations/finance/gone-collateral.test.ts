/**
 * A loan that is not funded, or no longer, ends with its collateral (domain 5.4), and both parties
 * are told and can prove it. The states are in test/vectors/loan-sweeps.json.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { idsOf, loanSteps, simulatedRail } from '../../support/finance/loan-steps.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const loans = loansClient(running)
const { posted, agreementOf, documentOf, eventTypesOf } = loans
const parties = await loanParties(running)
const { borrower, lender } = parties

const step = loanSteps(loans, parties, simulatedRail(loans))

/** The parts of a loan after these steps. */
const loanAfter = async (invoiceFields: object, ...names: readonly string[]) => {
  const ids = idsOf(await loans.accepted(parties, {}, invoiceFields))
  for (const name of names) await step(name, ids)
  const { documents } = await agreementOf(borrower.key, ids.agreement)
  return { ...ids, contract: documents.agreement_id as string }
}

for (const [names, left] of [
  [['credit 12500'], { status: 'paid', balance_due: 0 }],
  [['dispute', 'reject'], { status: 'rejected', balance_due: 0 }],
  [['pay'], { status: 'paid', balance_due: 0 }],
] as const) {
  test(`domain 5.4: nobody funds a loan whose collateral is gone: ${names.join(', ')}`, async () => {
    const { agreement, contract, invoice, disbursement, repayment } = await loanAfter({}, ...names)
    const paying = await loans.post(lender.key, `/v1/documents/${disbursement}/pay`)
    assert.deepEqual(assertRefused(paying, 'conflict', 'not_payable')['allowed'], [])
    const { closed_reason, pledge } = await agreementOf(lender.key, agreement)
    assert.equal(closed_reason, 'collateral_settled')
    const { status, balance_due } = pledge
    assert.deepEqual({ status, balance_due }, left, 'the lender sees what became of it')
    for (const { key } of [borrower, lender]) {
      const types = await eventTypesOf(key, contract)
      const closed = types.filter((type) => type === 'finance.agreement.closed')
      assert.equal(closed.length, 1)
      for (const one of [disbursement, repayment]) {
        assert.equal((await documentOf(key, one)).status, 'cancelled')
      }
    }
    for (const one of [contract, disbursement, repayment]) {
      await assertBundlesHold(running, one, [borrower.key, lender.key])
    }
    await assertBundlesHold(running, invoice, [borrower.key, parties.debtor.key])
    await assertServiceConsistent(running)
  })
}

for (const [names, closed_reason] of [
  [[], 'collateral_settled'],
  [['fund'], 'repaid'],
] as const) {
  test(`domain 5.4: a settled invoice shows as paid once the loan is ${closed_reason}`, async () => {
    const { agreement, invoice } = await loanAfter({}, ...names)
    const paying = { to: 'payment_scheduled' }
    const { status } = await posted(
      parties.debtor.key,
      `/v1/documents/${invoice}/transition`,
      paying,
    )
    assert.equal(status, 'payment_scheduled')
    const closed = await agreementOf(lender.key, agreement)
    assert.equal(closed.closed_reason, closed_reason)
    assert.deepEqual([closed.pledge.status, closed.pledge.balance_due], ['paid', 0])
  })
}

test('domain 5.4: a loan whose disbursement comes back after a sweep pledges nothing more', async () => {
  const issuer_ref = 'Silo 1'
  const ids = await loanAfter({ external_refs: { issuer_ref } }, 'fund', 'credit 4000', 'pay')
  await step('return disbursement', ids)
  const { agreement, contract, invoice, disbursement, repayment } = ids
  assert.equal((await documentOf(borrower.key, invoice)).pledge.status, 'released')
  const again = await loans.listed(parties, {}, { external_refs: { issuer_ref } })
  assert.equal(again.status, 'open', 'the receivable can be pledged anew')
  // The lender has what was swept, so that nobody can end the loan as if it had never been.
  for (const { key } of [borrower, lender]) {
    const withdrawing = await loans.post(key, `/v1/finance/agreements/${agreement}/withdraw`)
    assertRefused(withdrawing, 'conflict', 'agreement_not_withdrawable')
  }
  assert.equal((await documentOf(lender.key, disbursement)).payable, true)
  for (const one of [contract, disbursement, repayment]) {
    await assertBundlesHold(running, one, [borrower.key, lender.key])
  }
  await assertBundlesHold(running, invoice, [borrower.key, parties.debtor.key])
  await step('return repayment', ids)
  const path = `/v1/events?document=${repayment}&type=payment.failed`
  const [failed] = (await loans.found(borrower.key, path)).data
  assert.equal(failed.data.payable, false, 'nothing is owed while the lender has its money')
  for (const { key } of [borrower, lender]) {
    const { closed_reason, amount_repaid } = await agreementOf(key, agreement)
    assert.deepEqual([closed_reason, amount_repaid], ['collateral_settled', 0])
    assert((await eventTypesOf(key, contract)).includes('finance.agreement.closed'))
  }
  await assertServiceConsistent(running)
})
