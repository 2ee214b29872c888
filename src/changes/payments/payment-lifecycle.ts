/**
 * What happens to a payment (domain 4.1), each with its document, its ledger and its events, in one
 * transaction. Nothing here talks to a rail: in the sandbox the rail is a plan that is carried out
 * in place; in live mode the payment is written as processing and a task hands it over.
 */
import assert from 'node:assert/strict'
import { availableBalance } from '../../core/payments/ledger.ts'
import { projectPayment, failureReasonFor } from '../../core/payments/payment-record.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import {
  type FailureCode,
  type SimulationPlan,
  failureMessages,
  simulationPlanOf,
  simulatedReference,
} from '../../core/sandbox/payment-simulator.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext } from '../change-context.ts'
import type { DocumentStep } from '../documents/transitions.ts'
import { type PaymentRow, saveStep, dueAfter, sharedChangeTime } from './payment-record.ts'
import { releaseLimit } from './payment-limits.ts'
import type { EventDraft } from '../history-and-events.ts'
import { currentAccount, resolveTransfer, createTransfer } from './ledger-transfers.ts'

type Document = Rows['documents']

/** How long a payment that settled in place leaves its document in payment_scheduled. */
const completionDelayMs = 1_000

/**
 * Executes a new or scheduled payment now: settled in place, or under way. `to` is the state that
 * was asked for; a document is never shown as paid before the money settled. `cause` says why its
 * document moves, where nobody asked for that.
 */
export const executePayment = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
  to: 'paid' | 'payment_scheduled',
  cause?: 'settled',
): Document => {
  const { unit } = change
  const at = sharedChangeTime(unit, document)
  if (payment.mode === 'live') {
    const submitted = submitToRail(unit, { ...payment, due_at: at }, at)
    return saveStep(change, document, submitted, startedStep(document))
  }
  const account =
    payment.payer_account === null ? null : currentAccount(unit, payment.payer_account)
  const plan = simulationPlanOf(
    payment.source,
    account !== null && availableBalance(account) >= payment.amount,
  )
  if (plan.settles !== 'at once') {
    const started = { ...payment, due_at: dueAfter(unit, payment, plan.afterMs) }
    const isTaken = plan.settles === 'later' || plan.isAccepted
    const next = isTaken ? submitToRail(unit, started, at) : { ...started, status: 'created' }
    return saveStep(change, document, next, startedStep(document))
  }
  const moved = settleInPlace(unit, payment, at)
  const settled = { ...moved, due_at: dueAfterSettling(unit, moved, plan, to) }
  return saveStep(change, document, settled, settledStep(document, settled, to, cause))
}

/** What is still to come for a payment that settled: its document moves on, or a bank return. */
const dueAfterSettling = (
  unit: UnitOfWork,
  payment: PaymentRow,
  plan: SimulationPlan,
  status: string,
): string | null => {
  if (status === 'payment_scheduled') return dueAfter(unit, payment, completionDelayMs)
  if (plan.settles !== 'at once' || plan.returns === undefined) return null
  return dueAfter(unit, payment, plan.returns.afterMs)
}

const startedStep = (document: Document): DocumentStep =>
  document.status === 'payment_scheduled'
    ? { set: {}, events: [], history: { type: 'internal.payment_started' } }
    : {
        set: { status: 'payment_scheduled' },
        events: [{ type: 'document.status_changed', previousStatus: document.status }],
      }

/** The money settled: what is left to pay decides where the document stands. */
const settledStep = (
  document: Document,
  payment: PaymentRow,
  to: string,
  cause?: string,
): DocumentStep => ({
  set: { status: to, amount_paid: document.amount_paid + payment.amount },
  events: [
    {
      type: 'payment.settled',
      extraData: (receiver) => ({
        payment: projectPayment(payment, receiver),
        settlement_reference: payment.settlement_reference,
      }),
    },
    ...statusChangedEvents(document, to, cause),
  ],
})

const statusChangedEvents = (document: Document, to: string, cause?: string): EventDraft[] => {
  if (to === document.status) return []
  const because = cause === undefined ? {} : { cause }
  return [{ type: 'document.status_changed', previousStatus: document.status, ...because }]
}

/** Hands it to the rail: from here the amount is set aside. */
const submitToRail = (unit: UnitOfWork, payment: PaymentRow, at: string): PaymentRow => ({
  ...payment,
  ...openTransfers(unit, payment, at, 'pending'),
  status: 'processing',
  processing_at: at,
})

/** In place: out of one account and into the other at once. */
const settleInPlace = (unit: UnitOfWork, payment: PaymentRow, at: string): PaymentRow => ({
  ...payment,
  ...openTransfers(unit, payment, at, 'posted'),
  status: 'settled',
  processing_at: at,
  settled_at: at,
  settlement_reference: simulatedReference(payment.id),
})

