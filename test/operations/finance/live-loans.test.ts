/** Loans in live money: three organizations, and a fake processor that tells them apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { liveRail } from '../../support/finance/live-rail.ts'
import { assertAgreementMoves } from '../../support/finance/loan-moves.ts'
import { askedTerms, enableFinance, loanParties, loansClient } from '../../support/finance/loans.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const loans = loansClient(running)
const { posted, post, found, agreementOf, documentOf, eventTypesOf } = loans
const parties = await loanParties(running, 'live')
const { borrower, debtor, lender } = parties

const { intentOf, settle, fail, returned, refunded, paid, daysLater } = liveRail(
  running,
  fakeStripe,
  loans,
)

/** A loan whose disbursement has settled. */
const fundedLoan = async () => {
  const { agreement } = await loans.accepted(parties)
  await settle(await paid(lender.key, agreement.documents.disbursement_id))
  return agreementOf(borrower.key, agreement.id)
}

const repaymentOf = (id: string) => found(lender.key, `/v1/finance/agreements/${id}/repayment`)

/** The sweep that the settled payment of the invoice has caused. */
const sweepOf = async (id: string): Promise<string> => (await repaymentOf(id)).sweeps[0].payment_id

const facts = async (id: string) => {
  const { status, flag, amount_owed, amount_repaid } = await agreementOf(lender.key, id)
  return [status, flag?.code ?? null, amount_owed, amount_repaid]
}

const credit = async (invoice: string, unit_price: number): Promise<void> => {
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, {
    document_type: 'credit_note',
    line_items: [{ description: 'Damaged', quantity: 1, unit_price, tax_rate: 0 }],
  })
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
}

test('domain 5.4: live: funded, swept when the invoice settles, closed once nothing can be returned', async () => {
  const { agreement } = await loans.accepted(parties)
  const { documents, pledged_document_id: invoice } = agreement
  const disbursement = await paid(lender.key, documents.disbursement_id)
  assert.deepEqual(await facts(agreement.id), ['accepted', null, 0, 0])
  await settle(disbursement)
  assert.deepEqual(await facts(agreement.id), ['funded', null, 10_250, 0])
  const proceeds = await paid(debtor.key, invoice)
  assert.deepEqual((await repaymentOf(agreement.id)).sweeps, [])
  await settle(proceeds)

  const { sweeps, amount_in_flight } = await repaymentOf(agreement.id)
  assert.deepEqual(
    [sweeps.length, sweeps[0].amount, sweeps[0].status, amount_in_flight],
    [1, 10_250, 'processing', 10_250],
  )
  const { amount, transfer } = await intentOf(sweeps[0].payment_id)
  assert.deepEqual([amount, transfer], [1_025_000, `acct_${lender.uuid}`])
  assert.deepEqual(await facts(agreement.id), ['funded', null, 10_250, 0])
  await settle(sweeps[0].payment_id)
  assert.deepEqual(await facts(agreement.id), ['repaid', null, 0, 10_250])
  assert.equal((await documentOf(borrower.key, invoice)).pledge.status, 'released')
  const stranger = await anOrganization(running, { mode: 'live' })
  await enableFinance(running, stranger.key)
  const outcomes = { withdraw: 'agreement_not_withdrawable', repay: 'done', fund: 'done' }
  const moving = { borrower, lender, stranger }
  await assertAgreementMoves(running, moving, agreement.id, { status: 'repaid', ...outcomes })

  await daysLater(agreement.id, 10)
  const isClosed = async () => (await agreementOf(lender.key, agreement.id)).status === 'closed'
  await until('the return window is over', isClosed)
  const { closed_reason } = await agreementOf(lender.key, agreement.id)
  assert.equal(closed_reason, 'repaid')
  await assertBundlesHold(running, invoice, [borrower.key, debtor.key])
  await assertBundlesHold(running, documents.repayment_id, [borrower.key, lender.key])
  await assertServiceConsistent(running)
})

test('domain 5.4: live: a sweep that fails is not repeated, and the borrower repays', async () => {
  const { id, pledged_document_id: invoice } = await fundedLoan()
  await settle(await paid(debtor.key, invoice))
  await fail(await sweepOf(id))
  assert.deepEqual(await facts(id), ['flagged', 'sweep_failed', 10_250, 0])
  const { payments } = await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  assert.equal((await repaymentOf(id)).sweeps.length, 1)
  await settle(payments.at(-1).id)
  const { status, flag, amount_owed } = await agreementOf(lender.key, id)
  assert.deepEqual([status, flag.code, amount_owed], ['repaid', 'sweep_failed', 0])
  assert.notEqual(flag.cured_at, null)
  await assertServiceConsistent(running)
})

