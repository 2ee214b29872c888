/** Forces an outcome that the simulator would otherwise decide (domain 6). */
import { refuse, refuseProblems } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import type { Simulation } from '../../contract/shapes/sandbox.ts'
import { type FailureCode, simulatedReference } from '../../core/sandbox/payment-simulator.ts'
import { joinedByOr } from '../../core/listed-words.ts'
import type { PaymentRow } from '../../store/payments/payments.ts'
import type { Side } from '../../contract/document-types.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { paymentOf } from '../payments/payment-record.ts'
import { executeScheduled } from '../payments/initiate-payment.ts'
import { failPayment, settlePayment, returnPayment } from '../payments/payment-lifecycle.ts'

/** The states of a payment in which each outcome can be requested. */
const allowedStatuses: Record<Simulation['outcome'], readonly string[]> = {
  settle: ['scheduled', 'processing'],
  fail: ['processing', 'created'],
  return: ['settled'],
}

const defaultReasons = {
  fail: 'processor_declined',
  return: 'returned_insufficient_funds',
} as const

/** Returns the changed payment; refuses if its state does not allow the outcome. */
export const simulateOutcome = (
  change: ChangeContext,
  document: DocumentRow,
  payment: PaymentRow,
  { request, side }: { request: Simulation; side: Side },
): PaymentRow => {
  refuseProblems(simulationProblems(request))
  const { outcome, reason } = request
  if (!allowedStatuses[outcome].includes(payment.status)) {
    const states = joinedByOr(allowedStatuses[outcome])
    throw refuse(
      'conflict',
      `The payment is ${payment.status}: only one that is ${states} can ${outcome}.`,
      {
        reason: 'illegal_transition',
        allowed: outcomesOf(payment),
        from: payment.status,
        to: outcome,
        side,
      },
    )
  }
  if (outcome === 'fail') {
    failPayment(change, document, payment, (reason ?? defaultReasons.fail) as FailureCode)
  } else if (outcome === 'return') {
    returnPayment(change, document, payment, (reason ?? defaultReasons.return) as FailureCode)
  } else {
    const started =
      payment.status === 'scheduled' ? executeScheduled(change, document, payment) : document
    const current = paymentOf(change.unit, started)!
    if (current.status === 'processing')
      settlePayment(change, started, current, simulatedReference(current.id))
  }
  return change.unit.get('payments', payment.id)!
}

/** The outcomes that can be requested now. */
const outcomesOf = ({ status }: PaymentRow): string[] =>
  Object.entries(allowedStatuses).flatMap(([outcome, statuses]) =>
    statuses.includes(status) ? [outcome] : [],
  )

/** Bank returns have other reasons than failures of a rail. */
export const simulationProblems = ({ outcome, reason }: Simulation): Problem[] => {
  if (reason === undefined) return []
  const isReturnReason = reason.startsWith('returned_')
  const fits = outcome === 'settle' ? false : isReturnReason === (outcome === 'return')
  const fix = {
    settle: 'leave reason out',
    fail: `send a reason like ${defaultReasons.fail}`,
    return: `send a reason like ${defaultReasons.return}`,
  }[outcome]
  const message = `${reason} is not a reason to ${outcome}.`
  return fits ? [] : [{ param: '/reason', code: 'invalid_value', message, fix }]
}
