/**
 * What is due about payments, by their payers' clocks: scheduled ones start, those under way settle
 * or fail as their rail says, settled ones move their document on or are returned. Each is decided
 * anew under its locks, so it may be found twice, here and in other processes.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { type Payment, isDue, loadedPayment, postpone } from '../changes/payments/payment-record.ts'
import { complete, fail, settle, takeBack } from '../changes/payments/settlement.ts'
import { startScheduled } from '../changes/payments/initiate-payment.ts'
import { planOf } from '../core/sandbox/payment-simulator.ts'
import type { Progress } from '../rails/rail.ts'
import { type DuePayment, duePayments, paymentById } from '../store/payments/payments.ts'
import { endsOfPayment } from '../store/payments/processors.ts'
import { decideAsSystem } from './system-write.ts'
import type { FindDue } from './scheduled-work.ts'
import type { Task } from './runner.ts'

export const paymentsDue: Task = {
  name: 'payments-due',
  everyMs: limits.dueEveryMs,
  run: async (context) => {
    const due = await duePayments(context.database.read, limits.dueRowsPerRound)
    await Promise.all(due.map((one) => carryOut(context, one)))
    return due.length === limits.dueRowsPerRound
  },
}

/** What is due of some organizations; the simulator alone takes part in the clocks of sandboxes. */
export const findPayments: FindDue = async ({ database }, organizations) => {
  const due = await duePayments(database.read, limits.dueRowsPerRound, organizations)
  const sandboxed = due.filter(({ rail }) => rail === 'simulator')
  return sandboxed.map((one) => ({
    at: Date.parse(one.due_at),
    name: one.id,
    run: (context) => carryOut(context, one),
  }))
}

const carryOut = async (context: Context, due: DuePayment): Promise<void> => {
  const progress = await progressOf(context, due)
  const needs = { documents: [due.document_id], payments: [due.document_id] }
  await decideAsSystem(context, due.payer_id, needs, (change) => {
    const found = loadedPayment(change.world, due.id)
    if (found === undefined) return
    const { document, payment } = found
    if (payment.status !== due.status || !isDue(change.world, payment)) return
    if (payment.status === 'scheduled') startScheduled(change, document, payment)
    else if (payment.status === 'settled') {
      if (document.status === 'payment_scheduled') complete(change, document, payment, 'settled')
      else takeBack(change, document, payment, returnCodeOf(payment))
    } else if (progress?.outcome === 'failed') fail(change, document, payment, progress.code)
    else if (progress?.outcome === 'settled') settle(change, document, payment, progress.reference)
    else if (progress?.outcome === 'processing') {
      postpone(change.world, payment, progress)
    }
  })
}

/** Outside of any transaction. */
const progressOf = async (context: Context, due: DuePayment): Promise<Progress | undefined> => {
  if (due.status !== 'processing' && due.status !== 'created') return undefined
  const payment = await paymentById(context.database.read, due.payer_id, due.id)
  const rail = context.rails.get(due.rail)
  if (payment === undefined || rail === undefined) return undefined
  const ends = payment.mode === 'live' ? await endsOfPayment(context.database.read, due.id) : null
  if (ends === undefined) return { outcome: 'failed', code: 'account_not_found' }
  return rail.progress(
    payment,
    ends && { customer: ends.customer, paymentMethod: ends.payment_method, payout: ends.payout },
  )
}

const returnCodeOf = (payment: Payment) => {
  const plan = planOf(payment.source, true)
  if (plan.settles !== 'at once' || plan.returns === undefined) {
    throw new Error('only what the plan takes back is due after it settled')
  }
  return plan.returns.code
}