test('domain 5.4: live: a scheduled repayment does not keep the proceeds from being swept', async () => {
  const { id, documents, pledged_document_id: invoice } = await fundedLoan()
  const scheduled_for = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  const later = { to: 'payment_scheduled', scheduled_for }
  await posted(borrower.key, `/v1/documents/${documents.repayment_id}/transition`, later)
  await settle(await paid(debtor.key, invoice))
  const { payments } = await repaymentOf(id)
  assert.deepEqual(
    payments.map(({ kind, status }: Record<string, unknown>) => [kind, status]),
    [
      ['repayment', 'cancelled'],
      ['sweep', 'processing'],
    ],
  )
  await settle(await sweepOf(id))
  assert.deepEqual(await facts(id), ['repaid', null, 0, 10_250])
  await assertServiceConsistent(running)
})

test('domain 5.4: live: an early repayment releases the pledge, and nothing is swept', async () => {
  const { id, pledged_document_id: invoice } = await fundedLoan()
  const { payments, amount_in_flight } = await posted(
    borrower.key,
    `/v1/finance/agreements/${id}/repayment`,
  )
  assert.equal(amount_in_flight, 10_250)
  assert.equal((await documentOf(borrower.key, invoice)).pledge.status, 'assigned')
  await settle(payments[0].id)
  assert.deepEqual(await facts(id), ['repaid', null, 0, 10_250])
  await settle(await paid(debtor.key, invoice))
  assert.deepEqual((await repaymentOf(id)).sweeps, [])
})

test('domain 5.4: live: proceeds that are returned leave the sweep under way', async () => {
  const { id, pledged_document_id: invoice } = await fundedLoan()
  await credit(invoice, 4_000)
  const proceeds = await paid(debtor.key, invoice)
  await settle(proceeds)
  const sweep = await sweepOf(id)
  await returned(proceeds)
  assert.deepEqual(await facts(id), ['flagged', 'proceeds_returned', 10_250, 0])
  await settle(sweep)
  assert.deepEqual(await facts(id), ['flagged', 'proceeds_returned', 1_750, 8_500])
  assert.equal((await documentOf(borrower.key, invoice)).status, 'approved')
  await settle(await paid(debtor.key, invoice))
  const { sweeps } = await repaymentOf(id)
  assert.deepEqual(
    sweeps.map(({ amount }: { amount: number }) => amount),
    [8_500, 1_750],
  )
  await settle(sweeps[1].payment_id)
  assert.equal((await agreementOf(lender.key, id)).status, 'repaid')
  await assertServiceConsistent(running)
})

test('domain 5.4: live: a sweep that the bank returns is owed again', async () => {
  const { id, pledged_document_id: invoice } = await fundedLoan()
  await settle(await paid(debtor.key, invoice))
  const sweep = await sweepOf(id)
  await settle(sweep)
  await returned(sweep)
  assert.deepEqual(await facts(id), ['flagged', 'repayment_returned', 10_250, 0])
  const { payments } = await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  await settle(payments.at(-1).id)
  assert.equal((await agreementOf(lender.key, id)).status, 'repaid')
  await assertServiceConsistent(running)
})

test('domain 5.4: live: once everything is repaid, returned proceeds are no matter of the lender', async () => {
  const { id, documents, pledged_document_id: invoice } = await fundedLoan()
  const proceeds = await paid(debtor.key, invoice)
  await settle(proceeds)
  const sweep = await sweepOf(id)
  await settle(sweep)
  await returned(proceeds)
  assert.deepEqual(await facts(id), ['repaid', null, 0, 10_250])
  assert.equal((await documentOf(borrower.key, invoice)).status, 'approved')
  // If the bank returns the sweep, too, that is all the lender is told of: the pledge has ended.
  await returned(sweep)
  assert.deepEqual(await facts(id), ['flagged', 'repayment_returned', 10_250, 0])
  const path = `/v1/events?type=finance.agreement.flagged&document=${documents.agreement_id}`
  const { data } = await found(lender.key, path)
  assert.deepEqual(
    data.map((event: { data: { flag: { code: string } } }) => event.data.flag.code),
    ['repayment_returned'],
  )
  await assertServiceConsistent(running)
})

