/**
 * Asking for a payment (domain 4.2): POST /pay, and the moves of a document that execute, schedule
 * or call off one. Decides who pays what from where; what then happens is in settlement.ts.
 */
import type { Currency } from '../../contract/currencies.ts'
import { type DocumentTypeName, type Side, documentTypes } from '../../contract/document-types.ts'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { PayRequest } from '../../contract/shapes/payments.ts'
import type { TransitionRequest } from '../../contract/shapes/documents.ts'
import { addDays } from '../../core/calendar.ts'
import { legalTargets } from '../../core/documents/state-machine.ts'
import {
  methodsByCurrency,
  paymentKindOf,
  accountPurposesOf,
} from '../../core/payments/payment-record.ts'
import { balanceDue, transitionFactsOf } from '../../core/documents/projection.ts'
import type { Rows } from '../../database/rows.ts'
import { type Actor, type ChangeContext, actorForBoth, actorForOwnSide } from '../change-context.ts'
import { changeTime } from '../organization-counters.ts'
import { typeWithArticle, legalMove, moveWithoutPayment } from '../documents/transitions.ts'
import { releaseLimit, reserveLimit } from './payment-limits.ts'
import { type PaymentRow, saveStep, paymentOf } from './payment-record.ts'
import { accountByPurpose, paymentSourceOf } from './payment-accounts.ts'
import { selectRail } from './rail-selection.ts'
import { consumeQuotas } from '../sandbox/quotas.ts'
import { todayOf } from '../history-and-events.ts'
import { cancelPayment, markDocumentPaid, executePayment } from './payment-lifecycle.ts'
import { isFrozen, frozen } from '../documents/document-access.ts'

type Document = Rows['documents']

const payerSideOf = (document: Document): Side | null =>
  documentTypes[document.type as DocumentTypeName].payer

/** POST /pay: pays the whole balance, or answers with the payment that does or did. */
export const payDocument = (
  change: ChangeContext,
  document: Document,
  side: Side,
  request: PayRequest,
): Document => {
  const payment = paymentOf(change.unit, document)
  if (isFrozen(change.unit, document)) {
    // Whoever asks again whether it was paid is told.
    if (payerSideOf(document) === side && payment?.status === 'settled') return document
    throw frozen()
  }
  if (payerSideOf(document) === side) {
    if (document.status === 'approved' && balanceDue(document) > 0n) {
      return initiatePayment(change, document, { ...request, to: 'paid' })
    }
    if (payment !== undefined && document.status === 'payment_scheduled') {
      if (payment.status === 'scheduled') return executeEarly(change, document, payment)
      return payment.status === 'settled' ? markDocumentPaid(change, document, payment) : document
    }
    if (document.status === 'paid' && payment?.status === 'settled') return document
  }
  throw notPayable(change, document, side)
}

const notPayable = ({ caller, unit }: ChangeContext, document: Document, side: Side) => {
  const kind = document.type.replaceAll('_', ' ')
  const payer = payerSideOf(document)
  return refuse(
    'conflict',
    payer === null
      ? `Nobody pays ${typeWithArticle(document.type)}.`
      : payer === side
        ? `This ${kind} is ${document.status}: only an approved one with a balance can be paid.`
        : `The ${payer} pays ${typeWithArticle(document.type)}, not its ${side}.`,
    {
      reason: 'not_payable',
      allowed: legalTargets(
        transitionFactsOf(document, todayOf(unit, document.issuer_id)),
        side,
        caller.canPay,
      ),
      from: document.status,
      side,
    },
  )
}

/** POST /transition, whatever the move: those that pay are made here. */
export const transitionDocument = (
  change: ChangeContext,
  document: Document,
  side: Side,
  request: TransitionRequest,
): Document => {
  const move = legalMove(change, document, side, request.to)
  const problems = transitionProblems(request)
  if (problems.length > 0) throw invalidRequest(problems)
  if (move.affectsPayment !== true) return moveWithoutPayment(change, document, side, request)
  if (document.status === 'approved')
    return initiatePayment(change, document, request as PaymentInitiation)
  const payment = paymentOf(change.unit, document)!
  if (request.to === 'approved') return cancelPayment(change, document, payment)
  return payment.status === 'scheduled'
    ? executeEarly(change, document, payment)
    : markDocumentPaid(change, document, payment)
}

/** Problems of a transition's body that no record is needed for. */
export const transitionProblems = (request: TransitionRequest): Problem[] => {
  const pays = request.to === 'paid' || request.to === 'payment_scheduled'
  return (['payment_method', 'source_account_id', 'scheduled_for'] as const)
    .filter((field) => !pays && request[field] !== undefined)
    .map((field) => ({
      param: `/${field}`,
      code: 'invalid_value',
      message: `${field} steers a payment, and a move to ${request.to} executes none.`,
      fix: `leave ${field} out, or move to paid or payment_scheduled`,
    }))
}

type PaymentInitiation = PayRequest & { to: 'paid' | 'payment_scheduled'; scheduled_for?: string }

