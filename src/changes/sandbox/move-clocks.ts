/** Moves the clocks of a practice pair a step at a time (docs/decisions/0272). */
import type { Connection, Queryable } from '../../database/sql.ts'
import {
  type OrganizationClock,
  advanceClocks,
  lockClocks,
  organizationClock,
  targetOf,
} from '../../store/sandbox/clocks.ts'

/** Locks the clocks; returns that of an organization, and how far it is on its way to be. */
export const lockedClock = async (
  tx: Queryable,
  organizations: readonly string[],
  organization: string,
): Promise<{ clock: OrganizationClock; target: bigint }> => {
  await lockClocks(tx, organizations)
  const clock = await organizationClock(tx, organization)
  return { clock, target: await targetOf(tx, organization, clock) }
}

export interface Step {
  organizations: readonly string[]
  clock: OrganizationClock
  target: bigint
  /** When something falls due next, by the clock of the organization. */
  dueAtMs: number | undefined
}

/**
 * Moves locked clocks to where something falls due next, but not beyond the target. For what is due
 * already, a second is enough: another advance may still carry it out.
 */
export const stepTowards = async (
  tx: Connection,
  { organizations, clock, target, dueAtMs }: Step,
): Promise<void> => {
  const withinSeconds = Number(target - clock.offset_seconds)
  const nowMs = Date.parse(clock.now)
  const untilDue = dueAtMs === undefined ? withinSeconds : Math.ceil((dueAtMs - nowMs) / 1_000)
  const seconds = Math.min(Math.max(untilDue, 1), withinSeconds)
  const offset = clock.offset_seconds + BigInt(seconds)
  await advanceClocks(tx, organizations, { offset, target })
}
