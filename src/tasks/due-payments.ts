/**
 * Advances payments that are due by their payers' clocks: scheduled ones start, active ones settle
 * or fail as their rail reports, settled ones mark their document paid or are returned. Every step
 * is decided again under its locks, so several processes may find the same payment.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { isStillDue } from '../changes/organization-clock.ts'
import type { ChangeContext } from '../changes/change-context.ts'
import {
  type LoadedPayment,
  isBeingCompleted,
  loadedPayment,
  reschedulePayment,
} from '../changes/payments/payment-record.ts'
import {
  markDocumentPaid,
  failPayment,
  settlePayment,
  returnPayment,
} from '../changes/payments/payment-lifecycle.ts'
import { followLoan } from '../changes/finance/follow-loan.ts'
import { executeScheduled } from '../changes/payments/initiate-payment.ts'
import { isUnderWay } from '../core/payments/payment-record.ts'
import { simulationPlanOf } from '../core/sandbox/payment-simulator.ts'
import { databaseNow } from '../database/database-clock.ts'
import type { PaymentProgress } from '../rails/rail.ts'
import {
  type DuePayment,
  type PaymentRow,
  duePayments,
  paymentById,
} from '../store/payments/payments.ts'
import { processorReferencesOf } from '../store/payments/processors.ts'
import { performAsSystem } from './system-write.ts'
import { scheduledTask } from './scheduled-work.ts'

export const advanceDuePayments = scheduledTask({
  name: 'due-payments',
  everyMs: limits.scheduledWorkEveryMs,
  limit: limits.scheduledWorkRowsPerRound,
  searches: [
    async ({ database, rails: ofDeployment }, request) => {
      // Without its rail, nobody submits a payment: one that is scheduled stays cancellable. Only
      // the simulator follows the clocks of sandboxes.
      const rails = request.organizations === undefined ? [...ofDeployment.keys()] : ['simulator']
      const due = await duePayments(database.background, { ...request, rails })
      return due.map((payment) => ({
        dueAtMs: Date.parse(payment.due_at),
        key: payment.id,
        run: (context) => advancePayment(context, payment),
      }))
    },
  ],
})

const advancePayment = async (context: Context, due: DuePayment): Promise<void> => {
  const progress = await progressOf(context, due)
  const rowsToLock = { documents: [due.document_id], paymentsOfDocuments: [due.document_id] }
  await performAsSystem(context, due.payer_id, rowsToLock, (change) => {
    const loaded = loadedPayment(change.unit, due.id)
    if (loaded === undefined) return
    const { document, payment } = loaded
    if (payment.status !== due.status) return
    if (!isStillDue(change.unit, payment.payer_id, payment.due_at)) return
    advance(change, loaded, progress)
    followLoan(change, change.unit.get('documents', document.id)!)
  })
}

const advance = (
  change: ChangeContext,
  { document, payment }: LoadedPayment,
  progress: PaymentProgress | undefined,
): void => {
  if (payment.status === 'scheduled') {
    executeScheduled(change, document, payment)
  } else if (payment.status === 'settled') {
    if (isBeingCompleted(document, payment)) markDocumentPaid(change, document, payment, 'settled')
    else returnPayment(change, document, payment, returnCodeOf(payment))
  } else if (progress?.outcome === 'settled') {
    settlePayment(change, document, payment, progress.reference)
  } else if (progress?.outcome === 'failed') {
    failPayment(change, document, payment, progress.code)
  } else if (progress?.outcome === 'processing') {
    reschedulePayment(change.unit, payment, progress)
  }
}

/** Asks the rail about the payment. Must run outside any transaction. */
const progressOf = async (
  context: Context,
  due: DuePayment,
): Promise<PaymentProgress | undefined> => {
  if (!isUnderWay(due.status)) return undefined
  const { background } = context.database
  const payment = await paymentById(background, due.payer_id, due.id)
  const rail = context.rails.get(due.rail)
  if (payment === undefined || rail === undefined) return undefined
  const references =
    payment.mode === 'live' ? await processorReferencesOf(background, due.id) : null
  const accounts = references && {
    customer: references.customer,
    paymentMethod: references.payment_method,
    payout: references.payout,
  }
  return rail.submitOrPoll(payment, accounts, await databaseNow(background))
}

const returnCodeOf = (payment: PaymentRow) => {
  const plan = simulationPlanOf(payment.source, { hasFunds: true })
  if (plan.settles !== 'at once' || plan.returns === undefined) {
    throw new Error('a settled payment is due only if its plan returns it')
  }
  return plan.returns.code
}
