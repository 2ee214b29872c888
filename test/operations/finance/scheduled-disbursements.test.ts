/** A disbursement that is scheduled for later, and what happens to its loan before (domain 5.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { inDays } from '../../support/dates.ts'
import { move } from '../../support/fixtures.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, documentOf, agreementOf } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

const schedule = (key: string, document: string) =>
  posted(key, `/v1/documents/${document}/transition`, {
    to: 'payment_scheduled',
    scheduled_for: inDays(2),
  })

const scheduledFunding = async () => {
  const { agreement } = await loans.accepted(parties)
  const { id, documents, pledged_document_id: invoice } = agreement
  const { disbursement_id: disbursement } = documents
  await schedule(lender.key, disbursement)
  return { id, documents, invoice, disbursement }
}

const credit = async (invoice: string, amount: number): Promise<void> => {
  const line_items = [{ description: 'Damaged', quantity: 1, unit_price: amount, tax_rate: 0 }]
  const body = { document_type: 'credit_note', line_items }
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, body)
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
}

const paymentOf = async (document: string) => {
  const { status, payment } = await documentOf(lender.key, document)
  return [status, payment.status]
}

const flagOf = async (id: string) => (await agreementOf(lender.key, id)).flag?.code ?? null

const causes = {
  collateral_disputed: (invoice: string) => move(running, debtor.key, invoice, 'disputed'),
  collateral_diluted: (invoice: string) => credit(invoice, 4_000),
}

for (const [flag, happens] of Object.entries(causes)) {
  test(`domain 5.4: ${flag} cancels a scheduled disbursement, and the lender decides`, async () => {
    const { id, documents, invoice, disbursement } = await scheduledFunding()
    await happens(invoice)
    assert.equal(await flagOf(id), flag)
    assert.deepEqual(await paymentOf(disbursement), ['approved', 'cancelled'])
    assert.equal((await documentOf(lender.key, disbursement)).payable, true)

    await schedule(lender.key, disbursement)
    assert.deepEqual(await paymentOf(disbursement), ['payment_scheduled', 'scheduled'])
    await credit(invoice, 1)
    assert.deepEqual(await paymentOf(disbursement), ['payment_scheduled', 'scheduled'])
    await posted(lender.key, `/v1/documents/${disbursement}/pay`)
    assert.notEqual((await agreementOf(lender.key, id)).funded_at, null)
    await assertBundlesHold(running, documents.agreement_id, [borrower.key])
    await assertBundlesHold(running, disbursement, [lender.key])
    await assertServiceConsistent(running)
  })
}

test('domain 5.4: what leaves enough to be paid on the invoice cancels no disbursement', async () => {
  const { id, invoice, disbursement } = await scheduledFunding()
  await credit(invoice, 100)
  assert.equal(await flagOf(id), null)
  assert.deepEqual(await paymentOf(disbursement), ['payment_scheduled', 'scheduled'])
})

test('domain 5.4: a dispute of the invoice cancels no repayment: what is owed stays owed', async () => {
  const { id, documents, invoice, disbursement } = await scheduledFunding()
  await posted(lender.key, `/v1/documents/${disbursement}/pay`)
  await schedule(borrower.key, documents.repayment_id)
  await move(running, debtor.key, invoice, 'disputed')
  assert.equal(await flagOf(id), 'collateral_disputed')
  assert.deepEqual(await paymentOf(documents.repayment_id), ['payment_scheduled', 'scheduled'])
})
