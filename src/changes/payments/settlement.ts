/**
 * What happens to a payment (domain 4.1), each with its document, its ledger and its events, in one
 * transaction. Nothing here talks to a rail: in the sandbox the rail is a plan that is carried out
 * in place; in live mode the payment is written as processing and a task hands it over.
 */
import assert from 'node:assert/strict'
import { available } from '../../core/payments/ledger.ts'
import { projectPayment, reasonFor } from '../../core/payments/payment-record.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import {
  type FailureCode,
  type Plan,
  failureMessages,
  planOf,
  simulatedReference,
} from '../../core/sandbox/payment-simulator.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { Change } from '../acting-caller.ts'
import type { Step } from '../documents/transitions.ts'
import { type Payment, commit, dueAfter, timeOf } from './payment-record.ts'
import { release } from './payment-limits.ts'
import type { Telling } from '../history-and-events.ts'
import { accountNow, resolve, transfer } from './ledger-transfers.ts'

type Document = Rows['documents']

/** How long a payment that settled in place leaves its document in payment_scheduled. */
const completionDelayMs = 1_000

/**
 * Executes a new or scheduled payment now: settled in place, or under way. `to` is the state that
 * was asked for; a document is never shown as paid before the money settled. `cause` says why its
 * document moves, where nobody asked for that.
 */
export const execute = (
  change: Change,
  document: Document,
  payment: Payment,
  to: 'paid' | 'payment_scheduled',
  cause?: 'settled',
): Document => {
  const { world } = change
  const at = timeOf(world, document)
  if (payment.mode === 'live') {
    const taken = process(world, { ...payment, due_at: at }, at)
    return commit(change, document, taken, underWay(document))
  }
  const account = payment.payer_account === null ? null : accountNow(world, payment.payer_account)
  const plan = planOf(payment.source, account !== null && available(account) >= payment.amount)
  if (plan.settles !== 'at once') {
    const started = { ...payment, due_at: dueAfter(world, payment, plan.afterMs) }
    const isTaken = plan.settles === 'later' || plan.isTaken
    const next = isTaken ? process(world, started, at) : { ...started, status: 'created' }
    return commit(change, document, next, underWay(document))
  }
  const moved = moveNow(world, payment, at)
  const settled = { ...moved, due_at: dueAfterSettling(world, moved, plan, to) }
  return commit(change, document, settled, settlement(document, settled, to, cause))
}

/** What is still to come for a payment that settled: its document moves on, or a bank return. */
const dueAfterSettling = (
  world: World,
  payment: Payment,
  plan: Plan,
  status: string,
): string | null => {
  if (status === 'payment_scheduled') return dueAfter(world, payment, completionDelayMs)
  if (plan.settles !== 'at once' || plan.returns === undefined) return null
  return dueAfter(world, payment, plan.returns.afterMs)
}

const underWay = (document: Document): Step =>
  document.status === 'payment_scheduled'
    ? { set: {}, tellings: [], history: { type: 'internal.payment_started' } }
    : {
        set: { status: 'payment_scheduled' },
        tellings: [{ type: 'document.status_changed', previousStatus: document.status }],
      }

/** The money settled: what is left to pay decides where the document stands. */
const settlement = (document: Document, payment: Payment, to: string, cause?: string): Step => ({
  set: { status: to, amount_paid: document.amount_paid + payment.amount },
  tellings: [
    {
      type: 'payment.settled',
      more: (receiver) => ({
        payment: projectPayment(payment, receiver),
        settlement_reference: payment.settlement_reference,
      }),
    },
    ...statusChanged(document, to, cause),
  ],
})

const statusChanged = (document: Document, to: string, cause?: string): Telling[] => {
  if (to === document.status) return []
  const because = cause === undefined ? {} : { cause }
  return [{ type: 'document.status_changed', previousStatus: document.status, ...because }]
}

/** Hands it to the rail: from here the amount is set aside. */
const process = (world: World, payment: Payment, at: string): Payment => ({
  ...payment,
  ...openTransfers(world, payment, at, 'pending'),
  status: 'processing',
  processing_at: at,
})

/** In place: out of one account and into the other at once. */
const moveNow = (world: World, payment: Payment, at: string): Payment => ({
  ...payment,
  ...openTransfers(world, payment, at, 'posted'),
  status: 'settled',
  processing_at: at,
  settled_at: at,
  settlement_reference: simulatedReference(payment.id),
})

