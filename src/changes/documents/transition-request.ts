/** POST /transition: validates the request, then makes the move, with or without a payment. */
import type { Problem } from '../../contract/problem.ts'
import type { Side } from '../../contract/document-types.ts'
import type { TransitionRequest } from '../../contract/shapes/documents.ts'
import { refuseProblems } from '../../contract/errors.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { requireMoveApproval } from '../payments/payment-approval.ts'
import { cancelPayment, markDocumentPaid } from '../payments/payment-lifecycle.ts'
import {
  type PaymentInitiation,
  executeEarly,
  initiatePayment,
} from '../payments/initiate-payment.ts'
import { sourceAccountProblems } from '../payments/payment-accounts.ts'
import { paymentOf } from '../payments/payment-record.ts'
import { checkIsNotRepeated, legalMove, moveWithoutPayment } from './transitions.ts'

export const transitionDocument = (
  change: ChangeContext,
  document: DocumentRow,
  side: Side,
  request: TransitionRequest,
): DocumentRow => {
  const move = legalMove(change, document, side, request.to)
  refuseProblems(misplacedFields(request))
  if (request.to === 'disputed') checkIsNotRepeated(document)
  if (move.affectsPayment !== true) return moveWithoutPayment(change, document, side, request)
  if (document.status === 'approved')
    return initiatePayment(change, document, request as PaymentInitiation)
  const payment = paymentOf(change.unit, document)!
  if (request.to === 'approved') {
    requireMoveApproval(change, document, payment, 'Cancel the payment of')
    return cancelPayment(change, document, payment)
  }
  if (payment.status === 'scheduled')
    return executeEarly(change, document, payment, request as PaymentInitiation)
  requireMoveApproval(change, document, payment, 'Mark as paid')
  return markDocumentPaid(change, document, payment)
}

/** Problems of the body, found without reading any record. `to` may be missing. */
export const transitionProblems = (request: Partial<TransitionRequest>): Problem[] => {
  const misplaced = misplacedFields(request)
  return misplaced.length > 0 ? misplaced : sourceAccountProblems(request)
}

/** What steers a payment, in a move that executes none. */
const misplacedFields = (request: Partial<TransitionRequest>): Problem[] => {
  const { to } = request
  if (to === undefined || to === 'paid' || to === 'payment_scheduled') return []
  return (['payment_method', 'source_account_id', 'scheduled_for'] as const)
    .filter((field) => request[field] !== undefined)
    .map((field) => ({
      param: `/${field}`,
      code: 'invalid_value',
      message: `This field applies only to payments, and a move to ${to} executes none.`,
      fix: `leave ${field} out, or move to paid or payment_scheduled`,
    }))
}
