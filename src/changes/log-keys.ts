/**
 * What happens to a log itself: keys come and go, an epoch ends. Each is an event in the log's own
 * stream, so that it is logged like any other.
 */
import { hash } from 'node:crypto'
import { limits } from '../contract/limits.ts'
import type { LogId } from '../core/checkpoint.ts'
import { historyEvent, streamOf } from '../core/history.ts'
import type { LogKey, Notary } from '../notary.ts'
import { randomPart } from '../randomness.ts'
import type { Connection, Session } from '../sql.ts'
import { forgetEpoch, queueAgain, setAside } from '../store/epochs.ts'
import * as store from '../store/log.ts'
import { insertRows } from '../store/tables.ts'

/** The stream of the log has an id and a salt that everyone knows: nothing in it is secret. */
const streamId = (id: LogId): string => {
  const hex = hash('sha256', `svc-log/1\n${id}`).slice(0, 32)
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

const openSalt = Buffer.alloc(16)

/** Appends to the log's own stream; it waits in the queue like every event. */
const tellLog = async (
  tx: Session,
  id: LogId,
  { body, macKey, at }: { body: object; macKey: Buffer; at: string },
): Promise<void> => {
  const document_id = streamId(id)
  const before = await store.lastEvent(tx, document_id)
  const stream = streamOf(openSalt, `log_${id}`)
  const previous = { seq: before?.seq ?? 0, hash: before?.hash ?? null }
  const slots = { shared: body, issuer: null, counterparty: null }
  const event = historyEvent(stream, previous, at, slots, randomPart(48), macKey)
  await insertRows(tx, 'prov_event', [{ document_id, ...event }])
  const { seq, hash: eventHash } = event
  await insertRows(tx, 'log_queue', [{ log_id: id, document_id, seq, hash: eventHash }])
}

/** Undefined: the log is being lengthened right now. */
export const rotateLogKey = async (
  tx: Connection,
  { notary, macKey }: { notary: Notary; macKey: Buffer },
  id: LogId,
): Promise<LogKey | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const [size, at] = [await store.leafCount(tx, id), await store.clock(tx)]
  const key = await notary.addKey(id, size + 1, at)
  const { vkey, from_size: from } = key
  await tellLog(tx, id, { body: { type: 'log.key_added', vkey, from_size: from }, macKey, at })
  await store.keepLogKey(tx, {
    ...{ log_id: id, vkey, from_size: BigInt(from), until_size: null },
  })
  return key
}

/** Keys whose successor has signed beside them for long enough sign no more. */
export const retireOldKeys = async (
  tx: Connection,
  { notary, macKey }: { notary: Notary; macKey: Buffer },
  id: LogId,
): Promise<readonly LogKey[]> => {
  const { keys } = await notary.log(id)
  const at = await store.clock(tx)
  const isLongSince = ({ added_at }: LogKey) =>
    Date.parse(added_at) + limits.logKeyOverlapMs <= Date.parse(at)
  const old = keys.filter(
    (key) =>
      key.until_size === null &&
      keys.some((newer) => newer.from_size > key.from_size && isLongSince(newer)),
  )
  if (old.length === 0 || !(await store.tryLogLock(tx, id))) return []
  const until = Number((await store.newestCheckpoint(tx, id))?.size ?? 0n) + 1
  for (const { vkey, from_size: from } of old) {
    await tellLog(tx, id, {
      body: { type: 'log.key_retired', vkey, until_size: until },
      macKey,
      at,
    })
    await store.keepLogKey(tx, {
      ...{ log_id: id, vkey, from_size: BigInt(from), until_size: BigInt(until) },
    })
    await notary.retireKey(id, vkey, until)
  }
  return old
}

/**
 * After a restore from a backup: the log begins again under a new name, with the last checkpoint of
 * the old one in its first leaf, and every event that the database still has after it.
 */
export const beginEpoch = async (
  tx: Connection,
  { notary, macKey }: { notary: Notary; macKey: Buffer },
  id: LogId,
): Promise<string | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const [signed, at] = [await notary.lastSigned(id), await store.clock(tx)]
  await setAside(tx, id)
  await tellLog(tx, id, {
    body: { type: 'log.epoch_begun', previous: signed?.note ?? null },
    macKey,
    at,
  })
  await queueAgain(tx, id)
  await forgetEpoch(tx, id)
  return (await notary.newEpoch(id)).origin
}
