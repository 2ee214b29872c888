/**
 * What happens to a log itself: keys come and go, an epoch ends. Each is an event in the log's own
 * stream, so that it is logged like any other.
 */
import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { type LogId, epochOf } from '../../core/provenance/signed-notes.ts'
import { buildHistoryEvent, streamOf } from '../../core/provenance/history-event.ts'
import type { TransparencyLog, LogKey, Notary } from '../../notary/notary.ts'
import { pooledRandomBytes } from '../../database/new-ids.ts'
import type { Connection, Queryable } from '../../database/sql.ts'
import { deleteEpoch, requeueWaiting, moveToWaiting } from '../../store/provenance/log-epochs.ts'
import * as store from '../../store/provenance/transparency-log.ts'
import { insertRows } from '../../database/table-writes.ts'

/**
 * Each epoch has a stream of its own, which begins with it. Its id and salt are known to everyone:
 * nothing in it is secret.
 */
const streamName = ({ id, origin }: Pick<TransparencyLog, 'id' | 'origin'>): string => {
  const epoch = epochOf(origin)
  return epoch === 1 ? id : `${id}/${epoch}`
}

const streamId = (name: string): string => {
  const hex = hash('sha256', `svc-log/1\n${name}`).slice(0, 32)
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([a, b]) => hex.slice(a, b))
    .join('-')
}

const publicSalt = Buffer.alloc(16)

interface LogEventContext {
  macKey: Buffer
  at: string
}

/** Appends to the log's own stream; it waits in the queue like every event. */
const appendLogEvent = async (
  tx: Queryable,
  log: Pick<TransparencyLog, 'id' | 'origin'>,
  { body, macKey, at }: LogEventContext & { body: object },
): Promise<void> => {
  const name = streamName(log)
  const document_id = streamId(name)
  const before = await store.lastEventOf(tx, document_id)
  const stream = streamOf(publicSalt, `log_${name}`)
  const previous = { seq: before?.seq ?? 0, hash: before?.hash ?? null }
  const slots = { shared: body, issuer: null, counterparty: null }
  const event = buildHistoryEvent(stream, previous, at, slots, pooledRandomBytes(48), macKey)
  await insertRows(tx, 'prov_event', [{ document_id, ...event }])
  const { seq, hash: eventHash } = event
  await insertRows(tx, 'log_queue', [{ log_id: log.id, document_id, seq, hash: eventHash }])
}

/** A key that the folder has is told in the log, and listed by the database. */
const recordKeyAdded = async (
  tx: Connection,
  log: TransparencyLog,
  key: LogKey,
  how: LogEventContext,
): Promise<void> => {
  const { vkey, from_size } = key
  await appendLogEvent(tx, log, { body: { type: 'log.key_added', vkey, from_size }, ...how })
  await store.upsertLogKey(tx, {
    ...{ log_id: log.id, vkey, from_size: BigInt(from_size), until_size: null },
  })
}

/** Undefined: the log is being lengthened right now. */
export const rotateLogKey = async (
  tx: Connection,
  { notary, macKey }: { notary: Notary; macKey: Buffer },
  id: LogId,
): Promise<LogKey | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const [size, at] = [await store.leafCount(tx, id), await store.clockTime(tx)]
  const key = await notary.addKey(id, size + 1, at)
  await recordKeyAdded(tx, await notary.log(id), key, { macKey, at })
  return key
}

/**
 * What time and crashes ask of the keys. One whose successor has signed beside it for long enough
 * signs no more. And the folder comes first when a key comes or goes: what a crash then left undone
 * in the database is done here, as nothing is answered while the two differ.
 */
export const reconcileLogKeys = async (
  tx: Connection,
  { notary, macKey }: { notary: Notary; macKey: Buffer },
  id: LogId,
): Promise<readonly { vkey: string; became: 'added' | 'retired' }[]> => {
  // First of all: whoever holds it may be at just that.
  if (!(await store.tryLogLock(tx, id))) return []
  const log = await notary.log(id)
  const at = await store.clockTime(tx)
  const stored = await store.logKeys(tx, id)
  const storedKey = ({ vkey }: LogKey) => stored.find((key) => key.vkey === vkey)
  const isPastOverlap = ({ added_at }: LogKey) =>
    Date.parse(added_at) + limits.logKeyOverlapMs <= Date.parse(at)
  // The first key of an epoch is told by none of its events: it comes with the first checkpoint.
  const added = log.keys.filter((key) => key.from_size > 0 && storedKey(key) === undefined)
  const retired = log.keys.filter((key) =>
    key.until_size === null
      ? log.keys.some((newer) => newer.from_size > key.from_size && isPastOverlap(newer))
      : storedKey(key)?.until_size === null,
  )
  for (const key of added) await recordKeyAdded(tx, log, key, { macKey, at })
  const size = Number((await store.newestCheckpoint(tx, id))?.size ?? 0n)
  for (const { vkey, from_size: from, until_size: retiredFrom } of retired) {
    const until = retiredFrom ?? size + 1
    const body = { type: 'log.key_retired', vkey, until_size: until }
    await appendLogEvent(tx, log, { body, macKey, at })
    await store.upsertLogKey(tx, {
      ...{ log_id: id, vkey, from_size: BigInt(from), until_size: BigInt(until) },
    })
    await notary.retireKey(id, vkey, until)
  }
  return [
    ...added.map(({ vkey }) => ({ vkey, became: 'added' as const })),
    ...retired.map(({ vkey }) => ({ vkey, became: 'retired' as const })),
  ]
}

/**
 * After a restore from a backup: the log begins again under a new name, with the last checkpoint of
 * the old one in its first leaf, and every event that the database still has after it. An epoch
 * that was begun in the folder and not in the database has signed nothing: the one before counts.
 */
export const beginEpoch = async (
  tx: Connection,
  { notary, macKey }: { notary: Notary; macKey: Buffer },
  id: LogId,
): Promise<string | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const signed = (await notary.latestCheckpoint(id)) ?? (await notary.earlierEpochCheckpoint(id))
  const previous = signed ?? (await store.newestCheckpoint(tx, id))
  const origin = await nextOrigin(tx, await notary.log(id))
  const at = await store.clockTime(tx)
  await moveToWaiting(tx, id)
  await appendLogEvent(
    tx,
    { id, origin },
    { body: { type: 'log.epoch_begun', previous: previous?.note ?? null }, macKey, at },
  )
  await requeueWaiting(tx, id)
  await deleteEpoch(tx, id)
  const { keys } = await notary.newEpoch(id, origin)
  for (const { vkey } of keys) {
    await store.upsertLogKey(tx, { log_id: id, vkey, from_size: 0n, until_size: null })
  }
  return origin
}

/** After the last one that the folder or the database knows. */
const nextOrigin = async (tx: Queryable, { id, origin }: TransparencyLog): Promise<string> => {
  const known = (await store.logKeys(tx, id)).map(({ vkey }) => vkey.split('+')[0]!)
  const last = Math.max(...[origin, ...known].map(epochOf))
  return origin.replace(/\d+$/, String(last + 1))
}
