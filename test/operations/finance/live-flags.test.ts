/** Flags of live loans, whose payments take their time (domain 5.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveRail } from '../../support/finance/live-rail.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { startTestService } from '../../support/test-service.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const loans = loansClient(running)
const { posted, found, agreementOf } = loans
const parties = await loanParties(running, 'live')
const { borrower, debtor, lender } = parties

const { settle, fail, returned, paid } = liveRail(running, fakeStripe, loans)

const fundedLoan = async () => {
  const { agreement } = await loans.accepted(parties)
  await settle(await paid(lender.key, agreement.documents.disbursement_id))
  return agreement
}

const latestPayment = async (id: string): Promise<string> => {
  const { payments } = await found(lender.key, `/v1/finance/agreements/${id}/repayment`)
  return payments.at(-1).id
}

const repay = async (id: string): Promise<string> => {
  const { payments } = await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  return payments.at(-1).id
}

/** The status, the flag to show, and whether it is cured. */
const facts = async (id: string) => {
  const { status, flag } = await agreementOf(lender.key, id)
  return [status, flag?.code ?? null, flag?.cured_at != null]
}

const flagsTold = async (document: string): Promise<string[]> => {
  const path = `/v1/events?type=finance.agreement.flagged&document=${document}`
  const { data } = await found(lender.key, path)
  return data.map((event: { data: { flag: { code: string } } }) => event.data.flag.code)
}

test('domain 5.4: repayment_returned is not cured by a repayment that is under way', async () => {
  const { id } = await fundedLoan()
  const first = await repay(id)
  await settle(first)
  await returned(first)
  const second = await repay(id)
  assert.deepEqual(await facts(id), ['flagged', 'repayment_returned', false])
  await fail(second)
  assert.deepEqual(await facts(id), ['flagged', 'repayment_returned', false])
  await settle(await repay(id))
  assert.deepEqual(await facts(id), ['repaid', 'repayment_returned', true])
})

test('domain 5.4: sweep_failed is not cured by the next sweep before it has settled', async () => {
  const { id, documents, pledged_document_id: invoice } = await fundedLoan()
  const proceeds = await paid(debtor.key, invoice)
  await settle(proceeds)
  await fail(await latestPayment(id))
  await returned(proceeds)
  await settle(await paid(debtor.key, invoice))
  const { amount_in_flight } = await found(lender.key, `/v1/finance/agreements/${id}/repayment`)
  assert.equal(amount_in_flight, 10_250, 'the second sweep is under way')
  assert.deepEqual(await facts(id), ['flagged', 'sweep_failed', false])
  assert.deepEqual(await flagsTold(documents.agreement_id), ['proceeds_returned', 'sweep_failed'])
  await settle(await latestPayment(id))
  assert.equal((await agreementOf(lender.key, id)).status, 'repaid')
})

test('domain 5.4: sweep_shortfall is not cured by a repayment that is under way', async () => {
  const { id, pledged_document_id: invoice } = await fundedLoan()
  const line_items = [{ description: 'Damaged', quantity: 1, unit_price: 4_000, tax_rate: 0 }]
  const body = { document_type: 'credit_note', line_items }
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, body)
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
  await settle(await paid(debtor.key, invoice))
  await settle(await latestPayment(id))
  assert.deepEqual(await facts(id), ['flagged', 'sweep_shortfall', false])
  const rest = await repay(id)
  assert.deepEqual(await facts(id), ['flagged', 'sweep_shortfall', false])
  await settle(rest)
  assert.deepEqual(await facts(id), ['repaid', 'sweep_shortfall', true])
})
