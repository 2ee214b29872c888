/** Kinds of payments and of postings in the words of finance people. */
import type { Payment, Transaction } from '../api/types.ts'

const sweep = 'Loan repayment from the invoice'

export const paymentWords: Record<Payment['kind'], string> = {
  document_payment: 'Payment',
  refund: 'Refund',
  disbursement: 'Loan paid out',
  repayment: 'Loan repayment',
  sweep,
}

export const postingWords: Record<Transaction['type'], string> = {
  payment_out: 'Payment out',
  payment_in: 'Payment in',
  sweep_out: `${sweep}, out`,
  sweep_in: `${sweep}, in`,
  return: 'Return',
  topup: 'Top-up',
  withdrawal: 'Withdrawal',
}