const initiatePayment = (
  change: ChangeContext,
  document: Document,
  request: PaymentInitiation,
): Document => {
  const { unit, caller } = change
  const isIssuer = payerSideOf(document) === 'issuer'
  const [payer, payee] = isIssuer
    ? [document.issuer_id, document.counterparty_id]
    : [document.counterparty_id, document.issuer_id]
  const kind = paymentKindOf(document.type)
  const today = todayOf(unit, payer)
  const problems = [...methodProblems(document, request), ...dateProblems(request, today)]
  const source = paymentSourceOf(unit, document, payer, request, problems)
  if (problems.length > 0) throw invalidRequest(problems)
  const rail = selectRail(unit, document, { payer, payee })
  const isScheduled = request.scheduled_for !== undefined && request.scheduled_for > today
  const day = isScheduled ? request.scheduled_for! : today
  const amount = balanceDue(document)
  const reservation = reserveLimit(unit, caller.actor, { amount, currency: document.currency, day })
  consumeQuotas(change, payer, ['payments_per_day'])

  // From here the change must succeed.
  const at = changeTime(unit, [payer, payee])
  const payment: PaymentRow = {
    id: unit.newId(),
    mode: document.mode,
    kind,
    document_id: document.id,
    connection_id: document.connection_id,
    payer_id: payer,
    payee_id: payee,
    payer_position: 0n,
    payee_position: 0n,
    status: isScheduled ? 'scheduled' : 'created',
    amount,
    currency: document.currency,
    method: request.payment_method ?? methodsByCurrency[document.currency as Currency][0],
    rail,
    ...source,
    payee_account: accountByPurpose(unit, payee, document.currency, accountPurposesOf(kind).payee)
      .id,
    out_tx: null,
    in_tx: null,
    scheduled_for: request.scheduled_for ?? null,
    due_at: isScheduled ? `${request.scheduled_for}T00:00:00.000Z` : null,
    attempts: 0,
    settlement_reference: null,
    failure_code: null,
    failure_message: null,
    initiated_by: initiatedBy(caller.actor),
    ...reservation,
    triggered_by_payment_id: null,
    agreement_id: null,
    created_at: at,
    processing_at: null,
    settled_at: null,
    failed_at: null,
    returned_at: null,
    updated_at: at,
  }
  if (!isScheduled) return executePayment(change, document, payment, request.to)
  return saveStep(change, document, payment, {
    set: { status: 'payment_scheduled' },
    events: [{ type: 'document.status_changed', previousStatus: document.status }],
  })
}

/** A scheduled payment is executed now, by whom and within whose limits asks for it. */
const executeEarly = (change: ChangeContext, document: Document, payment: PaymentRow): Document => {
  const { unit, caller } = change
  const { amount, currency } = payment
  releaseLimit(unit, payment)
  const day = todayOf(unit, payment.payer_id)
  const reservation = reserveLimit(unit, caller.actor, { amount, currency, day })
  const moved = { ...payment, ...reservation, initiated_by: initiatedBy(caller.actor) }
  return executePayment(change, document, moved, 'paid')
}

/** The day has come: what was reserved for it stays reserved. */
export const executeScheduled = (
  change: ChangeContext,
  document: Document,
  payment: PaymentRow,
): Document => executePayment(change, document, payment, 'paid', 'settled')

const initiatedBy = (actor: Actor): string =>
  JSON.stringify(
    actor.kind === 'system'
      ? { kind: 'system', organization_id: null }
      : { ...actorForBoth(actor), ...(actor.kind === 'api_key' ? actorForOwnSide(actor) : {}) },
  )

const methodProblems = (
  { currency, mode }: Document,
  { payment_method: method }: PaymentInitiation,
): Problem[] => {
  // The processor debits bank accounts: the first of each currency.
  const all: readonly string[] = methodsByCurrency[currency as Currency]
  const known = mode === 'live' ? all.slice(0, 1) : all
  if (method === undefined || known.includes(method)) return []
  return [
    {
      param: '/payment_method',
      code: 'invalid_value',
      message: `${method} does not move ${currency}.`,
      fix: `send one of ${known.join(', ')}, or leave payment_method out`,
    },
  ]
}

const dateProblems = ({ scheduled_for: date, to }: PaymentInitiation, today: string): Problem[] => {
  if (date === undefined) return []
  const last = addDays(today, limits.scheduleMaxDaysAhead)
  const problem = (message: string, fix: string): Problem[] => [
    { param: '/scheduled_for', code: 'out_of_range', message, fix },
  ]
  if (date < today)
    return problem(
      `${date} is past: today is ${today} by your clock.`,
      `send ${today} or a later date`,
    )
  if (date > last)
    return problem(
      `${date} is more than ${limits.scheduleMaxDaysAhead} days ahead.`,
      `send a date up to ${last}`,
    )
  if (date > today && to === 'paid') {
    return problem(
      'What is paid now cannot be scheduled for later.',
      'move to payment_scheduled, or leave scheduled_for out',
    )
  }
  return []
}
