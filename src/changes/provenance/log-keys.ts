/** Adds and retires the signing keys of a log. */
import type { HistoryKeys } from '../../core/provenance/history-keys.ts'
import { limits } from '../../contract/limits.ts'
import type { LogId } from '../../core/provenance/signed-notes.ts'
import type { TransparencyLog, LogKey, Notary } from '../../notary/notary.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Connection } from '../../database/sql.ts'
import * as store from '../../store/provenance/transparency-log.ts'
import { type LogEventContext, appendLogEvent } from './log-events.ts'

/** Records a key of the folder in the log's own stream and in the database. */
const recordKeyAdded = async (
  tx: Connection,
  log: TransparencyLog,
  key: LogKey,
  context: LogEventContext,
): Promise<void> => {
  const { vkey, from_size } = key
  await appendLogEvent(tx, log, { body: { type: 'log.key_added', vkey, from_size }, ...context })
  await store.upsertLogKey(tx, {
    log_id: log.id,
    vkey,
    from_size: BigInt(from_size),
    until_size: null,
  })
}

/** Returns undefined while another process holds the log's lock. */
export const rotateLogKey = async (
  tx: Connection,
  { notary, historyKeys }: { notary: Notary; historyKeys: HistoryKeys },
  id: LogId,
): Promise<LogKey | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const [size, at] = [await store.leafCount(tx, id), await databaseNow(tx)]
  const key = await notary.addKey(id, size + 1, at)
  await recordKeyAdded(tx, await notary.log(id), key, { historyKeys, at })
  return key
}

/**
 * Retires each key whose successor has signed beside it for long enough, and repairs after a crash:
 * a key change reaches the folder first, and nothing is served while folder and database differ, so
 * what a crash left undone in the database is done here.
 */
export const reconcileLogKeys = async (
  tx: Connection,
  { notary, historyKeys }: { notary: Notary; historyKeys: HistoryKeys },
  id: LogId,
): Promise<readonly { vkey: string; became: 'added' | 'retired' }[]> => {
  // Taken first: its current holder may be making just such a change.
  if (!(await store.tryLogLock(tx, id))) return []
  const log = await notary.log(id)
  const at = await databaseNow(tx)
  const stored = await store.logKeys(tx, id)
  const storedKey = ({ vkey }: LogKey) => stored.find((key) => key.vkey === vkey)
  const isPastOverlap = ({ added_at }: LogKey) =>
    Date.parse(added_at) + limits.logKeyOverlapMs <= Date.parse(at)
  // No event announces the first key of an epoch: it comes with the first checkpoint.
  const added = log.keys.filter((key) => key.from_size > 0 && storedKey(key) === undefined)
  const retired = log.keys.filter((key) =>
    key.until_size === null
      ? log.keys.some((newer) => newer.from_size > key.from_size && isPastOverlap(newer))
      : storedKey(key)?.until_size === null,
  )
  for (const key of added) await recordKeyAdded(tx, log, key, { historyKeys, at })
  // A checkpoint that a crash left unpublished bears the signatures of the keys of its time.
  const signed = [await store.newestCheckpoint(tx, id), await notary.latestCheckpoint(id)]
  const size = Math.max(...signed.map((one) => Number(one?.size ?? 0)))
  for (const { vkey, from_size: from, until_size: retiredFrom } of retired) {
    const until = retiredFrom ?? size + 1
    const body = { type: 'log.key_retired', vkey, until_size: until }
    await appendLogEvent(tx, log, { body, historyKeys, at })
    await store.upsertLogKey(tx, {
      log_id: id,
      vkey,
      from_size: BigInt(from),
      until_size: BigInt(until),
    })
    await notary.retireKey(id, vkey, until)
  }
  return [
    ...added.map(({ vkey }) => ({ vkey, became: 'added' as const })),
    ...retired.map(({ vkey }) => ({ vkey, became: 'retired' as const })),
  ]
}
