/**
 * Records what a worker has sent. A delivery that the database refuses holds up no other; what is
 * locked is recorded later.
 */
import { encodeId } from '../core/ids.ts'
import { isStillLocked } from '../database/outages.ts'
import { type Connection, DatabaseUnavailable } from '../database/sql.ts'
import * as results from '../store/webhooks/attempt-results.ts'
import type { Context } from '../context.ts'
import { type Released, type SentOutcome, healthUpdatesOf } from './endpoint-health.ts'

interface Recorder {
  owner: string
  log: Context['log']
  transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T>
}

/** Returns the endpoints that this disables. */
export const recordOutcomes = async (
  recorder: Recorder,
  sent: readonly SentOutcome[],
  released: Released,
): Promise<string[]> => {
  try {
    return await recordTogether(recorder, sent, released)
  } catch (error) {
    if (mayBeRecordedLater(error)) throw error
    return recordEach(recorder, sent, released)
  }
}

const mayBeRecordedLater = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || isStillLocked(error)

const recordTogether = async (
  { owner, transaction }: Recorder,
  sent: readonly SentOutcome[],
  released: Released,
): Promise<string[]> => {
  const updates = healthUpdatesOf(sent, released)
  const ids = updates.map(({ webhook_id }) => webhook_id)
  const [, , disabled] = await transaction((tx) =>
    Promise.all([
      results.lockEndpoints(tx, ids),
      results.recordAttempts(tx, sent),
      results.applyHealthUpdates(tx, owner, updates),
    ]),
  )
  return disabled
}

const recordEach = async (
  recorder: Recorder,
  sent: readonly SentOutcome[],
  released: Released,
): Promise<string[]> => {
  const disabled: string[] = []
  for (const outcome of sent) {
    try {
      disabled.push(...(await recordTogether(recorder, [outcome], new Map())))
    } catch (error) {
      if (mayBeRecordedLater(error)) throw error
      const delivery = encodeId('dlv', outcome.delivery_id)
      recorder.log.error({ error, delivery }, 'webhook_attempt_not_recorded')
      await recorder.transaction((tx) => results.postponeDelivery(tx, outcome.delivery_id))
    }
  }
  return [...disabled, ...(await recordTogether(recorder, [], released))]
}
