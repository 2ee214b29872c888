/**
 * Initiates payments for POST /pay and for transitions (domain 4.2): decides who pays how much from
 * which account. payment-lifecycle.ts does the rest.
 */
import { type DocumentTypeName, type Side, documentTypes } from '../../contract/document-types.ts'
import { refuse, refuseProblems } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { PayRequest } from '../../contract/shapes/payments.ts'
import { agreementOf, awaitsFunding } from '../../core/finance/document-finance.ts'
import { addDays, startOfDay } from '../../core/dates.ts'
import { legalTargets, transitionFactsOf } from '../../core/documents/state-machine.ts'
import {
  accountPurposesOf,
  paymentKindOf,
  paymentMethodsOf,
} from '../../core/payments/payment-methods.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import type { PaymentRow } from '../../store/payments/payments.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { initiatedBy, newPayment } from './new-payment.ts'
import { changeTime } from '../organization-counters.ts'
import { typeWithArticle, typeName } from '../../core/documents/type-names.ts'
import { consumeQuotas } from '../quotas.ts'
import { frozen } from '../documents/document-access.ts'
import { checkIsNotRepeated, checkTakesMore } from '../documents/transitions.ts'
import { todayOf } from '../organization-clock.ts'
import { requirePaymentApproval } from './payment-approval.ts'
import { releaseLimit, reserveLimit } from './payment-limits.ts'
import { saveStep, paymentOf } from './payment-record.ts'
import { accountByPurpose, paymentSourceOf } from './payment-accounts.ts'
import { type PaymentParties, selectRail } from './rail-selection.ts'
import { executePayment, failPayment, markDocumentPaid } from './payment-lifecycle.ts'

const payerSideOf = (document: DocumentRow): Side | null =>
  documentTypes[document.type as DocumentTypeName].payer

/** POST /pay: pays the whole balance; a repeated request returns the document with its payment. */
export const payDocument = (
  change: ChangeContext,
  document: DocumentRow,
  side: Side,
  asked: PayRequest,
): DocumentRow => {
  const { status } = document
  const payment = paymentOf(change.unit, document)
  const isPayer = payerSideOf(document) === side
  const isSettled = payment?.status === 'settled'
  if (document.is_frozen) {
    // A repeated request must still learn that its payment settled.
    if (isPayer && isSettled) return document
    throw frozen()
  }
  if (!isPayer) throw notPayable(change, document, side)
  const request = { ...asked, to: 'paid' } as const
  if (isPayable(document)) return initiatePayment(change, document, request)
  if (status === 'paid' && isSettled) return document
  if (status !== 'payment_scheduled' || payment === undefined)
    throw notPayable(change, document, side)
  if (payment.status === 'scheduled') return executeEarly(change, document, payment, request)
  return isSettled ? markDocumentPaid(change, document, payment) : document
}

const isPayable = (document: DocumentRow): boolean =>
  document.status === 'approved' && balanceDue(document) > 0n && !awaitsFunding(document)

const notPayable = ({ caller, unit }: ChangeContext, document: DocumentRow, side: Side) => {
  const facts = transitionFactsOf(document, todayOf(unit, document.issuer_id))
  return refuse('conflict', whyNotPayable(document, side), {
    reason: 'not_payable',
    allowed: legalTargets(facts, { side, canPay: caller.canPay }),
    from: document.status,
    side,
  })
}

const whyNotPayable = (document: DocumentRow, side: Side): string => {
  const { type, status } = document
  const payer = payerSideOf(document)
  if (payer === null) return `Nobody pays ${typeWithArticle(type)}.`
  if (payer !== side) return `The ${payer} pays ${typeWithArticle(type)}, not its ${side}.`
  if (awaitsFunding(document))
    return 'The disbursement was returned: nothing is owed before it is paid again.'
  const kind = typeName(type)
  return `This ${kind} is ${status}: only an approved ${kind} with a balance can be paid.`
}

export type PaymentInitiation = PayRequest & {
  to: 'paid' | 'payment_scheduled'
  scheduled_for?: string
}

