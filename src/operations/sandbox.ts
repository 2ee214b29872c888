/** The sandbox: its clock, practice money, what a rail decides, and starting over. */
import type { Call } from '../context.ts'
import { invalidRequest, refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import { Payment } from '../contract/shapes/payments.ts'
import { Clock, ClockAdvance, Simulation, TopUp } from '../contract/shapes/sandbox.ts'
import { NoBody } from '../contract/shapes/documents.ts'
import { Balance } from '../contract/shapes/treasury.ts'
import { seedDocuments } from '../changes/sandbox/seed-documents.ts'
import { notFoundOrIsolated } from '../changes/identity/sandbox-isolation.ts'
import { endPayments, resetSandbox } from '../changes/sandbox/reset.ts'
import { documentForWrite } from '../changes/documents/document-access.ts'
import { simulateOutcome, simulationProblems } from '../changes/sandbox/simulate-outcome.ts'
import { systemChangeContext } from '../changes/system-change-context.ts'
import { topUp, topUpProblems } from '../changes/sandbox/top-up.ts'
import { addDuration } from '../core/durations.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { projectPayment } from '../core/payments/payment-record.ts'
import { paymentById } from '../store/payments/payments.ts'
import { pairsWithoutDocuments } from '../store/sandbox/practice-pairs.ts'
import type { Queryable } from '../database/sql.ts'
import {
  organizationClock,
  organizationsSharingClock,
  advanceClocks,
} from '../store/sandbox/clocks.ts'
import { operation } from './operation.ts'
import { balanceView } from './treasury.ts'

export const sandboxDefaults = {
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

const clockView = async (session: Queryable, organization: string) => {
  const { now, offset_seconds } = await organizationClock(session, organization)
  return { now, offset_seconds: Number(offset_seconds), status: 'ready' as const }
}

export const readClock = operation({
  ...sandboxDefaults,
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
  ...sandboxDefaults,
  id: 'sandbox.clock.advance',
  method: 'POST',
  path: '/v1/sandbox/clock',
  summary: 'Move the sandbox clock forward',
  description:
    'Moves dates, due times, delays of the simulator and of the played counterparty, the day of daily_volume and expiries; everything due by then is done before the answer, each thing as of when it was due. Times of record (`*_at`), events, keys and idempotency stay real.',
  body: ClockAdvance,
  response: Clock,
  errors: ['sandbox_isolation'],
}).transacts(
  async (tx, call, { body }) => {
    checkSandbox(call)
    const { id } = call.organization
    const before = await organizationClock(tx, id)
    const offset = before.offset_seconds + BigInt(secondsToAdvance(body, before))
    await advanceClocks(tx, await organizationsSharingClock(tx, id), offset)
    return { body: await clockView(tx, id) }
  },
  {
    afterCommit: async (call) => {
      await call.context.runScheduledWork(
        await organizationsSharingClock(call.read, call.organization.id),
      )
    },
  },
)

const secondsToAdvance = (
  body: ClockAdvance,
  clock: { now: string; offset_seconds: bigint },
): number => {
  const { advance_by: by, advance_to: to } = body
  if ((by === undefined) === (to === undefined)) {
    const message = `Send advance_by or advance_to${by === undefined ? '' : ', not both'}.`
    throw invalidRequest([clockProblem(body, message)])
  }
  const now = Date.parse(clock.now)
  const target = by === undefined ? instantOf(to!) : addDuration(by, now)
  if (target === undefined) {
    const isFraction = /^P.*\d[.,]\d/.test(by!)
    const wrong = isFraction ? 'has a fraction: units are whole numbers' : 'is no ISO 8601 duration'
    throw invalidRequest([clockProblem(body, `${JSON.stringify(by)} ${wrong}.`)])
  }
  const seconds = Math.ceil((target - now) / 1_000)
  if (seconds <= 0) {
    const fix = 'send a later moment, or start over with POST /v1/sandbox/reset'
    const message = `The clock stands at ${clock.now} and only moves forward.`
    throw invalidRequest([clockProblem(body, message, fix)])
  }
  const left = limits.clockOffsetMaxSeconds - Number(clock.offset_seconds)
  if (seconds > left) {
    const last = new Date(now + left * 1_000).toISOString()
    const fix = `send an advance_to up to ${last}, or start over with POST /v1/sandbox/reset`
    throw invalidRequest([clockProblem(body, 'The clock would be more than two years ahead.', fix)])
  }
  return seconds
}

/** A date means its start. */
const instantOf = (to: string): number => Date.parse(to.length === 10 ? `${to}T00:00:00.000Z` : to)

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
  ...sandboxDefaults,
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
    needs: { counters: [organization], accountsOfOrganizations: [organization] },
    decide: (unit) => {
      checkSandbox(call)
      const account = topUp(unit, organization, body)
      const { id, currency, posted, pending_credit, pending_debit } = account
      const balance = {
        account_id: id,
        currency,
        posted: posted!,
        pending_in: pending_credit!,
        pending_out: pending_debit!,
      }
      return { body: balanceView(balance, unit.now), resourceId: encodeId('acct', id) }
    },
  }
}, topUpProblems)

export const reset = operation({
  ...sandboxDefaults,
  id: 'sandbox.reset',
  method: 'POST',
  path: '/v1/sandbox/reset',
  summary: 'Start the sandbox over',
  description:
    'Both sides of the practice pair then see what a fresh one shows: the first documents, full accounts, numbers from the beginning, the real time, and nothing of before, which answers 404. Keys with their limits, sessions and webhook endpoints stay; so does what a daily quota has counted. Payments under way are called off or fail first. Connections to others end, and what was exchanged on them stays readable for the others, who can do nothing more with it.',
  body: NoBody,
  response: Clock,
  errors: ['sandbox_isolation', 'conflict'],
}).callsOut(
  async (call) => {
    checkSandbox(call)
    const { id } = call.organization
    if (!call.dryRun) await endPayments(call.read, call.context.performAsSystem, id)
    return async (tx) => {
      if (!call.dryRun) await resetSandbox(tx, id)
      return { body: await clockView(tx, id) }
    }
  },
  {
    afterCommit: async (call) => {
      const pairs = await pairsWithoutDocuments(call.read, { organization: call.organization.id })
      await seedDocuments(call.context.performAsSystem, pairs)
    },
  },
)

export const simulate = operation({
  ...sandboxDefaults,
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
    throw await notFoundOrIsolated(call.read, organization, 'pay', params.id)
  }
  checkSandbox(call)
  return {
    needs: { documents: [row.document_id], paymentsOfDocuments: [row.document_id] },
    decide: (unit) => {
      const change = systemChangeContext(unit, call.requestId, call.context)
      const { document } = documentForWrite(unit, change.caller, organization, row.document_id)
      const payment = simulateOutcome(change, document, unit.get('payments', id) ?? row, body)
      return { body: projectPayment(payment, organization), resourceId: params.id }
    },
  }
}, simulationProblems)
