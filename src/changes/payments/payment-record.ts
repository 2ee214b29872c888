/**
 * The row of a payment and its copy on the document, written in one step so that they never
 * disagree. payment-lifecycle.ts decides what happens to a payment.
 */
import { encodeId } from '../../core/ids.ts'
import { minorText } from '../../core/money.ts'
import {
  type PaymentRecord,
  isEarlierPayment,
  serializePayment,
  parsePayment,
} from '../../core/payments/payment-record.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { PaymentRow } from '../../store/payments/payments.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { type DocumentStep, applyStep } from '../documents/transitions.ts'
import type { EventDraft } from '../events.ts'
import { changeTime } from '../organization-counters.ts'
import { organizationClockMs } from '../organization-clock.ts'

/** The current row of a document's latest payment. */
export const paymentOf = (unit: UnitOfWork, document: DocumentRow): PaymentRow | undefined =>
  document.payment === null ? undefined : unit.get('payments', parsePayment(document.payment).id)

/** The bank may return one payment while the next one is under way, which goes on. */
export const statusAfterFailure = (
  { status, payment: newest }: DocumentRow,
  payment: PaymentRow,
): 'payment_scheduled' | 'approved' =>
  status === 'payment_scheduled' && isEarlierPayment(payment, newest)
    ? 'payment_scheduled'
    : 'approved'

/** The money has moved, and the document will be paid: an earlier payment completes nothing. */
export const isBeingCompleted = (
  { status, payment: newest }: DocumentRow,
  payment: PaymentRow,
): boolean =>
  status === 'payment_scheduled' &&
  payment.status === 'settled' &&
  !isEarlierPayment(payment, newest)

/**
 * A time on the payer's clock, counted from when the current step was due, so a clock that jumps
 * meets all steps in their order. Without a past due time it counts from now.
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

export interface PaymentStep extends DocumentStep {
  /** The ledger transactions that it opened, if the payment does not name them itself. */
  transactions?: readonly string[]
}

/** Applies the document's step and saves the payment, also in the document if it is its newest. */
export const saveStep = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  { transactions, ...step }: PaymentStep,
): DocumentRow => {
  const { unit } = change
  const next: PaymentRow = { ...payment, updated_at: sharedChangeTime(unit, document) }
  const before = unit.get('payments', payment.id)
  const opened = transactions ?? openedTransactions(before, next)
  const stored = serializePayment(next)
  const shown = isEarlierPayment(next, document.payment)
    ? { events: step.events.map((event) => showingPayment(event, stored)) }
    : { set: { ...step.set, payment: stored } }
  const { document: moved, positions } = applyStep(change, document, {
    ...step,
    ...shown,
    history: { ...step.history, more: { payment: paymentInHistory(next, opened) } },
  })
  const isNew = before === undefined
  const paidByIssuer = payment.payer_id === document.issuer_id
  const [payer, payee] = paidByIssuer
    ? [positions.issuer, positions.counterparty]
    : [positions.counterparty, positions.issuer]
  unit.save('payments', isNew ? { ...next, payer_position: payer, payee_position: payee } : next)
  return moved
}

/** The event of an earlier payment shows that one, and not the document's newest. */
const showingPayment = ({ extraText, ...event }: EventDraft, payment: string): EventDraft =>
  extraText === undefined
    ? event
    : { ...event, extraText: (receiver, document) => extraText(receiver, { ...document, payment }) }

const openedTransactions = (before: PaymentRow | undefined, next: PaymentRow): string[] =>
  [next.out_tx, next.in_tx].filter(
    (id): id is string => id !== null && id !== before?.out_tx && id !== before?.in_tx,
  )

/**
 * The payment as the document's history shows it to both parties. The id of a transaction says
 * nothing of the accounts, and only the organization whose account it moves can read it.
 */
const paymentInHistory = (payment: PaymentRecord, opened: readonly string[]): object => ({
  id: encodeId('pay', payment.id),
  kind: payment.kind,
  status: payment.status,
  amount: minorText(payment.amount),
  currency: payment.currency,
  ...(opened.length === 0 ? {} : { transactions: opened.map((id) => encodeId('ttx', id)) }),
})

export const sharedChangeTime = (
  unit: UnitOfWork,
  { issuer_id, counterparty_id }: DocumentRow,
): string => changeTime(unit, [issuer_id, counterparty_id])

export interface LoadedPayment {
  document: DocumentRow
  payment: PaymentRow
}

/** A payment and its document, if both are loaded. */
export const loadedPayment = (unit: UnitOfWork, id: string): LoadedPayment | undefined => {
  const payment = unit.get('payments', id)
  const document = payment && unit.get('documents', payment.document_id)
  return payment === undefined || document === undefined ? undefined : { document, payment }
}

/**
 * Schedules the next query of the rail on the payer's clock; saves its reference, emits nothing.
 */
export const reschedulePayment = (
  unit: UnitOfWork,
  payment: PaymentRow,
  { pollAfterMs, reference }: { pollAfterMs: number; reference?: string },
): void =>
  unit.save('payments', {
    ...payment,
    attempts: payment.attempts + 1,
    settlement_reference: reference ?? payment.settlement_reference,
    due_at: new Date(organizationClockMs(unit, payment.payer_id) + pollAfterMs).toISOString(),
  })
