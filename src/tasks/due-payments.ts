/**
 * What is due about payments, by their payers' clocks: scheduled ones start, those under way settle
 * or fail as their rail says, settled ones move their document on or are returned. Each is decided
 * anew under its locks, so it may be found twice, here and in other processes.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import {
  type PaymentRow,
  isPaymentDue,
  loadedPayment,
  reschedulePayment,
} from '../changes/payments/payment-record.ts'
import {
  markDocumentPaid,
  failPayment,
  settlePayment,
  returnPayment,
} from '../changes/payments/payment-lifecycle.ts'
import { executeScheduled } from '../changes/payments/initiate-payment.ts'
import { simulationPlanOf } from '../core/sandbox/payment-simulator.ts'
import type { PaymentProgress } from '../rails/rail.ts'
import { type DuePayment, duePayments, paymentById } from '../store/payments/payments.ts'
import { processorReferencesOf } from '../store/payments/processors.ts'
import { performAsSystem } from './system-write.ts'
import type { FindScheduledWork } from './scheduled-work.ts'
import type { Task } from './runner.ts'

export const advanceDuePayments: Task = {
  name: 'payments-due',
  everyMs: limits.scheduledWorkEveryMs,
  run: async (context) => {
    const due = await duePayments(context.database.read, limits.scheduledWorkRowsPerRound)
    await Promise.all(due.map((one) => advancePayment(context, one)))
    return due.length === limits.scheduledWorkRowsPerRound
  },
}

/** What is due of some organizations; the simulator alone takes part in the clocks of sandboxes. */
export const findDuePayments: FindScheduledWork = async ({ database }, organizations) => {
  const due = await duePayments(database.read, limits.scheduledWorkRowsPerRound, organizations)
  const sandboxed = due.filter(({ rail }) => rail === 'simulator')
  return sandboxed.map((one) => ({
    dueAtMs: Date.parse(one.due_at),
    key: one.id,
    run: (context) => advancePayment(context, one),
  }))
}

const advancePayment = async (context: Context, due: DuePayment): Promise<void> => {
  const progress = await progressOf(context, due)
  const rowsToLock = { documents: [due.document_id], payments: [due.document_id] }
  await performAsSystem(context, due.payer_id, rowsToLock, (change) => {
    const found = loadedPayment(change.unit, due.id)
    if (found === undefined) return
    const { document, payment } = found
    if (payment.status !== due.status || !isPaymentDue(change.unit, payment)) return
    if (payment.status === 'scheduled') executeScheduled(change, document, payment)
    else if (payment.status === 'settled') {
      if (document.status === 'payment_scheduled')
        markDocumentPaid(change, document, payment, 'settled')
      else returnPayment(change, document, payment, returnCodeOf(payment))
    } else if (progress?.outcome === 'failed') failPayment(change, document, payment, progress.code)
    else if (progress?.outcome === 'settled')
      settlePayment(change, document, payment, progress.reference)
    else if (progress?.outcome === 'processing') {
      reschedulePayment(change.unit, payment, progress)
    }
  })
}

/** Outside of any transaction. */
const progressOf = async (
  context: Context,
  due: DuePayment,
): Promise<PaymentProgress | undefined> => {
  if (due.status !== 'processing' && due.status !== 'created') return undefined
  const payment = await paymentById(context.database.read, due.payer_id, due.id)
  const rail = context.rails.get(due.rail)
  if (payment === undefined || rail === undefined) return undefined
  const references =
    payment.mode === 'live' ? await processorReferencesOf(context.database.read, due.id) : null
  if (references === undefined) return { outcome: 'failed', code: 'account_not_found' }
  return rail.submitOrPoll(
    payment,
    references && {
      customer: references.customer,
      paymentMethod: references.payment_method,
      payout: references.payout,
    },
  )
}

const returnCodeOf = (payment: PaymentRow) => {
  const plan = simulationPlanOf(payment.source, true)
  if (plan.settles !== 'at once' || plan.returns === undefined) {
    throw new Error('only what the plan takes back is due after it settled')
  }
  return plan.returns.code
}
