/** Every flag of an agreement and its cure (domain 5.4), with the clocks of sandboxes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { move } from '../../support/fixtures.ts'
import { askedTerms, loanParties, loansClient } from '../../support/finance/loans.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService()
const loans = loansClient(running)
const { posted, agreementOf, documentOf, eventTypesOf } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

/** The status, the flag to show, and whether it is cured. */
const facts = async (id: string) => {
  const { status, flag } = await agreementOf(lender.key, id)
  return [status, flag?.code ?? null, flag?.cured_at != null]
}

const pay = async (key: string, document: string, body: object = {}): Promise<string> =>
  (await posted(key, `/v1/documents/${document}/pay`, body)).payment.id

const simulate = (key: string, payment: string, outcome: string) =>
  posted(key, `/v1/sandbox/payments/${payment}/simulate`, { outcome })

const repay = (id: string) => posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)

const credit = async (key: string, invoice: string, unit_price: number): Promise<void> => {
  const note = await posted(key, `/v1/documents/${invoice}/convert`, {
    document_type: 'credit_note',
    line_items: [{ description: 'Damaged', quantity: 1, unit_price, tax_rate: 0 }],
  })
  await posted(key, `/v1/documents/${note.id}/issue`)
}

test('domain 5.4: funding_overdue by the clock of the lender, cured by the disbursement', async () => {
  const others = await loanParties(running)
  const advance = (advance_by: string) =>
    posted(others.lender.key, '/v1/sandbox/clock', { advance_by })
  await advance('P2D')
  const { agreement } = await loans.accepted(others)
  const current = () => agreementOf(others.borrower.key, agreement.id)
  await advance('P4D')
  assert.equal((await current()).status, 'accepted', 'a day is left')
  await advance('P2D')
  const flagged = await current()
  assert.deepEqual([flagged.status, flagged.flag.code], ['flagged', 'funding_overdue'])
  await pay(others.lender.key, agreement.documents.disbursement_id)
  const funded = await current()
  assert.deepEqual([funded.status, funded.amount_owed], ['funded', 10_250])
  assert.notEqual(funded.flag.cured_at, null)
})

test('domain 5.4: funding_overdue still lets either party withdraw', async () => {
  const others = await loanParties(running)
  const { agreement } = await loans.accepted(others)
  await posted(others.lender.key, '/v1/sandbox/clock', { advance_by: 'P6D' })
  const path = `/v1/finance/agreements/${agreement.id}/withdraw`
  const { status, closed_reason } = await posted(others.borrower.key, path)
  assert.deepEqual([status, closed_reason], ['closed', 'withdrawn'])
})

test('domain 5.4: repayment_overdue by the clock of the borrower, cured by the repayment', async () => {
  const others = await loanParties(running)
  const { id } = await loans.funded(others)
  const current = () => agreementOf(others.lender.key, id)
  await posted(others.borrower.key, '/v1/sandbox/clock', { advance_by: 'P37D' })
  assert.equal((await current()).status, 'funded', 'the last day of grace')
  const { pledged_document_id: invoice } = await agreementOf(others.borrower.key, id)
  for (const to of ['disputed', 'approved']) {
    assert.equal((await move(running, others.debtor.key, invoice, to)).body.status, to)
  }
  assert.equal((await current()).status, 'funded', 'whatever happens on that day')
  await posted(others.borrower.key, '/v1/sandbox/clock', { advance_by: 'P1D' })
  const flagged = await current()
  assert.deepEqual([flagged.status, flagged.flag.code], ['flagged', 'repayment_overdue'])
  await posted(others.borrower.key, `/v1/finance/agreements/${id}/repayment`)
  const closed = await current()
  assert.deepEqual([closed.status, closed.closed_reason], ['closed', 'repaid'])
  assert.notEqual(closed.flag.cured_at, null)
})

test('domain 5.4: collateral_disputed before funding and after, once per code', async () => {
  const { agreement } = await loans.accepted(parties)
  const { id, pledged_document_id: invoice } = agreement
  await move(running, debtor.key, invoice, 'disputed')
  assert.deepEqual(await facts(id), ['flagged', 'collateral_disputed', false])
  await move(running, debtor.key, invoice, 'approved')
  assert.deepEqual(await facts(id), ['accepted', 'collateral_disputed', true])
  await pay(lender.key, agreement.documents.disbursement_id)
  await move(running, debtor.key, invoice, 'disputed')
  assert.deepEqual(await facts(id), ['flagged', 'collateral_disputed', false])
  await move(running, debtor.key, invoice, 'approved')
  assert.deepEqual(await facts(id), ['funded', 'collateral_disputed', true])
  const types = await eventTypesOf(lender.key, agreement.documents.agreement_id)
  assert.equal(types.filter((type) => type === 'finance.agreement.flagged').length, 1)
})