const openTransfers = (
  world: World,
  payment: Payment,
  at: string,
  phase: 'pending' | 'posted',
): { out_tx: string; in_tx: string } => {
  const { mode, currency, rail, amount } = payment
  const both = { mode, currency, rail, amount, paymentId: payment.id, at }
  const name = payment.kind === 'sweep' ? 'sweep' : 'payment'
  const { payer_account: payer, payee_account: payee } = payment
  const from = payer === null ? 'world' : accountNow(world, payer)
  const out = { ...both, kind: `${name}_out`, from, to: 'clearing' } as const
  const out_tx = transfer(world, out, phase)
  const to = accountNow(world, payee)
  const in_tx = transfer(world, { ...both, kind: `${name}_in`, from: 'clearing', to }, phase)
  return { out_tx, in_tx }
}

/** The rail says that it went through. */
export const settle = (
  change: Change,
  document: Document,
  payment: Payment,
  reference: string,
): Document => {
  assert.equal(payment.status, 'processing')
  const { world } = change
  const at = timeOf(world, document)
  resolve(world, payment.out_tx!, 'posted', at)
  resolve(world, payment.in_tx!, 'posted', at)
  const settled: Payment = {
    ...payment,
    status: 'settled',
    settled_at: at,
    settlement_reference: reference,
    due_at: null,
  }
  const to = balanceDue(document) > payment.amount ? 'approved' : 'paid'
  return commit(change, document, settled, settlement(document, settled, to, 'settled'))
}

/** The rail says that it did not, or there was nothing to take: payable again, with the reason. */
export const fail = (
  change: Change,
  document: Document,
  payment: Payment,
  code: FailureCode,
): Document => {
  assert(payment.status === 'processing' || payment.status === 'created')
  const { world } = change
  const at = timeOf(world, document)
  if (payment.out_tx !== null) resolve(world, payment.out_tx, 'voided', at)
  if (payment.in_tx !== null) resolve(world, payment.in_tx, 'voided', at)
  release(world, payment)
  const failed: Payment = {
    ...payment,
    status: 'failed',
    failed_at: at,
    due_at: null,
    failure_code: code,
    failure_message: failureMessages[code],
  }
  return commit(change, document, failed, failure(document, failed, {}, 'payment_failed'))
}

/** The bank took back what had settled. */
export const takeBack = (
  change: Change,
  document: Document,
  payment: Payment,
  code: FailureCode,
): Document => {
  assert.equal(payment.status, 'settled')
  const { world } = change
  const at = timeOf(world, document)
  const { mode, currency, rail, amount, payer_account: payer } = payment
  const back = { mode, currency, rail, amount, paymentId: payment.id, at, kind: 'return' } as const
  const from = accountNow(world, payment.payee_account)
  transfer(world, { ...back, from, to: 'clearing', reverses: payment.in_tx }, 'posted')
  const to = payer === null ? 'world' : accountNow(world, payer)
  transfer(world, { ...back, from: 'clearing', to, reverses: payment.out_tx }, 'posted')
  const returned: Payment = {
    ...payment,
    status: 'returned',
    returned_at: at,
    due_at: null,
    failure_code: code,
    failure_message: failureMessages[code],
  }
  const set = { amount_paid: document.amount_paid - amount }
  return commit(change, document, returned, failure(document, returned, set, 'payment_returned'))
}

const failure = (
  document: Document,
  payment: Payment,
  set: Partial<Document>,
  cause: string,
): Step => ({
  set: { ...set, status: 'approved' },
  tellings: [
    {
      type: 'payment.failed',
      more: (receiver) => ({
        payment: projectPayment(payment, receiver),
        reason: reasonFor(payment.failure_code!, payment.payer_id === receiver),
        payable: true,
      }),
    },
    ...statusChanged(document, 'approved', cause),
  ],
})

/** A scheduled payment that its payer calls off. */
export const cancel = (change: Change, document: Document, payment: Payment): Document => {
  assert.equal(payment.status, 'scheduled')
  release(change.world, payment)
  const cancelled: Payment = { ...payment, status: 'cancelled', due_at: null }
  return commit(change, document, cancelled, {
    set: { status: 'approved' },
    tellings: statusChanged(document, 'approved'),
  })
}

/** The document of a payment that settled in place moves on to paid. */
export const complete = (
  change: Change,
  document: Document,
  payment: Payment,
  cause?: string,
): Document => {
  assert.equal(payment.status, 'settled')
  const plan = payment.rail === 'simulator' ? planOf(payment.source, true) : undefined
  const due_at = plan === undefined ? null : dueAfterSettling(change.world, payment, plan, 'paid')
  return commit(
    change,
    document,
    { ...payment, due_at },
    {
      set: { status: 'paid' },
      tellings: statusChanged(document, 'paid', cause),
    },
  )
}
