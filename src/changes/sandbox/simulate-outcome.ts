/** An outcome that the simulator would otherwise decide, now (domain 6). */
import { invalid, refuse } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import type { Simulation } from '../../contract/shapes/sandbox.ts'
import { type FailureCode, simulatedReference } from '../../core/sandbox/payment-simulator.ts'
import type { Rows } from '../../database/rows.ts'
import type { Change } from '../acting-caller.ts'
import { type Payment, paymentOf } from '../payments/payment-record.ts'
import { startScheduled } from '../payments/initiate-payment.ts'
import { fail, settle, takeBack } from '../payments/settlement.ts'

/** The states of a payment in which an outcome can be asked for. */
const possible: Record<Simulation['outcome'], readonly string[]> = {
  settle: ['scheduled', 'processing'],
  fail: ['processing', 'created'],
  return: ['settled'],
}

const usual = { fail: 'processor_declined', return: 'returned_insufficient_funds' } as const

/** The payment as it then stands; refused when it is not in a state for that. */
export const simulate = (
  change: Change,
  document: Rows['documents'],
  payment: Payment,
  asked: Simulation,
): Payment => {
  const problems = simulationProblems(asked)
  if (problems.length > 0) throw invalid(problems)
  const { outcome, reason } = asked
  if (!possible[outcome].includes(payment.status)) {
    const states = possible[outcome].join(' or ')
    throw refuse(
      'conflict',
      `The payment is ${payment.status}: only one that is ${states} can ${outcome}.`,
      { reason: 'illegal_transition', from: payment.status, to: outcome },
    )
  }
  if (outcome === 'fail') {
    fail(change, document, payment, (reason ?? usual.fail) as FailureCode)
  } else if (outcome === 'return') {
    takeBack(change, document, payment, (reason ?? usual.return) as FailureCode)
  } else {
    const started =
      payment.status === 'scheduled' ? startScheduled(change, document, payment) : document
    const now = paymentOf(change.world, started)!
    if (now.status === 'processing') settle(change, started, now, simulatedReference(now.id))
  }
  return change.world.get('payments', payment.id)!
}

/** Banks return for other reasons than those for which rails refuse. */
export const simulationProblems = ({ outcome, reason }: Simulation): Problem[] => {
  if (reason === undefined) return []
  const isOfReturn = reason.startsWith('returned_')
  const fits = outcome === 'settle' ? false : isOfReturn === (outcome === 'return')
  const fix = {
    settle: 'leave reason out',
    fail: `send a reason like ${usual.fail}`,
    return: `send a reason like ${usual.return}`,
  }[outcome]
  const message = `${reason} is no reason to ${outcome}.`
  return fits ? [] : [{ param: '/reason', code: 'invalid_value', message, fix }]
}
