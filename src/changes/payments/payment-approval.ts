/** The approval of a payment, before it is made, brought forward or cancelled. */
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import { encodeId } from '../../core/ids.ts'
import { minorText } from '../../core/money.ts'
import type { PaymentRow } from '../../store/payments/payments.ts'
import type { ApprovalSubject } from '../../core/approvals/approval-statement.ts'
import { financeOf } from '../../core/finance/document-finance.ts'
import { requireApproval } from '../approvals/required-approval.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { loanOf } from '../finance/loan-facts.ts'
import { todayOf } from '../organization-clock.ts'

/**
 * The document, and the agreement with a disbursement: it repeats the state of the pledged invoice,
 * so that nobody lends by an approval of what was pledged before.
 */
export const paymentSubject = ({ unit }: ChangeContext, document: DocumentRow): ApprovalSubject => {
  const { id, revision, type } = document
  const paid = { document: { id: encodeId('doc', id), revision } }
  const { loan } = financeOf(document)
  if (type !== 'disbursement' || loan === null) return paid
  const { agreement } = loanOf(unit, loan)
  const { updated_at } = agreement
  return { ...paid, agreement: { id: encodeId('agr', agreement.id), updated_at } }
}

export interface PaymentToApprove {
  amount: bigint
  currency: string
  payee: string
  day: string
  /** What it does, such as `Pay`. */
  verb: string
}

/** The amount has been counted for its day. */
export const requirePaymentApproval = (
  change: ChangeContext,
  document: DocumentRow,
  { verb, ...payment }: PaymentToApprove,
): void => {
  const { amount, currency, payee } = payment
  const name = change.unit.get('organizations', payee)?.name ?? encodeId('org', payee)
  requireApproval(change, {
    ...payment,
    subject: paymentSubject(change, document),
    uncounted: 0n,
    document_type: document.type,
    connection_id: document.connection_id,
    summary: `${verb} ${minorText(amount)} ${currency} to ${name} for ${nameForPayer(document)}`,
  })
}

/** Only the people of the payer read it, who know the document by their own label and number. */
const nameForPayer = ({ type, issuer_number, counterparty_number }: DocumentRow): string => {
  const { payer, issuer, counterparty } = documentTypes[type as DocumentTypeName]
  return payer === 'issuer'
    ? `${issuer.label.toLowerCase()} ${issuer_number}`
    : `${counterparty.label.toLowerCase()} ${counterparty_number}`
}

/** A move that initiates nothing: it cancels a payment, or follows one that has settled. */
export const requireMoveApproval = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  verb: string,
): void => {
  const { amount, currency, payee_id: payee } = payment
  const day = dayOfMove(change, payment)
  requirePaymentApproval(change, document, { amount, currency, payee, day, verb })
}

/** The day for which the key has counted the payment itself; for what others initiated, today. */
const dayOfMove = (
  { unit, caller: { actor } }: ChangeContext,
  { payer_id, limit_root, limit_day }: PaymentRow,
): string => {
  const root = actor.kind === 'api_key' ? unit.get('keys', actor.key_id)?.root_id : undefined
  return limit_day !== null && limit_root === root ? limit_day : todayOf(unit, payer_id)
}
