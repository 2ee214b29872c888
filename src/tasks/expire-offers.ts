/**
 * Expires quotes and contracts that were not answered in time. Each is a separate write, decided on
 * the locked row, so running twice or in several processes expires nothing twice.
 */
import { expireOffer } from '../changes/documents/offer-expiry.ts'
import { limits } from '../contract/limits.ts'
import { addDays } from '../core/dates.ts'
import { type ExpiringOffer, offersToExpire } from '../store/documents/offer-expiry.ts'
import type { Context } from '../context.ts'
import { openDueWork } from './due-work.ts'
import { performAsSystem } from './system-write.ts'
import type { FindScheduledWork } from './scheduled-work.ts'
import type { Task } from './runner.ts'

const dueWork = openDueWork('expire-offers')

export const expireOffers: Task = {
  name: 'expire-offers',
  everyMs: limits.expireEveryMs,
  run: (context) =>
    dueWork.perform(context, {
      limit: limits.expireDocumentsPerRound,
      find: (most) => offersToExpire(context.database.background, most),
      keyOf: ({ id }) => id,
      run: (offer) => expire(context, offer),
    }),
}

/** The lapsed offers of some sandbox organizations, due the day after they were last valid. */
export const findOffersToExpire: FindScheduledWork = async ({ database }, organizations) => {
  const due = await offersToExpire(
    database.background,
    limits.expireDocumentsPerRound,
    organizations,
  )
  return due.map((offer) => ({
    dueAtMs: Date.parse(addDays(offer.valid_until, 1)),
    key: offer.id,
    run: async (context) => {
      await expire(context, offer)
    },
  }))
}

const expire = async (context: Context, { id, issuer_id }: ExpiringOffer): Promise<boolean> => {
  let hasExpired = false
  await performAsSystem(context, issuer_id, { documents: [id] }, (change) => {
    hasExpired = expireOffer(change, id)
  })
  return hasExpired
}
