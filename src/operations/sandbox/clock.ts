/** The clock of a practice pair, and what all sandbox operations share (domain 6). */
import type { Call, SandboxProgress } from '../../context.ts'
import { invalidRequest, refuse, refuseProblems, unavailable } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { Clock, ClockAdvance } from '../../contract/shapes/sandbox.ts'
import { addDuration } from '../../core/dates.ts'
import type { Connection, Queryable } from '../../database/sql.ts'
import {
  type OrganizationClock,
  advanceClocks,
  lockClocks,
  organizationClock,
  shifted,
} from '../../store/sandbox/clocks.ts'
import { practicePairOf } from '../../store/sandbox/practice-pairs.ts'
import { type SemanticContext, operation } from '../operation.ts'

export const sandboxDefaults = {
  allowed: 'scoped',
  scopes: ['documents:write'],
  since: '1.15.0',
} as const

/** Refuses live organizations. */
export const checkSandbox = ({ organization }: Call): void => {
  if (organization.mode === 'test') return
  throw refuse(
    'sandbox_isolation',
    'This operation is only available to sandbox organizations: send a sandbox key (rk_test_…).',
  )
}

export const clockOf = async (db: Queryable, organization: string) => {
  const { now, offset_seconds } = await organizationClock(db, organization)
  return { now, offset_seconds: Number(offset_seconds), status: 'ready' as const }
}

export const get = operation({
  ...sandboxDefaults,
  id: 'sandbox.clock.get',
  method: 'GET',
  path: '/v1/sandbox/clock',
  summary: 'Retrieve the sandbox clock',
  response: Clock,
  errors: ['sandbox_isolation'],
}).reads(async (call) => {
  checkSandbox(call)
  return { body: await clockOf(call.read, call.organization.id) }
})

/** What no clock has to be read for. */
const advanceProblems = (
  body: ClockAdvance,
  { isSound }: Pick<SemanticContext, 'isSound'>,
): Problem[] => {
  const { advance_by: by, advance_to: to } = body
  if (!isSound('/advance_by') || !isSound('/advance_to')) return []
  if ((by === undefined) === (to === undefined)) {
    const message = `Send advance_by or advance_to${by === undefined ? '' : ', not both'}.`
    return [clockProblem(body, message)]
  }
  if (by === undefined || addDuration(by, 0) !== undefined) return []
  const isFraction = /^P.*\d[.,]\d/.test(by)
  const reason = isFraction ? 'has a fraction; use whole numbers' : 'is not an ISO 8601 duration'
  return [clockProblem(body, `${JSON.stringify(by)} ${reason}.`)]
}

export const advance = operation({
  ...sandboxDefaults,
  id: 'sandbox.clock.advance',
  method: 'POST',
  path: '/v1/sandbox/clock',
  summary: 'Move the sandbox clock forward',
  description: `Moves both sides of the practice pair, and nobody else. Affects dates, due times, the delays of the payment simulator and the demo counterparty, the day of daily_volume and expiries. Everything that is due by the new time is processed before the response, each item as of its due time: up to ${limits.clockAdvanceWorkMax} items, beyond which the response is 503 and the same request continues. A payment follows the clock of its payer, an offer lasts by the clock of its issuer, and \`overdue\` follows the clock of whoever reads. Recorded times (\`*_at\`), events, keys and idempotency keep the real time.`,
  body: ClockAdvance,
  response: Clock,
  errors: ['sandbox_isolation'],
}).transacts(
  async (tx, call, { body }) => {
    checkSandbox(call)
    const { id } = call.organization
    const { organizations } = await practicePairOf(tx, id)
    await lockClocks(tx, organizations)
    const before = await organizationClock(tx, id)
    const seconds = BigInt(secondsToAdvance(body, before))
    const target = before.offset_seconds + seconds
    const within = { organizations, withinSeconds: Number(seconds) }
    const next = await call.context.sandboxWork.next(within, { done: new Set() })
    await moveTowards(tx, { organizations, before, target, dueAtMs: next?.dueAtMs })
    const now = shifted(before.now, seconds)
    return { body: { now, offset_seconds: Number(target), status: 'ready' as const } }
  },
  {
    problems: advanceProblems,
    // On a repetition, too: the response says how far the clock is to go.
    afterCommit: (call, response) => {
      const { offset_seconds } = JSON.parse(response) as Clock
      return completeAdvance(call, BigInt(offset_seconds))
    },
  },
)

