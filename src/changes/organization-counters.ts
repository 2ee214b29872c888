/**
 * Feed positions, document numbers and change times of an organization. They come from its locked
 * row of counters, so position order is commit order and a refused write consumes nothing.
 */
import assert from 'node:assert/strict'
import type { UnitOfWork } from '../engine/unit-of-work.ts'
import type { Rows } from '../database/rows.ts'
import { later } from '../core/dates.ts'

export const countersOf = (
  unit: UnitOfWork,
  organization: string,
): Rows['organization_counters'] => {
  const counters = unit.get('organization_counters', organization)
  assert(counters, 'the counters of every organization that writes, or sees the change, are locked')
  return counters
}

/**
 * One change time for all these organizations. It never runs backwards for any of them, and it is
 * later than every change of an earlier transaction: what shares a time was committed at once, so
 * a list in the order of change times has nothing to add in front of where a reader stands.
 */
export const changeTime = (unit: UnitOfWork, organizations: readonly string[]): string => {
  const times = organizations.flatMap((organization) => {
    const { changed_at: earlier } = unit.getLoaded('organization_counters', organization)!
    return [
      countersOf(unit, organization).changed_at,
      earlier < unit.now ? unit.now : nextMillisecond(earlier),
    ]
  })
  const at = [unit.now, ...times].reduce((latest, time) => (time > latest ? time : latest))
  for (const organization of organizations) {
    const counters = countersOf(unit, organization)
    if (counters.changed_at !== at) {
      unit.save('organization_counters', { ...counters, changed_at: at })
    }
  }
  return at
}

/** The first moment after this one that a stored time can name. */
export const nextMillisecond = (time: string): string => later(time, 1)

export const nextFeedPosition = (unit: UnitOfWork, organization: string): bigint => {
  const counters = countersOf(unit, organization)
  const feed = counters.feed + 1n
  unit.save('organization_counters', { ...counters, feed })
  return feed
}

/** `INV-000042`: gapless per organization and prefix (domain 1). */
export const nextDocumentNumber = (
  unit: UnitOfWork,
  organization: string,
  prefix: string,
): string => {
  const counters = countersOf(unit, organization)
  const numbers = JSON.parse(counters.numbers) as Record<string, number>
  const next = (numbers[prefix] ?? 0) + 1
  unit.save('organization_counters', {
    ...counters,
    numbers: JSON.stringify({ ...numbers, [prefix]: next }),
  })
  return `${prefix}-${String(next).padStart(6, '0')}`
}
