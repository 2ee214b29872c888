/**
 * Quotes and contracts that nobody answered in time expire. Each is a write of its own through the
 * engine, decided over the locked row: running twice, or in many processes, expires nothing twice.
 */
import { expireOffer } from '../changes/expiry.ts'
import { limits } from '../contract/limits.ts'
import { dayAt } from '../core/calendar.ts'
import { newId } from '../randomness.ts'
import { type LapsedOffer, lapsedOffers } from '../store/offers.ts'
import type { Context } from '../context.ts'
import type { Task } from './runner.ts'

export const expireOffers: Task = {
  name: 'expire-offers',
  everyMs: limits.expireEveryMs,
  run: async (context) => {
    const most = limits.expireDocumentsPerRound
    const due = await lapsedOffers(context.database.read, dayAt(Date.now(), 0n), most)
    const expired = await Promise.all(due.map((offer) => expire(context, offer)))
    // What is due but did not move now would not move at once either.
    return due.length === most && expired.includes(true)
  },
}

const expire = async (
  { engine, keyring }: Context,
  { id, issuer_id }: LapsedOffer,
): Promise<boolean> => {
  let hasExpired = false
  const outcome = await engine.perform({
    organization: issuer_id,
    requestId: newId(),
    dryRun: false,
    bytes: 0,
    write: {
      kind: 'decided',
      needs: { documents: [id] },
      decide: (world) => {
        hasExpired = expireOffer(world, keyring.history, id)
        return { status: 200, body: '' }
      },
    },
  })
  return outcome.kind === 'done' && hasExpired
}
