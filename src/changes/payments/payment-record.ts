/**
 * The record of a payment beside its document: looked up, and kept on both in one step, so that
 * they never disagree. What becomes of a payment is in settlement.ts.
 */
import { encodeId } from '../../core/ids.ts'
import { minorText } from '../../core/money.ts'
import { type PaymentRecord, keptPayment, readPayment } from '../../core/payments/payment-record.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { Change } from '../acting-caller.ts'
import { type Step, advance } from '../documents/transitions.ts'
import { changeTime } from '../organization-counters.ts'
import { clockOf } from '../history-and-events.ts'

type Document = Rows['documents']
export type Payment = Rows['payments']

/** The latest payment of a document, as it stands now. */
export const paymentOf = (world: World, document: Document): Payment | undefined =>
  document.payment === null ? undefined : world.get('payments', readPayment(document.payment).id)

/**
 * A time on the payer's own clock, so long after what is done now was due: a clock that jumps
 * meets everything in its order. What was not due before is done now.
 */
export const dueAfter = (world: World, { payer_id, due_at }: Payment, afterMs: number): string => {
  const now = clockOf(world, payer_id)
  const due = due_at === null ? now : Math.min(now, Date.parse(due_at))
  return new Date(due + afterMs).toISOString()
}

/** Takes the step of the document, then keeps the payment on both: they never disagree. */
export const commit = (
  change: Change,
  document: Document,
  payment: Payment,
  step: Step,
): Document => {
  const { world } = change
  const next: Payment = { ...payment, updated_at: timeOf(world, document) }
  const { document: moved, positions } = advance(change, document, {
    ...step,
    set: { ...step.set, payment: keptPayment(next) },
    history: { ...step.history, more: { payment: paymentInHistory(next) } },
  })
  const isNew = world.get('payments', payment.id) === undefined
  const paidByIssuer = payment.payer_id === document.issuer_id
  const [payer, payee] = paidByIssuer
    ? [positions.issuer, positions.counterparty]
    : [positions.counterparty, positions.issuer]
  world.save('payments', isNew ? { ...next, payer_position: payer, payee_position: payee } : next)
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

export const timeOf = (world: World, { issuer_id, counterparty_id }: Document): string =>
  changeTime(world, [issuer_id, counterparty_id])

/** The document and the payment that a task or the sandbox names, if they are still there. */
export const loadedPayment = (
  world: World,
  id: string,
): { document: Document; payment: Payment } | undefined => {
  const payment = world.get('payments', id)
  const document = payment && world.get('documents', payment.document_id)
  return payment === undefined || document === undefined ? undefined : { document, payment }
}

/** To be asked again later, on the payer's clock; the rail's reference is kept, nobody is told. */
export const postpone = (
  world: World,
  payment: Payment,
  { askAgainMs, reference }: { askAgainMs: number; reference?: string },
): void =>
  world.save('payments', {
    ...payment,
    attempts: payment.attempts + 1,
    settlement_reference: reference ?? payment.settlement_reference,
    due_at: new Date(clockOf(world, payment.payer_id) + askAgainMs).toISOString(),
  })

export const isDue = (world: World, payment: Payment): boolean =>
  payment.due_at !== null && Date.parse(payment.due_at) <= clockOf(world, payment.payer_id)
