/**
 * Expires quotes and contracts that were not answered in time. Each is a separate write, decided on
 * the locked row, so running twice or in several processes expires nothing twice.
 */
import { expireOffer } from '../changes/documents/offer-expiry.ts'
import { limits } from '../contract/limits.ts'
import { addDays } from '../core/dates.ts'
import { type ExpiringOffer, offersToExpire } from '../store/documents/offer-expiry.ts'
import type { Context } from '../context.ts'
import { performAsSystem } from './system-write.ts'
import { scheduledTask } from './scheduled-work.ts'

export const expireOffers = scheduledTask({
  name: 'expire-offers',
  everyMs: limits.expireEveryMs,
  limit: limits.expireDocumentsPerRound,
  searches: [
    async ({ database }, request) =>
      (await offersToExpire(database.background, request)).map((offer) => ({
        // The day after it was last valid.
        dueAtMs: Date.parse(addDays(offer.valid_until, 1)),
        key: offer.id,
        run: (context) => expire(context, offer),
      })),
  ],
})

const expire = async (context: Context, { id, issuer_id }: ExpiringOffer): Promise<boolean> => {
  let hasExpired = false
  await performAsSystem(context, issuer_id, { documents: [id] }, (change) => {
    hasExpired = expireOffer(change, id)
  })
  return hasExpired
}