const openTransfers = (
  unit: UnitOfWork,
  payment: PaymentRow,
  at: string,
  phase: 'pending' | 'posted',
): { out_tx: string; in_tx: string } => {
  const { mode, currency, rail, amount } = payment
  const both = { mode, currency, rail, amount, paymentId: payment.id, at }
  const name = payment.kind === 'sweep' ? 'sweep' : 'payment'
  const { payer_account: payer, payee_account: payee } = payment
  const from = payer === null ? 'world' : currentAccount(unit, payer)
  const out = { ...both, kind: `${name}_out`, from, to: 'clearing' } as const
  const out_tx = createTransfer(unit, out, phase)
  const to = currentAccount(unit, payee)
  const in_tx = createTransfer(unit, { ...both, kind: `${name}_in`, from: 'clearing', to }, phase)
  return { out_tx, in_tx }
}

/** The rail says that it went through. */
export const settlePayment = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
  reference: string,
): Document => {
  assert.equal(payment.status, 'processing')
  const { unit } = change
  const at = sharedChangeTime(unit, document)
  resolveTransfer(unit, payment.out_tx!, 'posted', at)
  resolveTransfer(unit, payment.in_tx!, 'posted', at)
  const settled: PaymentRow = {
    ...payment,
    status: 'settled',
    settled_at: at,
    settlement_reference: reference,
    due_at: null,
  }
  const to = balanceDue(document) > payment.amount ? 'approved' : 'paid'
  return saveStep(change, document, settled, settledStep(document, settled, to, 'settled'))
}

/** The rail says that it did not, or there was nothing to take: payable again, with the reason. */
export const failPayment = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
  code: FailureCode,
): Document => {
  assert(payment.status === 'processing' || payment.status === 'created')
  const { unit } = change
  const at = sharedChangeTime(unit, document)
  if (payment.out_tx !== null) resolveTransfer(unit, payment.out_tx, 'voided', at)
  if (payment.in_tx !== null) resolveTransfer(unit, payment.in_tx, 'voided', at)
  releaseLimit(unit, payment)
  const failed: PaymentRow = {
    ...payment,
    status: 'failed',
    failed_at: at,
    due_at: null,
    failure_code: code,
    failure_message: failureMessages[code],
  }
  return saveStep(change, document, failed, failedStep(document, failed, {}, 'payment_failed'))
}

/** The bank took back what had settled. */
export const returnPayment = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
  code: FailureCode,
): Document => {
  assert.equal(payment.status, 'settled')
  const { unit } = change
  const at = sharedChangeTime(unit, document)
  const { mode, currency, rail, amount, payer_account: payer } = payment
  const back = { mode, currency, rail, amount, paymentId: payment.id, at, kind: 'return' } as const
  const from = currentAccount(unit, payment.payee_account)
  createTransfer(unit, { ...back, from, to: 'clearing', reverses: payment.in_tx }, 'posted')
  const to = payer === null ? 'world' : currentAccount(unit, payer)
  createTransfer(unit, { ...back, from: 'clearing', to, reverses: payment.out_tx }, 'posted')
  const returned: PaymentRow = {
    ...payment,
    status: 'returned',
    returned_at: at,
    due_at: null,
    failure_code: code,
    failure_message: failureMessages[code],
  }
  const set = { amount_paid: document.amount_paid - amount }
  return saveStep(
    change,
    document,
    returned,
    failedStep(document, returned, set, 'payment_returned'),
  )
}

const failedStep = (
  document: Document,
  payment: PaymentRow,
  set: Partial<Document>,
  cause: string,
): DocumentStep => ({
  set: { ...set, status: 'approved' },
  events: [
    {
      type: 'payment.failed',
      extraData: (receiver) => ({
        payment: projectPayment(payment, receiver),
        reason: failureReasonFor(payment.failure_code!, payment.payer_id === receiver),
        payable: true,
      }),
    },
    ...statusChangedEvents(document, 'approved', cause),
  ],
})

/** A scheduled payment that its payer calls off. */
export const cancelPayment = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
): Document => {
  assert.equal(payment.status, 'scheduled')
  releaseLimit(change.unit, payment)
  const cancelled: PaymentRow = { ...payment, status: 'cancelled', due_at: null }
  return saveStep(change, document, cancelled, {
    set: { status: 'approved' },
    events: statusChangedEvents(document, 'approved'),
  })
}

/** The document of a payment that settled in place moves on to paid. */
export const markDocumentPaid = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
  cause?: string,
): Document => {
  assert.equal(payment.status, 'settled')
  const plan = payment.rail === 'simulator' ? simulationPlanOf(payment.source, true) : undefined
  const due_at = plan === undefined ? null : dueAfterSettling(change.unit, payment, plan, 'paid')
  return saveStep(
    change,
    document,
    { ...payment, due_at },
    {
      set: { status: 'paid' },
      events: statusChangedEvents(document, 'paid', cause),
    },
  )
}
