/** The queue, the leaves, the checkpoints and the keys of a log. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { countOf } from '../../database/counts.ts'

/** Required to extend or sign the log. Held until the transaction ends. */
export const tryLogLock = async (tx: Queryable, log: string): Promise<boolean> =>
  (await tx.row<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`provenance log ${log}`}, 0)) as locked`,
  ))!.locked

/** Waits for the log's lock. */
export const acquireLogLock = (tx: Queryable, log: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`provenance log ${log}`}, 0))`)

export interface QueuedEvent {
  id: bigint
  document_id: string
  seq: number
  hash: Buffer
  /** The hash of the event that the row names; null if there is no such event. */
  event_hash: Buffer | null
  mac: Buffer | null
  /** Whether the event is a leaf already. */
  logged: boolean
  /** Whether the event before it is a leaf. */
  follows: boolean
}

/** Takes the next rows out of the queue, first in, first out. */
export const dequeueEvents = (tx: Queryable, log: string, limit: number): Promise<QueuedEvent[]> =>
  tx.rows<QueuedEvent>(sql`
    with dequeued as (
      delete from log_queue
      where id in (select id from log_queue where log_id = ${log} order by id limit ${limit})
      returning id, document_id, seq, hash)
    select q.id, q.document_id, q.seq, q.hash, e.hash as event_hash, e.mac,
      exists (select from log_leaf l where l.document_id = q.document_id and l.seq = q.seq) as logged,
      exists (select from log_leaf l where l.document_id = q.document_id and l.seq = q.seq - 1) as follows
    from dequeued q left join prov_event e on e.document_id = q.document_id and e.seq = q.seq
    order by q.id`)

/** The MACs of all queued events, whoever has written them. */
export const queuedMacs = (db: Queryable): Promise<{ hash: Buffer; mac: Buffer }[]> =>
  db.rows(sql`
    select e.hash, e.mac from log_queue q
    join prov_event e on e.document_id = q.document_id and e.seq = q.seq`)

/** Why a queued row is set aside instead of logged. */
export const rejectionReasons = [
  'no_such_event',
  'another_hash',
  'not_written_by_this_service',
  'logged_before',
  'out_of_order',
] as const
export type RejectionReason = (typeof rejectionReasons)[number]

export interface RejectedEvent extends QueuedEvent {
  reason: RejectionReason
}

export const setIntegrityHold = (db: Queryable, documents: readonly string[]): Promise<number> =>
  db.run(sql`
    update documents set integrity_hold = true
    where id = any(${columnArray('uuid', documents)}) and not integrity_hold`)

/** The number of leaves. Their indexes are contiguous from 0. */
export const leafCount = (db: Queryable, log: string): Promise<number> =>
  countOf(db, sql`select coalesce(max(idx) + 1, 0) as count from log_leaf where log_id = ${log}`)

/** Which events the leaves of a range are. */
export const loggedEvents = (
  db: Queryable,
  log: string,
  from: number,
  to: number,
): Promise<Pick<Rows['log_leaf'], 'document_id' | 'seq'>[]> =>
  db.rows(sql`
    select document_id, seq from log_leaf
    where log_id = ${log} and idx >= ${from} and idx < ${to} order by idx`)

export const leafHashes = async (
  db: Queryable,
  log: string,
  start: number,
  end: number,
): Promise<Buffer[]> => {
  const rows = await db.rows<{ hash: Buffer }>(sql`
    select hash from log_leaf where log_id = ${log} and idx >= ${start} and idx < ${end}
    order by idx`)
  return rows.map((row) => row.hash)
}

export const lastEventOf = (
  db: Queryable,
  document: string,
): Promise<{ seq: number; hash: Buffer } | undefined> =>
  db.row(
    sql`select seq, hash from prov_event where document_id = ${document} order by seq desc limit 1`,
  )

export const newestCheckpoint = (
  db: Queryable,
  log: string,
): Promise<Rows['log_checkpoint'] | undefined> =>
  db.row(sql`select * from log_checkpoint where log_id = ${log} order by size desc limit 1`)

export const hasCheckpoint = async (
  db: Queryable,
  log: string,
  { size, root }: { size: number; root: Buffer },
): Promise<boolean> => {
  const found = await db.rows(
    sql`select 1 from log_checkpoint where log_id = ${log} and size = ${size} and root = ${root}`,
  )
  return found.length > 0
}

/** The first checkpoint that covers this leaf. */
export const firstCheckpointCovering = (
  db: Queryable,
  log: string,
  idx: number,
): Promise<Rows['log_checkpoint'] | undefined> =>
  db.row(sql`
    select * from log_checkpoint where log_id = ${log} and size > ${idx} order by size limit 1`)

export const insertCheckpoint = (
  db: Queryable,
  { log_id, size, root, note, as_of, previous_size, mac }: Rows['log_checkpoint'],
): Promise<number> =>
  db.run(sql`
    insert into log_checkpoint (log_id, size, root, note, as_of, previous_size, mac)
    values (${log_id}, ${size}, ${root}, ${note}, ${as_of}, ${previous_size}, ${mac})`)

export const logKeys = (db: Queryable, log: string): Promise<Rows['log_key'][]> =>
  db.rows<Rows['log_key']>(
    sql`select * from log_key where log_id = ${log} order by from_size, vkey`,
  )

export const upsertLogKey = (
  db: Queryable,
  { log_id, vkey, from_size, until_size }: Rows['log_key'],
): Promise<number> =>
  db.run(sql`
    insert into log_key (log_id, vkey, from_size, until_size)
    values (${log_id}, ${vkey}, ${from_size}, ${until_size})
    on conflict (log_id, vkey) do update set until_size = excluded.until_size`)

/** Whether the log has queued events, or leaves that no checkpoint covers. */
export const hasUnpublishedEvents = async (db: Queryable, log: string): Promise<boolean> => {
  const row = await db.row<{ behind: boolean }>(sql`
    select exists (select from log_queue where log_id = ${log})
      or (select coalesce(max(idx), -1) from log_leaf where log_id = ${log})
        >= (select coalesce(max(size), -1) from log_checkpoint where log_id = ${log}) as behind`)
  return row!.behind
}
