/**
 * Quotes and contracts that nobody answered in time expire. Each is a write of its own through the
 * engine, decided over the locked row: running twice, or in many processes, expires nothing twice.
 */
import { expireOffer } from '../changes/documents/offer-expiry.ts'
import { limits } from '../contract/limits.ts'
import { addDays } from '../core/calendar.ts'
import { type LapsedOffer, lapsedOffers } from '../store/documents/lapsed-offers.ts'
import type { Context } from '../context.ts'
import { performAsSystem } from './system-write.ts'
import type { FindScheduledWork } from './scheduled-work.ts'
import type { Task } from './runner.ts'

export const expireOffers: Task = {
  name: 'expire-offers',
  everyMs: limits.expireEveryMs,
  run: async (context) => {
    const due = await lapsedOffers(context.database.read, limits.expireDocumentsPerRound)
    const expired = await expireAll(context, due)
    // What is due but did not move now would not move at once either.
    return due.length === limits.expireDocumentsPerRound && expired
  },
}

/** Those of some sandbox organizations, by their clocks: from the day on that is not theirs. */
export const findLapsedOffers: FindScheduledWork = async ({ database }, organizations) => {
  const most = limits.expireDocumentsPerRound
  const due = await lapsedOffers(database.read, most, organizations)
  return due.map((offer) => ({
    dueAtMs: Date.parse(addDays(offer.valid_until, 1)),
    key: offer.id,
    run: async (context) => {
      await expireAll(context, [offer])
    },
  }))
}

const expireAll = async (context: Context, due: readonly LapsedOffer[]): Promise<boolean> => {
  let hasExpired = false
  await Promise.all(
    due.map(({ id, issuer_id }) =>
      performAsSystem(context, issuer_id, { documents: [id] }, (change) => {
        if (expireOffer(change, id)) hasExpired = true
      }),
    ),
  )
  return hasExpired
}