test('domain 5.4: live: a repayment that is returned leaves the pledge released, and no sweep', async () => {
  const { id, pledged_document_id: invoice } = await fundedLoan()
  const path = `/v1/finance/agreements/${id}/repayment`
  const repayment = (await posted(borrower.key, path)).payments[0].id
  await settle(repayment)
  await returned(repayment)
  assert.deepEqual(await facts(id), ['flagged', 'repayment_returned', 10_250, 0])
  assert.equal((await documentOf(borrower.key, invoice)).pledge.status, 'released')
  const { pledge } = await agreementOf(lender.key, id)
  await settle(await paid(debtor.key, invoice))
  assert.deepEqual((await repaymentOf(id)).sweeps, [])
  assert.deepEqual(await facts(id), ['flagged', 'repayment_returned', 10_250, 0])
  assert.deepEqual((await agreementOf(lender.key, id)).pledge, pledge, 'it shows no more of it')
  const { points } = await found(lender.key, '/v1/statistics?metric=loans')
  assert(points.some(({ bucket }: { bucket: string }) => bucket === 'owed'))
  assert(!points.some(({ group }: { group: string }) => group === 'sweep_in'))
  const { payments } = await posted(borrower.key, path)
  await settle(payments.at(-1).id)
  assert.deepEqual(await facts(id), ['repaid', 'repayment_returned', 0, 10_250])
  await assertServiceConsistent(running)
})

test('domain 5.6: live: a loan that is funded again moves no pledge of another loan', async () => {
  const { agreement } = await loans.accepted(parties)
  const { documents, pledged_document_id: invoice } = agreement
  const disbursement = await paid(lender.key, documents.disbursement_id)
  await settle(disbursement)
  const path = `/v1/finance/agreements/${agreement.id}/repayment`
  await settle((await posted(borrower.key, path)).payments[0].id)
  await returned(disbursement)
  const body = { document_id: invoice, terms: askedTerms }
  const listing = await posted(borrower.key, '/v1/finance/listings', body)
  const offers = `/v1/finance/listings/${listing.id}/offers`
  const offer = await posted(lender.key, offers, { kind: 'at_ask' })
  const accept = `/v1/finance/offers/${offer.id}/accept`
  const { agreement: other } = await posted(borrower.key, accept, loans.acceptanceOf(offer))
  await settle(await paid(lender.key, documents.disbursement_id))
  assert.deepEqual(await facts(agreement.id), ['repaid', 'disbursement_returned', 0, 10_250])
  const { pledge } = await documentOf(borrower.key, invoice)
  assert.deepEqual([pledge.agreement_id, pledge.status], [other.id, 'recorded'])
  await assertServiceConsistent(running)
})

test('domain 5.4: live: a disbursement that is returned after the repayment flags the agreement', async () => {
  const { agreement } = await loans.accepted(parties)
  const disbursement = await paid(lender.key, agreement.documents.disbursement_id)
  await settle(disbursement)
  const path = `/v1/finance/agreements/${agreement.id}/repayment`
  const { payments } = await posted(borrower.key, path)
  await settle(payments[0].id)
  await returned(disbursement)
  assert.deepEqual(await facts(agreement.id), ['flagged', 'disbursement_returned', 0, 10_250])
})

test('domain 5.4: live: an invoice that settles before the disbursement closes the agreement', async () => {
  const { agreement } = await loans.accepted(parties)
  const proceeds = await paid(debtor.key, agreement.pledged_document_id)
  await settle(proceeds)
  const { status, closed_reason, pledge } = await agreementOf(lender.key, agreement.id)
  assert.deepEqual([status, closed_reason], ['closed', 'collateral_settled'])
  assert.deepEqual([pledge.status, pledge.balance_due], ['paid', 0])
})

test('domain 5.4: live: a loan whose money has all gone back ends, and both can prove it', async () => {
  const { id, documents, pledged_document_id: invoice } = await fundedLoan()
  await credit(invoice, 4_000)
  await settle(await paid(debtor.key, invoice))
  const sweep = await sweepOf(id)
  await settle(sweep)
  await returned((await documentOf(lender.key, documents.disbursement_id)).payment.id)
  assert.deepEqual(await facts(id), ['flagged', 'disbursement_returned', 0, 8_500])
  assert.equal((await documentOf(borrower.key, invoice)).pledge.status, 'released')
  await refunded(sweep)
  assert.deepEqual(await facts(id), ['closed', 'disbursement_returned', 0, 0])
  for (const { key } of [borrower, lender]) {
    const types = await eventTypesOf(key, documents.agreement_id)
    assert.equal(types.filter((type) => type === 'finance.agreement.closed').length, 1)
  }
  await assertBundlesHold(running, invoice, [borrower.key, debtor.key])
  for (const document of Object.values<string>(documents)) {
    await assertBundlesHold(running, document, [borrower.key, lender.key])
  }
  await assertServiceConsistent(running)
})

test('domain 5.1: live: whoever owes the invoice does not lend on it', async () => {
  await enableFinance(running, debtor.key)
  const { id } = await loans.listed(parties)
  const reply = await post(debtor.key, `/v1/finance/listings/${id}/offers`, { kind: 'at_ask' })
  assert.equal(reply.status, 404, reply.text)
})
