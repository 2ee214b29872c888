/**
 * A sweep that did not suffice, and then a repayment of the rest: the bank can return the first
 * while the second is under way (domain 4.1 and 5.4).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { inDays } from '../../support/dates.ts'
import { liveRail } from '../../support/finance/live-rail.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { startTestService } from '../../support/test-service.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const loans = loansClient(running)
const { posted, found, agreementOf, documentOf } = loans
const { settle, returned, paid } = liveRail(running, fakeStripe, loans)
const [live, sandbox] = [await loanParties(running, 'live'), await loanParties(running)]

type Parties = typeof live

const creditNote = async ({ borrower }: Parties, invoice: string): Promise<void> => {
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, {
    document_type: 'credit_note',
    line_items: [{ description: 'Damaged', quantity: 1, unit_price: 4_000, tax_rate: 0 }],
  })
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
}

const repaymentOf = ({ lender }: Parties, id: string) =>
  found(lender.key, `/v1/finance/agreements/${id}/repayment`)

const repay = ({ borrower }: Parties, id: string) =>
  posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)

const paymentsOf = async (parties: Parties, id: string): Promise<[string, number][]> => {
  const { payments } = await repaymentOf(parties, id)
  return payments.map(({ status, amount }: { status: string; amount: number }) => [status, amount])
}

/** 8,500.00 of 10,250.00 were swept. */
const partlySwept = async (parties: Parties) => {
  const { borrower, debtor, lender } = parties
  const { agreement } = await loans.accepted(parties)
  const { pledged_document_id: invoice, documents } = agreement
  const isLive = borrower.mode === 'live'
  const pay = async (key: string, document: string) =>
    isLive
      ? settle(await paid(key, document))
      : void (await posted(key, `/v1/documents/${document}/pay`))
  await pay(lender.key, documents.disbursement_id)
  await creditNote(parties, invoice)
  await pay(debtor.key, invoice)
  const { sweeps } = await repaymentOf(parties, agreement.id)
  const sweep: string = sweeps[0].payment_id
  if (isLive) await settle(sweep)
  const repayment: string = documents.repayment_id
  assert.equal((await agreementOf(lender.key, agreement.id)).amount_owed, 1_750)
  return { id: agreement.id, invoice, repayment, sweep }
}

test('domain 4.1: live: a repayment goes on when the sweep before it is returned', async () => {
  const { borrower, lender } = live
  const { id, repayment, sweep } = await partlySwept(live)
  const [, rest] = (await repay(live, id)).payments
  await returned(sweep)

  const shown = await documentOf(borrower.key, repayment)
  assert.deepEqual(
    [shown.status, shown.payable, shown.payment.id, shown.balance_due],
    ['payment_scheduled', false, rest.id, 10_250],
  )
  const { status, flag, amount_owed } = await agreementOf(lender.key, id)
  assert.deepEqual([status, flag.code, amount_owed], ['flagged', 'repayment_returned', 10_250])
  const { data } = await found(lender.key, `/v1/events?document=${repayment}&limit=1`)
  assert.deepEqual(
    [data[0].type, data[0].data.payment.id, data[0].data.payment.status, data[0].data.payable],
    ['payment.failed', sweep, 'returned', false],
  )
  assert.equal((await repay(live, id)).amount_in_flight, 1_750, 'the same payment')

  await settle(rest.id)
  assert.equal((await repay(live, id)).amount_in_flight, 8_500)
  const last = (await repaymentOf(live, id)).payments.at(-1)
  await settle(last.id)
  assert.equal((await agreementOf(lender.key, id)).status, 'repaid')
  await assertServiceConsistent(running)
})

test('domain 5.4: live: a sweep that is returned once the rest has settled is owed again', async () => {
  const { borrower, lender } = live
  const { id, repayment, sweep } = await partlySwept(live)
  const [, rest] = (await repay(live, id)).payments
  await settle(rest.id)
  await returned(sweep)
  const { status, flag, amount_owed } = await agreementOf(lender.key, id)
  assert.deepEqual([status, flag.code, amount_owed], ['flagged', 'repayment_returned', 8_500])
  const shown = await documentOf(borrower.key, repayment)
  assert.deepEqual([shown.status, shown.payable], ['approved', true])
  await returned(rest.id)
  assert.equal((await agreementOf(lender.key, id)).amount_owed, 10_250)
  await assertServiceConsistent(running)
})

