/**
 * Expires quotes and contracts that were not answered in time. Each is a separate write, decided on
 * the locked row, so running twice or in several processes expires nothing twice.
 */
import { expireOffer } from '../changes/documents/offer-expiry.ts'
import { limits } from '../contract/limits.ts'
import { addDays } from '../core/dates.ts'
import { type LapsedOffer, lapsedOffers } from '../store/documents/lapsed-offers.ts'
import type { Context } from '../context.ts'
import { performAsSystem } from './system-write.ts'
import type { FindScheduledWork } from './scheduled-work.ts'
import type { Task } from './runner.ts'

export const expireOffers: Task = {
  name: 'expire-offers',
  everyMs: limits.expireEveryMs,
  run: async (context) => {
    const due = await lapsedOffers(context.database.background, limits.expireDocumentsPerRound)
    const expired = await expireAll(context, due)
    // If nothing expired, running again at once would not help either.
    return due.length === limits.expireDocumentsPerRound && expired
  },
}

/** The lapsed offers of some sandbox organizations, due the day after they were last valid. */
export const findLapsedOffers: FindScheduledWork = async ({ database }, organizations) => {
  const due = await lapsedOffers(database.background, limits.expireDocumentsPerRound, organizations)
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
