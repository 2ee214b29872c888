/**
 * The record of a payment beside its document: looked up, and kept on both in one step, so that
 * they never disagree. What becomes of a payment is in settlement.ts.
 */
import { encodeId } from '../../core/ids.ts'
import { minorText } from '../../core/money.ts'
import {
  type PaymentRecord,
  serializePayment,
  parsePayment,
} from '../../core/payments/payment-record.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext } from '../change-context.ts'
import { type DocumentStep, applyStep } from '../documents/transitions.ts'
import { changeTime } from '../organization-counters.ts'
import { organizationClockMs } from '../history-and-events.ts'

type Document = Rows['documents']
export type PaymentRow = Rows['payments']

/** The latest payment of a document, as it stands now. */
export const paymentOf = (unit: UnitOfWork, document: Document): PaymentRow | undefined =>
  document.payment === null ? undefined : unit.get('payments', parsePayment(document.payment).id)

/**
 * A time on the payer's own clock, so long after what is done now was due: a clock that jumps
 * meets everything in its order. What was not due before is done now.
 */
export const dueAfter = (
  unit: UnitOfWork,
  { payer_id, due_at }: PaymentRow,
  afterMs: number,
): string => {
  const now = organizationClockMs(unit, payer_id)
  const due = due_at === null ? now : Math.min(now, Date.parse(due_at))
  return new Date(due + afterMs).toISOString()
}

/** Takes the step of the document, then keeps the payment on both: they never disagree. */
export const saveStep = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
  step: DocumentStep,
): Document => {
  const { unit } = change
  const next: PaymentRow = { ...payment, updated_at: sharedChangeTime(unit, document) }
  const { document: moved, positions } = applyStep(change, document, {
    ...step,
    set: { ...step.set, payment: serializePayment(next) },
    history: { ...step.history, more: { payment: paymentInHistory(next) } },
  })
  const isNew = unit.get('payments', payment.id) === undefined
  const paidByIssuer = payment.payer_id === document.issuer_id
  const [payer, payee] = paidByIssuer
    ? [positions.issuer, positions.counterparty]
    : [positions.counterparty, positions.issuer]
  unit.save('payments', isNew ? { ...next, payer_position: payer, payee_position: payee } : next)
  return moved
}

/** What both parties hold of it in the document's history. */
const paymentInHistory = (payment: PaymentRecord): object => ({
  id: encodeId('pay', payment.id),
  kind: payment.kind,
  status: payment.status,
  amount: minorText(payment.amount),
  currency: payment.currency,
})

export const sharedChangeTime = (
  unit: UnitOfWork,
  { issuer_id, counterparty_id }: Document,
): string => changeTime(unit, [issuer_id, counterparty_id])

/** The document and the payment that a task or the sandbox names, if they are still there. */
export const loadedPayment = (
  unit: UnitOfWork,
  id: string,
): { document: Document; payment: PaymentRow } | undefined => {
  const payment = unit.get('payments', id)
  const document = payment && unit.get('documents', payment.document_id)
  return payment === undefined || document === undefined ? undefined : { document, payment }
}

/** To be asked again later, on the payer's clock; the rail's reference is kept, nobody is told. */
export const reschedulePayment = (
  unit: UnitOfWork,
  payment: PaymentRow,
  { askAgainMs, reference }: { askAgainMs: number; reference?: string },
): void =>
  unit.save('payments', {
    ...payment,
    attempts: payment.attempts + 1,
    settlement_reference: reference ?? payment.settlement_reference,
    due_at: new Date(organizationClockMs(unit, payment.payer_id) + askAgainMs).toISOString(),
  })

export const isPaymentDue = (unit: UnitOfWork, payment: PaymentRow): boolean =>
  payment.due_at !== null &&
  Date.parse(payment.due_at) <= organizationClockMs(unit, payment.payer_id)