const simulate = (key: string, payment: string, outcome: string) =>
  posted(key, `/v1/sandbox/payments/${payment}/simulate`, { outcome })

test('domain 4.1: a scheduled repayment stays scheduled when the sweep before it is returned', async () => {
  const { borrower } = sandbox
  const { id, repayment, sweep } = await partlySwept(sandbox)
  const path = `/v1/documents/${repayment}/transition`
  await posted(borrower.key, path, { to: 'payment_scheduled', scheduled_for: inDays(3) })
  await simulate(borrower.key, sweep, 'return')
  const { status, allowed_transitions } = await documentOf(borrower.key, repayment)
  assert.deepEqual([status, allowed_transitions], ['payment_scheduled', ['approved', 'paid']])
  assert.equal((await posted(borrower.key, path, { to: 'approved' })).balance_due, 10_250)
  assert.equal((await repay(sandbox, id)).amount_repaid, 10_250)
  assert.deepEqual(await paymentsOf(sandbox, id), [
    ['returned', 8_500],
    ['cancelled', 1_750],
    ['settled', 10_250],
  ])
})

test('domain 5.4: proceeds are not swept beside a repayment that is under way', async () => {
  const { borrower, debtor, lender } = sandbox
  const { id, invoice, repayment, sweep } = await partlySwept(sandbox)
  const stuck = { source_account_id: 'acct_test_stuck' }
  await posted(borrower.key, `/v1/documents/${repayment}/pay`, stuck)
  await simulate(borrower.key, sweep, 'return')
  const { payment } = await documentOf(debtor.key, invoice)
  await simulate(debtor.key, payment.id, 'return')
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  assert.deepEqual(await paymentsOf(sandbox, id), [
    ['returned', 8_500],
    ['processing', 1_750],
  ])
  const { status, flag, amount_owed } = await agreementOf(lender.key, id)
  assert.deepEqual([status, flag.cured_at, amount_owed], ['flagged', null, 10_250])
})

test('domain 4.1: a settled repayment that is due to be returned completes no other one', async () => {
  const { borrower } = sandbox
  const { id, repayment, sweep } = await partlySwept(sandbox)
  const returnedLater = { source_account_id: 'acct_test_return' }
  await posted(borrower.key, `/v1/documents/${repayment}/pay`, returnedLater)
  await simulate(borrower.key, sweep, 'return')
  const scheduled = { to: 'payment_scheduled', scheduled_for: inDays(20) }
  await posted(borrower.key, `/v1/documents/${repayment}/transition`, scheduled)
  await posted(borrower.key, '/v1/sandbox/clock', { advance_by: 'P4D' })
  const { status, balance_due } = await documentOf(borrower.key, repayment)
  assert.deepEqual([status, balance_due], ['payment_scheduled', 10_250])
  assert.deepEqual(await paymentsOf(sandbox, id), [
    ['returned', 8_500],
    ['returned', 1_750],
    ['scheduled', 8_500],
  ])
  await assertServiceConsistent(running)
})

test('domain 6: a reset ends a scheduled repayment, and not what was swept before', async () => {
  const parties = await loanParties(running)
  const { borrower, lender } = parties
  const { repayment, sweep } = await partlySwept(parties)
  const path = `/v1/documents/${repayment}/transition`
  await posted(borrower.key, path, { to: 'payment_scheduled', scheduled_for: inDays(3) })
  const swept = await found(lender.key, `/v1/payments/${sweep}`)
  await posted(borrower.key, '/v1/sandbox/reset')
  assert.deepEqual(await found(lender.key, `/v1/payments/${sweep}`), swept)
  const { status, payment } = await documentOf(lender.key, repayment)
  assert.deepEqual([status, payment.status], ['approved', 'cancelled'])
})
