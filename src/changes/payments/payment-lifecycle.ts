/**
 * The state changes of a payment (domain 4.1). Each updates the document, the ledger and the events
 * in one transaction. Nothing here calls a rail: the sandbox carries out the simulator's plan in
 * place; a live payment is written as processing, and a task submits it to the rail.
 */
import assert from 'node:assert/strict'
import { limits } from '../../contract/limits.ts'
import { awaitsFunding } from '../../core/finance/document-finance.ts'
import { availableBalance } from '../../core/payments/ledger.ts'
import { failureReasonFor, isInProgress, shownPayment } from '../../core/payments/payment-record.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import {
  type FailureCode,
  type SimulationPlan,
  failureMessages,
  simulationPlanOf,
  simulatedReference,
} from '../../core/sandbox/payment-simulator.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { PaymentRow } from '../../store/payments/payments.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import type { DocumentStep } from '../documents/transitions.ts'
import type { EventDraft } from '../events.ts'
import { saveStep, dueAfter, sharedChangeTime, statusAfterFailure } from './payment-record.ts'
import { releaseLimit } from './payment-limits.ts'
import { currentAccount, resolveTransfer, createTransfer } from './ledger-transfers.ts'

interface RequestedState {
  to: 'paid' | 'payment_scheduled'
  /** Why the document moves when no party has requested it. */
  cause?: 'settled'
}

/**
 * Executes a new or scheduled payment now, which settles in place or stays under way. A document
 * never shows as paid before the money has settled.
 */
export const executePayment = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  { to, cause }: RequestedState,
): DocumentRow => {
  const { unit } = change
  const at = sharedChangeTime(unit, document)
  if (payment.mode === 'live') {
    // A payment that was scheduled from an account of the treasury is taken from the bank, too.
    const submitted = submitToRail(unit, { ...payment, payer_account: null, due_at: at }, at)
    return saveStep(change, document, submitted, startedStep(document, payment))
  }
  const account =
    payment.payer_account === null ? null : currentAccount(unit, payment.payer_account)
  const hasFunds = account !== null && availableBalance(account) >= payment.amount
  const plan = simulationPlanOf(payment.source, { hasFunds })
  if (plan.settles !== 'at once') {
    const started = { ...payment, due_at: dueAfter(unit, payment, plan.afterMs) }
    const isSubmitted = plan.settles === 'later' || plan.isAccepted
    const next = isSubmitted ? submitToRail(unit, started, at) : { ...started, status: 'created' }
    return saveStep(change, document, next, startedStep(document, payment))
  }
  const moved = settleInPlace(unit, payment, at)
  // A sweep may leave a balance, which the borrower still has to pay.
  const reached = balanceDue(document) > payment.amount ? 'approved' : to
  const settled = { ...moved, due_at: dueAfterSettling(unit, moved, plan, reached) }
  return saveStep(change, document, settled, settledStep(document, settled, reached, cause))
}

/** When a settled payment is due again: its document becomes paid, or the bank returns it. */
const dueAfterSettling = (
  unit: UnitOfWork,
  payment: PaymentRow,
  plan: SimulationPlan,
  status: string,
): string | null => {
  if (status === 'payment_scheduled')
    return dueAfter(unit, payment, limits.paymentCompletionDelayMs)
  if (plan.settles !== 'at once' || plan.returns === undefined) return null
  return dueAfter(unit, payment, plan.returns.afterMs)
}

const startedStep = (document: DocumentRow, { kind }: PaymentRow): DocumentStep =>
  document.status === 'payment_scheduled'
    ? { set: {}, events: [], history: { type: 'internal.payment_started' } }
    : {
        set: { status: 'payment_scheduled' },
        events: statusChangedEvents(
          document,
          'payment_scheduled',
          kind === 'sweep' ? 'sweep in flight' : undefined,
        ),
      }

const settledStep = (
  document: DocumentRow,
  payment: PaymentRow,
  to: string,
  cause?: string,
): DocumentStep => ({
  set: { status: to, amount_paid: document.amount_paid + payment.amount },
  events: [
    {
      type: 'payment.settled',
      extraText: (receiver, { payment: shown }) =>
        `"payment":${shownPayment(shown!, receiver)},` +
        `"settlement_reference":${JSON.stringify(payment.settlement_reference)}`,
    },
    ...statusChangedEvents(document, to, cause),
  ],
})