interface Move {
  organizations: readonly string[]
  before: OrganizationClock
  target: bigint
  /** When something falls due next, by the clock of the organization. */
  dueAtMs: number | undefined
}

/**
 * Moves locked clocks to where something falls due next, but not beyond the target. For what is due
 * already, a second is enough: another advance may still carry it out.
 */
const moveTowards = async (
  tx: Connection,
  { organizations, before, target, dueAtMs }: Move,
): Promise<void> => {
  const withinSeconds = Number(target - before.offset_seconds)
  const nowMs = Date.parse(before.now)
  const untilDue = dueAtMs === undefined ? withinSeconds : Math.ceil((dueAtMs - nowMs) / 1_000)
  const seconds = Math.min(Math.max(untilDue, 1), withinSeconds)
  const offset = before.offset_seconds + BigInt(seconds)
  await advanceClocks(tx, organizations, offset)
}

/**
 * Carries out what is due and moves the clock on, in turn, up to the target: whoever looks for due
 * work meanwhile finds nothing too early. A reset ends it, but not a caller who hangs up.
 */
const completeAdvance = async (call: Call, target: bigint): Promise<void> => {
  const { id } = call.organization
  const { sandboxWork, database } = call.context
  const { reset_position } = await organizationClock(call.read, id)
  const { organizations } = await practicePairOf(call.read, id)
  const progress: SandboxProgress = { done: new Set() }
  const isReset = (clock: OrganizationClock) => clock.reset_position !== reset_position
  const moveOn = (dueAtMs: number | undefined) =>
    database.perform('writes', { organization: id }, ({ transaction }) =>
      transaction(async (tx) => {
        await lockClocks(tx, organizations)
        const before = await organizationClock(tx, id)
        if (isReset(before) || before.offset_seconds >= target) return
        await moveTowards(tx, { organizations, before, target, dueAtMs })
      }),
    )
  for (;;) {
    const clock = await organizationClock(call.read, id)
    if (isReset(clock)) break
    const withinSeconds = Math.max(Number(target - clock.offset_seconds), 0)
    const next = await sandboxWork.next({ organizations, withinSeconds }, progress)
    if (next === undefined && withinSeconds === 0) break
    const isDue = next !== undefined && next.dueAtMs <= Date.parse(clock.now)
    if (!isDue) await moveOn(next?.dueAtMs)
    if (next !== undefined && !(await next.run())) throw await tooMuchFellDue(call)
  }
  if (progress.failure !== undefined) throw progress.failure
}

const tooMuchFellDue = async ({ read, organization }: Call): Promise<Error> => {
  const { now } = await clockOf(read, organization.id)
  return unavailable(
    `The clock is at ${now}, and more than ${limits.clockAdvanceWorkMax} things fell due. Send the same request again, with its Idempotency-Key, to process more of them.`,
  )
}

const secondsToAdvance = (
  body: ClockAdvance,
  clock: { now: string; offset_seconds: bigint },
): number => {
  refuseProblems(advanceProblems(body, { isSound: () => true }))
  const { advance_by: by, advance_to: to } = body
  const now = Date.parse(clock.now)
  // A date means the start of that day, in UTC.
  const target = by === undefined ? Date.parse(to!) : addDuration(by, now)!
  const seconds = Math.ceil((target - now) / 1_000)
  if (seconds <= 0) {
    const fix = 'send a later time, or start over with POST /v1/sandbox/reset'
    const message = `The clock is at ${clock.now} and only moves forward.`
    throw invalidRequest(clockProblem(body, message, fix))
  }
  const remaining = limits.clockOffsetMaxSeconds - Number(clock.offset_seconds)
  if (seconds > remaining) {
    const latest = new Date(now + remaining * 1_000).toISOString()
    const fix = `send an advance_to up to ${latest}, or start over with POST /v1/sandbox/reset`
    throw invalidRequest(clockProblem(body, 'The clock would be more than two years ahead.', fix))
  }
  return seconds
}

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
