/** The steps of loan-sweeps.json, on any rail. */
import assert from 'node:assert/strict'
import { inDays } from '../dates.ts'
import type { LoanParties, loansClient } from './loans.ts'

export interface LoanIds {
  agreement: string
  invoice: string
  disbursement: string
  repayment: string
}

const payables = ['invoice', 'disbursement', 'repayment'] as const
export type Payable = (typeof payables)[number]

export type Outcome = 'settle' | 'fail' | 'return'

/** How a rail pays, and what becomes of its payments. */
export interface Rail {
  /** Pays what is due; the payment settles, unless it takes its time. */
  pay(key: string, document: string, isSlow: boolean): Promise<unknown>
  /** What happens to the latest payment of a document. */
  happens(outcome: Outcome, key: string, document: string): Promise<unknown>
}

/** The simulator, where the outcome of a payment is asked for. */
export const simulatedRail = ({ posted, documentOf }: ReturnType<typeof loansClient>): Rail => ({
  pay: (key, document, isSlow) =>
    posted(
      key,
      `/v1/documents/${document}/pay`,
      isSlow ? { source_account_id: 'acct_test_stuck' } : {},
    ),
  happens: async (outcome, key, document) => {
    const { payment } = await documentOf(key, document)
    await posted(key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome })
  },
})

const verbs: Readonly<Record<string, Payable>> = {
  fund: 'disbursement',
  pay: 'invoice',
  repay: 'repayment',
}

export const loanSteps = (
  { posted }: ReturnType<typeof loansClient>,
  { borrower, debtor, lender }: LoanParties,
  rail: Rail,
) => {
  const payers = { invoice: debtor, disbursement: lender, repayment: borrower } as const

  const transition = (what: Payable, ids: LoanIds, body: object) =>
    posted(payers[what].key, `/v1/documents/${ids[what]}/transition`, body)

  const credit = async (ids: LoanIds, unit_price: number) => {
    const line_items = [{ description: 'Credit', quantity: 1, unit_price, tax_rate: 0 }]
    const body = { document_type: 'credit_note', line_items }
    const { id } = await posted(borrower.key, `/v1/documents/${ids.invoice}/convert`, body)
    await posted(borrower.key, `/v1/documents/${id}/issue`)
  }

  return async (name: string, ids: LoanIds): Promise<void> => {
    const [verb = '', object = ''] = name.split(' ')
    const paid = verbs[verb]
    const what = payables.find((one) => one === object)
    if (paid !== undefined) {
      await rail.pay(payers[paid].key, ids[paid], object === 'slowly')
    } else if (verb === 'schedule' && what !== undefined) {
      await transition(what, ids, { to: 'payment_scheduled', scheduled_for: inDays(4) })
    } else if (verb === 'credit') await credit(ids, Number(object))
    else if (verb === 'dispute') await transition('invoice', ids, { to: 'disputed' })
    else if (verb === 'resolve') await transition('invoice', ids, { to: 'approved' })
    else if (verb === 'reject') await transition('invoice', ids, { to: 'rejected' })
    else {
      assert(['settle', 'fail', 'return'].includes(verb) && what, `an unknown step: ${name}`)
      await rail.happens(verb as Outcome, payers[what].key, ids[what])
    }
  }
}

/** The parts of a loan, by the answer of accepting its offer. */
export const idsOf = ({
  agreement: { id, pledged_document_id: invoice, documents },
}: {
  agreement: { id: string; pledged_document_id: string; documents: Record<string, string> }
}): LoanIds => ({
  agreement: id,
  invoice,
  disbursement: documents['disbursement_id']!,
  repayment: documents['repayment_id']!,
})

/** What the cases state of a loan, which borrower and lender read alike. */
export const outcomeOf = async (
  { agreementOf, documentOf, found }: ReturnType<typeof loansClient>,
  { borrower, lender }: LoanParties,
  { agreement: id, invoice }: LoanIds,
) => {
  const readBy = async (key: string) => {
    const loan = await agreementOf(key, id)
    const { sweeps } = await found(key, `/v1/finance/agreements/${id}/repayment`)
    return {
      status: loan.status,
      closed_reason: loan.closed_reason,
      flag: loan.flag?.code ?? null,
      owed: loan.amount_owed,
      repaid: loan.amount_repaid,
      sweeps: sweeps.map(({ proceeds, amount }: Record<string, number>) => [proceeds, amount]),
    }
  }
  const read = await readBy(lender.key)
  assert.deepEqual(await readBy(borrower.key), read)
  const { pledge } = await documentOf(borrower.key, invoice)
  return { ...read, pledge: pledge.status }
}