const statusChangedEvents = (document: DocumentRow, to: string, cause?: string): EventDraft[] =>
  to === document.status
    ? []
    : [{ type: 'document.status_changed', previousStatus: document.status, cause }]

/** Marks the payment as submitted to the rail; its amount is reserved from now on. */
const submitToRail = (unit: UnitOfWork, payment: PaymentRow, at: string): PaymentRow => ({
  ...payment,
  ...openTransfers(unit, payment, at, 'pending'),
  status: 'processing',
  processing_at: at,
})

/** Moves the amount from the payer's account to the payee's at once. */
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

/** The rail reports that the payment settled. */
export const settlePayment = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  reference: string,
): DocumentRow => {
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

/**
 * The rail reports a failure, the funds were short, or nobody may pay any more: the document
 * becomes payable again.
 */
export const failPayment = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  code: FailureCode,
): DocumentRow => {
  assert(isInProgress(payment.status))
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
  const step = failedStep(change, document, failed, { cause: 'payment_failed' })
  return saveStep(change, document, failed, step)
}

/** The bank returns a settled payment. */
export const returnPayment = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  code: FailureCode,
): DocumentRow => {
  assert.equal(payment.status, 'settled')
  const { unit } = change
  const at = sharedChangeTime(unit, document)
  const { mode, currency, rail, amount, payer_account: payer } = payment
  const reversal = {
    mode,
    currency,
    rail,
    amount,
    paymentId: payment.id,
    at,
    kind: 'return',
  } as const
  const from = currentAccount(unit, payment.payee_account)
  const back = { ...reversal, from, to: 'clearing', reverses: payment.in_tx } as const
  const fromPayee = createTransfer(unit, back, 'posted')
  const to = payer === null ? 'world' : currentAccount(unit, payer)
  const onward = { ...reversal, from: 'clearing', to, reverses: payment.out_tx } as const
  const toPayer = createTransfer(unit, onward, 'posted')
  const returned: PaymentRow = {
    ...payment,
    status: 'returned',
    returned_at: at,
    due_at: null,
    failure_code: code,
    failure_message: failureMessages[code],
  }
  const set = { amount_paid: document.amount_paid - amount }
  const step = failedStep(change, document, returned, { cause: 'payment_returned', set })
  const transactions = [fromPayee, toPayer]
  return saveStep(change, document, returned, { ...step, transactions })
}

const failedStep = (
  { isWithoutPayments }: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  { cause, set = {} }: { cause: string; set?: Partial<DocumentRow> },
): DocumentStep => {
  const status = statusAfterFailure(document, payment)
  const isPayable = status === 'approved' && !awaitsFunding(document) && !isWithoutPayments
  return {
    set: { ...set, status },
    events: [
      {
        type: 'payment.failed',
        extraText: (receiver, { payment: shown }) => {
          const reason = failureReasonFor(payment.failure_code!, payment.payer_id === receiver)
          return `"payment":${shownPayment(shown!, receiver)},"reason":"${reason}","payable":${isPayable}`
        },
      },
      ...statusChangedEvents(document, status, cause),
    ],
  }
}

/** The payer cancels a scheduled payment. */
export const cancelPayment = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
): DocumentRow => {
  assert.equal(payment.status, 'scheduled')
  releaseLimit(change.unit, payment)
  const cancelled: PaymentRow = { ...payment, status: 'cancelled', due_at: null }
  return saveStep(change, document, cancelled, {
    set: { status: 'approved' },
    events: statusChangedEvents(document, 'approved'),
  })
}

/** Moves a document to paid after its payment settled in place, unless something is owed again. */
export const markDocumentPaid = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  cause?: string,
): DocumentRow => {
  assert.equal(payment.status, 'settled')
  const plan =
    payment.rail === 'simulator' ? simulationPlanOf(payment.source, { hasFunds: true }) : undefined
  const due_at = plan === undefined ? null : dueAfterSettling(change.unit, payment, plan, 'paid')
  const status = balanceDue(document) > 0n ? 'approved' : 'paid'
  return saveStep(
    change,
    document,
    { ...payment, due_at },
    { set: { status }, events: statusChangedEvents(document, status, cause) },
  )
}