test('domain 5.4: collateral_diluted before funding, cured once the loan is repaid', async () => {
  const { agreement } = await loans.accepted(parties)
  await credit(borrower.key, agreement.pledged_document_id, 2_250)
  assert.deepEqual(await facts(agreement.id), ['accepted', null, false], 'enough is left: 10,250')
  await credit(borrower.key, agreement.pledged_document_id, 1_000)
  assert.deepEqual(await facts(agreement.id), ['flagged', 'collateral_diluted', false])
  await pay(lender.key, agreement.documents.disbursement_id)
  assert.deepEqual(await facts(agreement.id), ['flagged', 'collateral_diluted', false])
  await repay(agreement.id)
  assert.deepEqual(await facts(agreement.id), ['closed', 'collateral_diluted', true])
})

test('domain 5.4: collateral_diluted by a credit note between the offer and its acceptance', async () => {
  const { id: listing, document_id: invoice } = await loans.listed(parties)
  const path = `/v1/finance/listings/${listing}/offers`
  const offer = await posted(lender.key, path, { kind: 'at_ask' })
  await credit(borrower.key, invoice, 2_500)
  const accept = `/v1/finance/offers/${offer.id}/accept`
  const { agreement } = await posted(borrower.key, accept, loans.acceptanceOf(offer))
  // The lender learns of it before it pays.
  await until('it is flagged', async () => (await facts(agreement.id))[0] === 'flagged')
  assert.deepEqual(await facts(agreement.id), ['flagged', 'collateral_diluted', false])
})

test('domain 5.4: what was credited before the offer dilutes nothing that the lender signed', async () => {
  const { id } = await loans.invoice(parties)
  await credit(borrower.key, id, 2_500)
  const offer = await loans.offered(parties, { document_id: id })
  const accept = `/v1/finance/offers/${offer.id}/accept`
  const { agreement } = await posted(borrower.key, accept, loans.acceptanceOf(offer))
  await pay(lender.key, agreement.documents.disbursement_id)
  assert.deepEqual(await facts(agreement.id), ['funded', null, false])
  await credit(borrower.key, id, 1)
  assert.deepEqual(await facts(agreement.id), ['flagged', 'collateral_diluted', false])
})

test('domain 5.4: proceeds_returned, cured when the invoice is paid again and swept', async () => {
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  await credit(borrower.key, invoice, 4_000)
  const payment = await pay(debtor.key, invoice)
  await simulate(debtor.key, payment, 'return')
  assert.deepEqual(await facts(id), ['flagged', 'proceeds_returned', false])
  await pay(debtor.key, invoice)
  const { status, flag, amount_repaid } = await agreementOf(lender.key, id)
  assert.deepEqual([status, amount_repaid], ['closed', 10_250])
  assert.notEqual(flag.cured_at, null)
})

test('domain 5.4: disbursement_returned, cured when the lender pays again', async () => {
  const { agreement } = await loans.accepted(parties)
  const { disbursement_id, repayment_id } = agreement.documents
  const payment = await pay(lender.key, disbursement_id)
  const { funded_at } = await agreementOf(lender.key, agreement.id)
  await simulate(lender.key, payment, 'return')
  assert.deepEqual(await facts(agreement.id), ['flagged', 'disbursement_returned', false])
  assert.equal((await agreementOf(borrower.key, agreement.id)).amount_owed, 0)
  await pay(lender.key, disbursement_id)
  const again = await agreementOf(lender.key, agreement.id)
  assert.equal(again.funded_at, funded_at, 'it tells when it was funded first')
  assert.deepEqual(await facts(agreement.id), ['funded', 'disbursement_returned', true])
  assert.equal((await documentOf(borrower.key, repayment_id)).payable, true)
})

test('domain 1: while the disbursement is returned the repayment is not payable, and says so', async () => {
  const { id, documents } = await loans.funded(parties)
  const { payment } = await documentOf(lender.key, documents.disbursement_id)
  const shown = async () => {
    const { payable, allowed_transitions } = await documentOf(borrower.key, documents.repayment_id)
    return [payable, allowed_transitions]
  }
  const before = await shown()
  assert.deepEqual(before, [true, ['payment_scheduled', 'paid']])
  await simulate(lender.key, payment.id, 'return')
  assert.deepEqual(await shown(), [false, []])
  const path = `/v1/documents/${documents.repayment_id}`
  const paying = await loans.post(borrower.key, `${path}/pay`)
  assert.deepEqual(assertRefused(paying, 'conflict', 'not_payable')['allowed'], [])
  const moving = await loans.post(borrower.key, `${path}/transition`, { to: 'paid' })
  assert.deepEqual(assertRefused(moving, 'conflict', 'illegal_transition')['allowed'], [])
  await assertBundlesHold(running, documents.repayment_id, [borrower.key, lender.key])
  await pay(lender.key, documents.disbursement_id)
  assert.deepEqual(await shown(), before)
  await repay(id)
  assert.equal((await agreementOf(lender.key, id)).closed_reason, 'repaid')
})

