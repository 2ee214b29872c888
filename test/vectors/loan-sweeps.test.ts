/** The sweep cases of domain 5.4 (loan-sweeps.json), driven through the API. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inDays } from '../support/dates.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { startTestService } from '../support/test-service.ts'
import vectors from './loan-sweeps.json' with { type: 'json' }

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found, documentOf } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

interface LoanIds {
  agreement: string
  invoice: string
  disbursement: string
  repayment: string
}

const payers = { invoice: debtor, disbursement: lender, repayment: borrower } as const
type Payable = keyof typeof payers

const slowly = { source_account_id: 'acct_test_stuck' }

const pay =
  (what: Payable, body: object = {}) =>
  (ids: LoanIds) =>
    posted(payers[what].key, `/v1/documents/${ids[what]}/pay`, body)

const schedule = (what: Payable) => (ids: LoanIds) =>
  posted(payers[what].key, `/v1/documents/${ids[what]}/transition`, {
    to: 'payment_scheduled',
    scheduled_for: inDays(4),
  })

const simulate = (outcome: string, what: Payable) => async (ids: LoanIds) => {
  const { key } = payers[what]
  const { payment } = await documentOf(key, ids[what])
  await posted(key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome })
}

const move = (to: string) => (ids: LoanIds) =>
  posted(debtor.key, `/v1/documents/${ids.invoice}/transition`, { to })

const credit = (unit_price: number) => async (ids: LoanIds) => {
  const line_items = [{ description: 'Credit', quantity: 1, unit_price, tax_rate: 0 }]
  const body = { document_type: 'credit_note', line_items }
  const { id } = await posted(borrower.key, `/v1/documents/${ids.invoice}/convert`, body)
  await posted(borrower.key, `/v1/documents/${id}/issue`)
}

const steps: Readonly<Record<string, (ids: LoanIds) => Promise<unknown>>> = {
  fund: pay('disbursement'),
  'fund slowly': pay('disbursement', slowly),
  pay: pay('invoice'),
  'pay slowly': pay('invoice', slowly),
  repay: pay('repayment'),
  'repay slowly': pay('repayment', slowly),
  'schedule repayment': schedule('repayment'),
  'schedule disbursement': schedule('disbursement'),
  dispute: move('disputed'),
  resolve: move('approved'),
}

const stepOf = (name: string): ((ids: LoanIds) => Promise<unknown>) => {
  const [verb = '', object = ''] = name.split(' ')
  if (verb === 'credit') return credit(Number(object))
  if (['settle', 'fail', 'return'].includes(verb)) return simulate(verb, object as Payable)
  const step = steps[name]
  assert(step, `an unknown step: ${name}`)
  return step
}

describe('domain 5.4: what is swept, owed and flagged', () => {
  for (const { case: title, steps: names, expected, terms } of vectors.cases) {
    test(`${title}: ${names.join(', ')}`, async () => {
      const { agreement } = await loans.accepted(parties, terms === undefined ? {} : { terms })
      const { disbursement_id: disbursement, repayment_id: repayment } = agreement.documents
      const { id, pledged_document_id: invoice } = agreement
      const ids = { agreement: id, invoice, disbursement, repayment }
      for (const name of names) await stepOf(name)(ids)
      for (const { key } of [borrower, lender]) {
        const loan = await loans.agreementOf(key, id)
        const { sweeps } = await found(key, `/v1/finance/agreements/${id}/repayment`)
        const actual = {
          status: loan.status,
          closed_reason: loan.closed_reason,
          flag: loan.flag?.code ?? null,
          owed: loan.amount_owed,
          repaid: loan.amount_repaid,
          sweeps: sweeps.map(({ proceeds, amount }: Record<string, number>) => [proceeds, amount]),
        }
        assert.deepEqual(actual, expected)
      }
    })
  }
})
