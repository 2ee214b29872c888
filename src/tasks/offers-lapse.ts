/** Quotes and contracts whose last day is over, by their issuer's clock, expire (domain 2.4). */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { expireOffer } from '../changes/documents.ts'
import { lapsedOffers } from '../store/sandbox.ts'
import { decideAsSystem } from './decide.ts'
import type { Task } from './runner.ts'

const expireSome = async (context: Context, organizations?: readonly string[]): Promise<number> => {
  const most = limits.dueRowsPerRound
  const lapsed = await lapsedOffers(context.database.read, most, organizations)
  await Promise.all(
    lapsed.map(({ id, issuer_id }) =>
      decideAsSystem(context, issuer_id, { documents: [id] }, (change) => {
        const document = change.world.get('documents', id)
        if (document !== undefined) expireOffer(change, document)
      }),
    ),
  )
  return lapsed.length
}

export const offersLapse: Task = {
  name: 'offers-lapse',
  everyMs: limits.lapseEveryMs,
  run: async (context) => (await expireSome(context)) === limits.dueRowsPerRound,
}

export const runOffersLapse = async (
  context: Context,
  organizations: readonly string[],
): Promise<boolean> => (await expireSome(context, organizations)) > 0
