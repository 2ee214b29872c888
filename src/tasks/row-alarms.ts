/**
 * Which false rows have had their alarm, for the auditor of rows. A row stays false until somebody
 * restores it, and each round meets it again: its alarm is raised once in a while. What is too much
 * to remember has one alarm for the whole table, so that no number of rows floods the operators.
 * Each table has room of its own, so that many false rows of one hide no row of another.
 */
import { limits } from '../contract/limits.ts'
import type { BrokenSeal } from '../database/row-seals.ts'

interface TableAlarms {
  /** By message, until when the alarm is not raised again, by the clock of `performance`. */
  raised: Map<string, number>
  /** The false rows of this walk through the table that there was no room for. */
  othersCount: number
  /** Until when the alarm for the others is not raised again. */
  othersRaised: number
}

export class RowAlarms {
  readonly #tables = new Map<string, TableAlarms>()

  /** Whether the alarm for what was found in this table is due; it then counts as raised. */
  isDue(table: string, { message }: BrokenSeal): boolean {
    const alarms = this.#of(table)
    const now = performance.now()
    forgetUntil(alarms.raised, now)
    if (alarms.raised.has(message)) return false
    if (alarms.raised.size >= limits.auditRowAlarmsMax) {
      alarms.othersCount += 1
      return false
    }
    alarms.raised.set(message, now + limits.auditRowAlarmAgainMs)
    return true
  }

  /** At the end of a walk through the table: how many others are due for their one alarm. */
  takeOthersDue(table: string): number {
    const alarms = this.#of(table)
    const { othersCount } = alarms
    alarms.othersCount = 0
    const now = performance.now()
    if (othersCount === 0 || alarms.othersRaised > now) return 0
    alarms.othersRaised = now + limits.auditRowAlarmAgainMs
    return othersCount
  }

  #of(table: string): TableAlarms {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const alarms = { raised: new Map<string, number>(), othersCount: 0, othersRaised: 0 }
    this.#tables.set(table, alarms)
    return alarms
  }
}

/** They are in the order in which they end. */
const forgetUntil = (raised: Map<string, number>, now: number): void => {
  for (const [message, until] of raised) {
    if (until > now) return
    raised.delete(message)
  }
}
