/** Starts a new epoch of a log after its database was restored from a backup. */
import type { HistoryKeys } from '../../core/provenance/history-keys.ts'
import { type LogId, epochOf } from '../../core/provenance/signed-notes.ts'
import type { Connection, Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import * as store from '../../store/provenance/transparency-log.ts'
import { deleteEpoch, moveToWaiting, requeueWaiting } from '../../store/provenance/log-epochs.ts'
import type { Notary, TransparencyLog } from '../../notary/notary.ts'
import { parseCheckpoint } from '../../../verifier/verify-bundle.mjs'
import { appendLogEvent } from './log-events.ts'

/**
 * The log starts again under a new name: its first leaf holds the last checkpoint of the old epoch,
 * and every event still in the database follows. An epoch that was started in the folder but not in
 * the database has signed nothing, so the epoch before it counts.
 */
export const beginEpoch = async (
  tx: Connection,
  { notary, historyKeys }: { notary: Notary; historyKeys: HistoryKeys },
  id: LogId,
): Promise<string | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const signed = (await notary.latestCheckpoint(id)) ?? (await notary.earlierEpochCheckpoint(id))
  const previous = signed ?? (await store.newestCheckpoint(tx, id))
  const origin = await nextOrigin(tx, await notary.log(id), previous?.note)
  const at = await databaseNow(tx)
  await moveToWaiting(tx, id)
  await appendLogEvent(
    tx,
    { id, origin },
    { body: { type: 'log.epoch_begun', previous: previous?.note ?? null }, historyKeys, at },
  )
  await requeueWaiting(tx, id)
  await deleteEpoch(tx, id)
  const { keys } = await notary.newEpoch(id, origin)
  for (const { vkey } of keys) {
    await store.upsertLogKey(tx, { log_id: id, vkey, from_size: 0n, until_size: null })
  }
  return origin
}

/**
 * The origin that follows the latest one in the folder, the database or the checkpoint before,
 * which may be all that is left of a later epoch.
 */
const nextOrigin = async (
  tx: Queryable,
  { id, origin }: TransparencyLog,
  previousNote: string | undefined,
): Promise<string> => {
  const listed = (await store.logKeys(tx, id)).map(({ vkey }) => vkey.split('+')[0]!)
  const signed = previousNote === undefined ? [] : [parseCheckpoint(previousNote).origin]
  const last = Math.max(...[origin, ...listed, ...signed].map(epochOf))
  return origin.replace(/\d+$/, String(last + 1))
}
