/** The clock of an organization, which a sandbox may have moved. */
import { dateAt } from '../core/dates.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'

/** The organization's current time in milliseconds; for a late step, the time it was due. */
export const organizationClockMs = (unit: UnitOfWork, organization: string): number =>
  unit.nowMs -
  unit.lateMs +
  Number(unit.get('organizations', organization)!.clock_offset_seconds) * 1_000

/**
 * Whether what was found to be due still is: someone else may have done it since, and made the next
 * step due later.
 */
export const isStillDue = (
  unit: UnitOfWork,
  organization: string,
  due_at: string | null,
): due_at is string =>
  due_at !== null && Date.parse(due_at) <= organizationClockMs(unit, organization)

/** Today's date by the organization's clock. */
export const todayOf = (unit: UnitOfWork, organization: string): string =>
  dateAt(organizationClockMs(unit, organization), 0n)
