/** The clock of a practice pair, and what all sandbox operations share (domain 6). */
import type { Call } from '../../context.ts'
import { invalidRequest, refuse, refuseProblems, unavailable } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { Clock, ClockAdvance } from '../../contract/shapes/sandbox.ts'
import { lockedClock, stepTowards } from '../../changes/sandbox/move-clocks.ts'
import { addDuration } from '../../core/dates.ts'
import type { Queryable } from '../../database/sql.ts'
import { organizationClock, shifted } from '../../store/sandbox/clocks.ts'
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
    const { clock, target: last } = await lockedClock(tx, organizations, id)
    // It adds to an advance that is still on its way.
    const now = shifted(clock.now, last - clock.offset_seconds)
    const before = { now, offset_seconds: last, isMoving: last > clock.offset_seconds }
    const seconds = BigInt(secondsToAdvance(body, before))
    const target = last + seconds
    const withinSeconds = Number(target - clock.offset_seconds)
    const { sandboxWork } = call.context
    const next = await sandboxWork.next({ organizations, withinSeconds }, { done: new Set() })
    await stepTowards(tx, { organizations, clock, target, dueAtMs: next?.dueAtMs })
    const then = shifted(now, seconds)
    return { body: { now: then, offset_seconds: Number(target), status: 'ready' as const } }
  },
  {
    problems: advanceProblems,
    // On a repetition, too: the response says how far the clock is to go.
    afterCommit: async (call, response) => {
      const { id: organization } = call.organization
      const target = BigInt((JSON.parse(response) as Clock).offset_seconds)
      const isComplete = await call.context.sandboxWork.complete(call.read, {
        organization,
        target,
      })
      if (!isComplete) throw await tooMuchFellDue(call)
    },
  },
)

const tooMuchFellDue = async ({ read, organization }: Call): Promise<Error> => {
  const { now } = await clockOf(read, organization.id)
  return unavailable(
    `The clock is at ${now}, and more than ${limits.clockAdvanceWorkMax} things fell due. Send the same request again, with its Idempotency-Key, to process more of them.`,
  )
}

const secondsToAdvance = (
  body: ClockAdvance,
  clock: { now: string; offset_seconds: bigint; isMoving: boolean },
): number => {
  refuseProblems(advanceProblems(body, { isSound: () => true }))
  const { advance_by: by, advance_to: to } = body
  const now = Date.parse(clock.now)
  // A date means the start of that day, in UTC.
  const target = by === undefined ? Date.parse(to!) : addDuration(by, now)!
  const seconds = Math.ceil((target - now) / 1_000)
  if (seconds <= 0) {
    const fix = 'send a later time, or start over with POST /v1/sandbox/reset'
    const place = clock.isMoving ? 'on its way to' : 'at'
    const message = `The clock is ${place} ${clock.now} and only moves forward.`
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
