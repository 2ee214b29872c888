/**
 * The record of an agreement repeats what its documents say, and each of them is proven to be the
 * newest version of itself (store/documents/newest-version.ts). A record that says something else
 * is an old one that has come back (docs/decisions/0144).
 */
import { balanceDue } from '../documents/projection.ts'
import type { Rows } from '../../database/rows.ts'

type DocumentRow = Rows['documents']

/** The documents of a loan, as far as they are loaded. */
export interface LoanDocuments {
  contract?: DocumentRow | undefined
  disbursement?: DocumentRow | undefined
  repayment?: DocumentRow | undefined
}

/** After a sandbox reset of borrower or lender nothing of the loan changes any more. */
export const isFrozenLoan = ({ contract, disbursement, repayment }: LoanDocuments): boolean =>
  [contract, disbursement, repayment].some((one) => one?.is_frozen === true)

/**
 * Whether the record agrees with these documents, between two changes. Documents of a closed loan
 * may change without it, and so may all of them once borrower or lender has reset its sandbox.
 */
export const agreesWithDocuments = (
  agreement: Rows['finance_agreements'],
  documents: LoanDocuments,
): boolean => {
  const { contract, disbursement, repayment } = documents
  if (contract !== undefined && contract.status !== agreement.status) return false
  if (agreement.closed_at !== null || isFrozenLoan(documents)) return true
  const isFunded = disbursement === undefined ? agreement.is_funded : disbursement.amount_paid > 0n
  if (isFunded !== agreement.is_funded) return false
  if (repayment === undefined) return true
  const owed = isFunded ? balanceDue(repayment) : 0n
  return repayment.amount_paid === agreement.amount_repaid && owed === agreement.amount_owed
}
