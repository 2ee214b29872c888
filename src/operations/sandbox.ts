/** The sandbox: its clock, practice money, what a rail decides, and starting over. */
import type { Call } from '../context.ts'
import { invalid, refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import { Payment } from '../contract/shapes/payments.ts'
import { Clock, ClockAdvance, Simulation, TopUp } from '../contract/shapes/sandbox.ts'
import { NoBody } from '../contract/shapes/documents.ts'
import { Balance } from '../contract/shapes/treasury.ts'
import { sendFirstDocuments } from '../changes/sandbox/seed-documents.ts'
import { missing } from '../changes/identity/sandbox-isolation.ts'
import { endPayments, resetSandbox } from '../changes/sandbox/reset.ts'
import { documentFor } from '../changes/documents/document-access.ts'
import {
  simulate as simulateOutcome,
  simulationProblems,
} from '../changes/sandbox/simulate-outcome.ts'
import { changeBySystem } from '../changes/acting-system.ts'
import { topUp, topUpProblems } from '../changes/sandbox/top-up.ts'
import { laterBy } from '../core/durations.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { projectPayment } from '../core/payments/payment-record.ts'
import { paymentById } from '../store/payments/payments.ts'
import { pairsWithoutDocuments } from '../store/sandbox/practice-pairs.ts'
import type { Session } from '../database/sql.ts'
import { clockOf, clockSharers, setClocks } from '../store/sandbox/clocks.ts'
import { operation } from './operation.ts'
import { balanceView } from './treasury.ts'

export const inSandbox = {
  allowed: 'scoped',
  scopes: ['documents:write'],
  since: '1.15.0',
} as const

/** These paths exist for sandbox organizations only. */
export const checkSandbox = ({ organization }: Call): void => {
  if (organization.mode === 'test') return
  throw refuse(
    'sandbox_isolation',
    'This path is for sandbox organizations: it has no meaning for a live one.',
  )
}

const clockView = async (session: Session, organization: string) => {
  const { now, offset_seconds } = await clockOf(session, organization)
  return { now, offset_seconds: Number(offset_seconds), status: 'ready' as const }
}

export const readClock = operation({
  ...inSandbox,
  id: 'sandbox.clock.get',
  method: 'GET',
  path: '/v1/sandbox/clock',
  summary: 'Read the sandbox clock',
  response: Clock,
  errors: ['sandbox_isolation'],
}).reads(async (call) => {
  checkSandbox(call)
  return { body: await clockView(call.read, call.organization.id) }
})

export const advanceClock = operation({
  ...inSandbox,
  id: 'sandbox.clock.advance',
  method: 'POST',
  path: '/v1/sandbox/clock',
  summary: 'Move the sandbox clock forward',
  description:
    'Moves dates, due times, delays of the simulator and of the played counterparty, the day of daily_volume and expiries; everything due by then is done before the answer, each thing as of when it was due. Times of record (`*_at`), events, keys and idempotency stay real.',
  body: ClockAdvance,
  response: Clock,
  errors: ['sandbox_isolation'],
}).runs(
  async (tx, call, { body }) => {
    checkSandbox(call)
    const { id } = call.organization
    const before = await clockOf(tx, id)
    const offset = before.offset_seconds + BigInt(secondsAhead(body, before))
    await setClocks(tx, await clockSharers(tx, id), offset)
    return { body: await clockView(tx, id) }
  },
  {
    afterwards: async (call) => {
      await call.context.runDue(await clockSharers(call.read, call.organization.id))
    },
  },
)

const secondsAhead = (
  body: ClockAdvance,
  clock: { now: string; offset_seconds: bigint },
): number => {
  const { advance_by: by, advance_to: to } = body
  if ((by === undefined) === (to === undefined)) {
    const message = `Send advance_by or advance_to${by === undefined ? '' : ', not both'}.`
    throw invalid([clockProblem(body, message)])
  }
  const now = Date.parse(clock.now)
  const target = by === undefined ? momentOf(to!) : laterBy(by, now)
  if (target === undefined) {
    const isFraction = /^P.*\d[.,]\d/.test(by!)
    const wrong = isFraction ? 'has a fraction: units are whole numbers' : 'is no ISO 8601 duration'
    throw invalid([clockProblem(body, `${JSON.stringify(by)} ${wrong}.`)])
  }
  const seconds = Math.ceil((target - now) / 1_000)
  if (seconds <= 0) {
    const fix = 'send a later moment, or start over with POST /v1/sandbox/reset'
    const message = `The clock stands at ${clock.now} and only moves forward.`
    throw invalid([clockProblem(body, message, fix)])
  }
  const left = limits.clockAheadMaxSeconds - Number(clock.offset_seconds)
  if (seconds > left) {
    const last = new Date(now + left * 1_000).toISOString()
    const fix = `send an advance_to up to ${last}, or start over with POST /v1/sandbox/reset`
    throw invalid([clockProblem(body, 'The clock would be more than two years ahead.', fix)])
  }
  return seconds
}

/** A date means its start. */
const momentOf = (to: string): number => Date.parse(to.length === 10 ? `${to}T00:00:00.000Z` : to)

const clockProblem = (
  { advance_by }: ClockAdvance,
  message: string,
  fix = 'send an advance_by like P6D, P1M or PT90S, or an advance_to like 2026-12-21',
): Problem => ({
  param: advance_by === undefined ? '/advance_to' : '/advance_by',
  code: 'invalid_value',
  message,
  fix,
})

export const topup = operation({
  ...inSandbox,
  id: 'sandbox.topup',
  method: 'POST',
  path: '/v1/sandbox/topup',
  summary: 'Put practice money on an account',
  body: TopUp,
  response: Balance,
  errors: ['sandbox_isolation', 'not_found'],
}).decides((call, { body }) => {
  const organization = call.organization.id
  return {
    needs: { heads: [organization], accounts: [organization] },
    decide: (world) => {
      checkSandbox(call)
      const account = topUp(world, organization, body)
      const { id, currency, posted, pending_credit, pending_debit } = account
      const balance = {
        account_id: id,
        currency,
        posted: posted!,
        pending_in: pending_credit!,
        pending_out: pending_debit!,
      }
      return { body: balanceView(balance, world.now), resourceId: encodeId('acct', id) }
    },
  }
}, topUpProblems)

export const reset = operation({
  ...inSandbox,
  id: 'sandbox.reset',
  method: 'POST',
  path: '/v1/sandbox/reset',
  summary: 'Start the sandbox over',
  description:
    'Both sides of the practice pair then see what a fresh one shows: the first documents, full accounts, numbers from the beginning, the real time, and nothing of before, which answers 404. Keys with their limits, sessions and webhook endpoints stay; so does what a daily quota has counted. Payments under way are called off or fail first. Connections to others end, and what was exchanged on them stays readable for the others, who can do nothing more with it.',
  body: NoBody,
  response: Clock,
  errors: ['sandbox_isolation', 'conflict'],
}).calls(
  async (call) => {
    checkSandbox(call)
    const { id } = call.organization
    if (!call.dryRun) await endPayments(call.read, call.context.bySystem, id)
    return async (tx) => {
      if (!call.dryRun) await resetSandbox(tx, id)
      return { body: await clockView(tx, id) }
    }
  },
  {
    afterwards: async (call) => {
      const pairs = await pairsWithoutDocuments(call.read, { organization: call.organization.id })
      await sendFirstDocuments(call.context.bySystem, pairs)
    },
  },
)

export const simulate = operation({
  ...inSandbox,
  id: 'sandbox.payments.simulate',
  method: 'POST',
  path: '/v1/sandbox/payments/{id}/simulate',
  summary: 'Decide what becomes of a payment',
  body: Simulation,
  response: Payment,
  errors: ['sandbox_isolation', 'not_found', 'conflict'],
}).decides(async (call, { params, body }) => {
  const organization = call.organization.id
  const id = decodeId('pay', params.id)
  const row = id === undefined ? undefined : await paymentById(call.read, organization, id)
  if (id === undefined || row === undefined) {
    throw await missing(call.read, organization, 'pay', params.id)
  }
  checkSandbox(call)
  return {
    needs: { documents: [row.document_id], payments: [row.document_id] },
    decide: (world) => {
      const change = changeBySystem(world, call.requestId, call.context)
      const { document } = documentFor(world, change.caller, organization, row.document_id)
      const payment = simulateOutcome(change, document, world.get('payments', id) ?? row, body)
      return { body: projectPayment(payment, organization), resourceId: params.id }
    },
  }
}, simulationProblems)