test('domain 5.4: while the disbursement is returned nothing is owed, repaid or swept', async () => {
  const { agreement } = await loans.accepted(parties)
  const { disbursement_id, repayment_id } = agreement.documents
  const payment = await pay(lender.key, disbursement_id)
  const scheduled_for = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  const more = { scheduled_for }
  await move(running, borrower.key, repayment_id, 'payment_scheduled', more)
  await simulate(lender.key, payment, 'return')
  const cancelled = await documentOf(borrower.key, repayment_id)
  assert.deepEqual([cancelled.status, cancelled.payment.status], ['approved', 'cancelled'])
  for (const path of [
    `/v1/documents/${repayment_id}/pay`,
    `/v1/finance/agreements/${agreement.id}/repayment`,
  ]) {
    const refused = await loans.post(borrower.key, path)
    assert.deepEqual([refused.status, refused.body.error?.details.reason], [409, 'not_payable'])
  }
  await pay(debtor.key, agreement.pledged_document_id)
  const ended = await agreementOf(lender.key, agreement.id)
  assert.deepEqual([ended.amount_owed, ended.amount_repaid], [0, 0])
  assert.equal(ended.closed_reason, 'collateral_settled', 'nothing secures the loan any more')
  assert.equal((await documentOf(borrower.key, repayment_id)).status, 'cancelled')
})

test('domain 5.4: a returned disbursement leaves the deadline, and lets either party withdraw', async () => {
  const others = await loanParties(running)
  const { id, documents, pledged_document_id: invoice } = await loans.funded(others)
  const { payment } = await documentOf(others.lender.key, documents.disbursement_id)
  await simulate(others.lender.key, payment.id, 'return')
  await posted(others.lender.key, '/v1/sandbox/clock', { advance_by: 'P6D' })
  const flagged = await agreementOf(others.borrower.key, id)
  assert.deepEqual([flagged.status, flagged.flag.code], ['flagged', 'funding_overdue'])
  const path = `/v1/finance/agreements/${id}/withdraw`
  const { status, closed_reason } = await posted(others.borrower.key, path)
  assert.deepEqual([status, closed_reason], ['closed', 'withdrawn'])
  for (const one of [documents.disbursement_id, documents.repayment_id]) {
    assert.equal((await documentOf(others.lender.key, one)).status, 'cancelled')
  }
  const { pledge } = await documentOf(others.borrower.key, invoice)
  assert.equal(pledge.status, 'released')
  const again = { document_id: invoice, terms: askedTerms }
  await posted(others.borrower.key, '/v1/finance/listings', again)
})

test('domain 5.4: whoever has repaid everything has its receivable back, whatever came first', async () => {
  const others = await loanParties(running)
  const { id, documents, pledged_document_id: invoice } = await loans.funded(others)
  const { payment } = await documentOf(others.lender.key, documents.disbursement_id)
  const slowly = { source_account_id: 'acct_test_async' }
  const repayment = await pay(others.borrower.key, documents.repayment_id, slowly)
  await simulate(others.lender.key, payment.id, 'return')
  assert.equal((await documentOf(others.borrower.key, invoice)).pledge.status, 'assigned')
  await simulate(others.borrower.key, repayment, 'settle')
  const flagged = await agreementOf(others.lender.key, id)
  assert.deepEqual(
    [flagged.status, flagged.flag.code, flagged.amount_owed, flagged.amount_repaid],
    ['flagged', 'disbursement_returned', 0, 10_250],
  )
  assert.equal((await documentOf(others.borrower.key, invoice)).pledge.status, 'released')
  const again = { document_id: invoice, terms: askedTerms }
  await posted(others.borrower.key, '/v1/finance/listings', again)
  await pay(others.lender.key, documents.disbursement_id)
  assert.equal((await agreementOf(others.lender.key, id)).closed_reason, 'repaid')
})

test('domain 5.4: repayment_returned of a sweep that did not suffice, cured by a repayment', async () => {
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  await credit(borrower.key, invoice, 4_000)
  await pay(debtor.key, invoice)
  assert.deepEqual(await facts(id), ['flagged', 'sweep_shortfall', false])
  const view = await loans.found(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  await simulate(borrower.key, view.sweeps[0].payment_id, 'return')
  const { status, flag, amount_owed, amount_repaid } = await agreementOf(lender.key, id)
  assert.deepEqual(
    [status, flag.code, amount_owed, amount_repaid],
    ['flagged', 'repayment_returned', 10_250, 0],
  )
  await repay(id)
  assert.deepEqual((await agreementOf(lender.key, id)).closed_reason, 'repaid')
})

test('domain 5.4: a scheduled disbursement is cancelled when the collateral settles', async () => {
  const { agreement } = await loans.accepted(parties)
  const scheduled_for = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  const { disbursement_id } = agreement.documents
  const more = { scheduled_for }
  await move(running, lender.key, disbursement_id, 'payment_scheduled', more)
  await pay(debtor.key, agreement.pledged_document_id)
  const { closed_reason } = await agreementOf(borrower.key, agreement.id)
  assert.equal(closed_reason, 'collateral_settled')
  assert.equal((await documentOf(lender.key, disbursement_id)).status, 'cancelled')
})
