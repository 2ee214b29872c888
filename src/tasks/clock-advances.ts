/**
 * Completes advances of the clocks of sandboxes: for the request that began one, and for one whose
 * process has died or that had more to do than one request may.
 */
import { lockedClock, stepTowards } from '../changes/sandbox/move-clocks.ts'
import type { Context, SandboxProgress } from '../context.ts'
import { limits } from '../contract/limits.ts'
import type { Queryable } from '../database/sql.ts'
import {
  type OrganizationClock,
  clocksLeft,
  organizationClock,
  targetOf,
} from '../store/sandbox/clocks.ts'
import { practicePairOf } from '../store/sandbox/practice-pairs.ts'
import { openDueWork } from './due-work.ts'
import type { Task } from './runner.ts'

/**
 * Carries out what is due and moves the clock on, in turn, up to the target, by default that of the
 * last step: whoever looks for due work meanwhile finds nothing too early. A reset ends it, but not
 * a caller who hangs up. Returns false if more fell due than is done at once.
 */
export const completeAdvance = async (
  context: Context,
  db: Queryable,
  { organization, target: given }: { organization: string; target?: bigint },
): Promise<boolean> => {
  const { sandboxWork, database } = context
  const begun = await organizationClock(db, organization)
  const target = given ?? (await targetOf(db, organization, begun))
  const { organizations } = await practicePairOf(db, organization)
  const progress: SandboxProgress = { done: new Set() }
  const isReset = (clock: OrganizationClock) => clock.reset_position !== begun.reset_position
  const moveOn = (dueAtMs: number | undefined) =>
    database.perform('writes', { organization }, ({ transaction }) =>
      transaction(async (tx) => {
        const { clock, target: last } = await lockedClock(tx, organizations, organization)
        if (isReset(clock) || clock.offset_seconds >= target) return
        // Another advance has come here before.
        if (dueAtMs !== undefined && dueAtMs <= Date.parse(clock.now)) return
        // Another advance may go further. This one carries out its own part of the way.
        const seconds = Number(target - clock.offset_seconds)
        const endMs = Date.parse(clock.now) + seconds * 1_000
        const stopMs = Math.min(dueAtMs ?? endMs, endMs)
        const step = { organizations, clock, target: last > target ? last : target }
        await stepTowards(tx, { ...step, dueAtMs: stopMs })
      }),
    )
  for (;;) {
    const clock = await organizationClock(db, organization)
    if (isReset(clock)) break
    const withinSeconds = Math.max(Number(target - clock.offset_seconds), 0)
    const next = await sandboxWork.next({ organizations, withinSeconds }, progress)
    if (next === undefined && withinSeconds === 0) break
    const isDue = next !== undefined && next.dueAtMs <= Date.parse(clock.now)
    if (!isDue) await moveOn(next?.dueAtMs)
    if (next !== undefined && !(await next.run())) return false
  }
  if (progress.failure !== undefined) throw progress.failure
  return true
}

const dueWork = openDueWork('clock-advances')

/**
 * Those that have not moved for a while, which no request seems to complete. Both sides of a pair
 * are among them: the second one finds nothing left, since they take turns.
 */
export const completeAdvances: Task = {
  name: 'clock-advances',
  everyMs: limits.clockAdvanceIdleMs,
  run: (context) => {
    const { background } = context.database
    return dueWork.perform(context, {
      limit: limits.clockAdvancesPerRound,
      find: (most) => clocksLeft(background, most),
      keyOf: ({ organization }) => organization,
      run: (left) => completeAdvance(context, background, left).then(() => true),
      inTurn: true,
    })
  },
}