export const initiatePayment = (
  change: ChangeContext,
  document: DocumentRow,
  request: PaymentInitiation,
): DocumentRow => {
  const { unit, caller } = change
  const isIssuer = payerSideOf(document) === 'issuer'
  const [payer, payee] = isIssuer
    ? [document.issuer_id, document.counterparty_id]
    : [document.counterparty_id, document.issuer_id]
  const kind = paymentKindOf(document.type)
  const today = todayOf(unit, payer)
  const routing = routingOf(change, document, { request, payer, payee })
  const isScheduled = request.scheduled_for !== undefined && request.scheduled_for > today
  if (isScheduled) checkIsNotRepeated(document)
  // What only the issuer is told of, such as a loan, takes no payment away.
  checkTakesMore(document.counterparty_events, 'payment')
  const day = isScheduled ? request.scheduled_for! : today
  const amount = balanceDue(document)
  const reservation = reserveLimit(unit, caller.actor, { amount, currency: document.currency, day })
  consumeQuotas(change, payer, ['payments_per_day'])
  const { currency } = document
  const verb = isScheduled ? `Schedule for ${day}:` : 'Pay'
  requirePaymentApproval(change, document, { amount, currency, payee, day, verb })

  // From here the change must succeed.
  const at = changeTime(unit, [payer, payee])
  const payment = newPayment(document, at, {
    id: unit.newId(),
    kind,
    payer_id: payer,
    payee_id: payee,
    status: isScheduled ? 'scheduled' : 'created',
    amount,
    ...routing,
    payee_account: accountByPurpose(unit, payee, document.currency, accountPurposesOf(kind).payee)
      .id,
    scheduled_for: request.scheduled_for ?? null,
    due_at: isScheduled ? startOfDay(day) : null,
    initiated_by: initiatedBy(caller.actor),
    ...reservation,
    triggered_by_payment_id: null,
    agreement_id: kind === 'document_payment' ? null : agreementOf(document),
  })
  if (!isScheduled) return executePayment(change, document, payment, request)
  return saveStep(change, document, payment, {
    set: { status: 'payment_scheduled' },
    events: [{ type: 'document.status_changed', previousStatus: document.status }],
  })
}

/**
 * By which method and rail and from which account the request pays; what it does not name is as it
 * was scheduled, or the default.
 */
const routingOf = (
  change: ChangeContext,
  document: DocumentRow,
  {
    request,
    payer,
    payee,
    scheduled,
  }: PaymentParties & { request: PaymentInitiation; scheduled?: PaymentRow },
): Pick<PaymentRow, 'method' | 'payer_account' | 'source' | 'rail'> => {
  const { unit } = change
  const today = todayOf(unit, payer)
  const requestedId = request.source_account_id
  const { payer_account, source, problems } =
    scheduled !== undefined && requestedId === undefined
      ? { ...scheduled, problems: [] }
      : paymentSourceOf(unit, document, { payer, requestedId })
  const all = [...methodProblems(document, request), ...dateProblems(request, today), ...problems]
  refuseProblems(all)
  const rail = selectRail(change, document, { payer, payee })
  const [byDefault] = paymentMethodsOf(document)
  const method = request.payment_method ?? scheduled?.method ?? byDefault!
  return { method, payer_account, source, rail }
}

/** Executes a scheduled payment now, on behalf of the caller and within the caller's limits. */
export const executeEarly = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  request: PaymentInitiation,
): DocumentRow => {
  const { unit, caller } = change
  const { amount, currency, payer_id: payer, payee_id: payee } = payment
  const routing = routingOf(change, document, { request, payer, payee, scheduled: payment })
  releaseLimit(unit, payment)
  const day = todayOf(unit, payer)
  const reservation = reserveLimit(unit, caller.actor, { amount, currency, day })
  requirePaymentApproval(change, document, { amount, currency, payee, day, verb: 'Pay' })
  const initiated_by = initiatedBy(caller.actor)
  const moved = { ...payment, ...routing, ...reservation, initiated_by }
  return executePayment(change, document, moved, { to: 'paid' })
}

/**
 * Executes a scheduled payment on its day; its limit reservation stays in force. Nobody can cancel
 * that of a suspended payer, so it fails and the document is free (docs/decisions/0264).
 */
export const executeScheduled = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
): DocumentRow => {
  const { suspended_at } = change.unit.get('organizations', payment.payer_id)!
  return suspended_at === null
    ? executePayment(change, document, payment, { to: 'paid', cause: 'settled' })
    : failPayment(change, document, payment, 'account_frozen')
}

const methodProblems = (
  document: DocumentRow,
  { payment_method: method }: PaymentInitiation,
): Problem[] => {
  const supported = paymentMethodsOf(document)
  if (method === undefined || supported.includes(method)) return []
  return [
    {
      param: '/payment_method',
      code: 'invalid_value',
      message: `${method} is not available for ${document.currency}.`,
      fix: `send one of ${supported.join(', ')}, or leave payment_method out`,
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
      `${date} is past: today is ${today} by your organization's clock.`,
      `send ${today} or a later date`,
    )
  if (date > last)
    return problem(
      `${date} is more than ${limits.scheduleMaxDaysAhead} days ahead.`,
      `send a date up to ${last}`,
    )
  if (date > today && to === 'paid') {
    return problem(
      'A payment cannot be executed now and scheduled for later.',
      'move to payment_scheduled, or leave scheduled_for out',
    )
  }
  return []
}
