/** Stored responses of writes, for replay (specification 4.2). */
import { type Queryable, sql } from '../database/sql.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { type NewRow, sendNewRows } from '../database/table-writes.ts'
import { type StoredResponseRow, provenResponse, storedResponse } from './documents/stored-texts.ts'

export type NewStoredResponse = NewRow<'idempotency'>

export type StoredResponse = ReturnType<typeof provenResponse>

/** The MAC covers the organization, so it identifies the key by itself. */
export const storedResponses = async (
  db: Queryable,
  keyMacs: readonly Buffer[],
): Promise<StoredResponse[]> => {
  const rows = await db.rows<StoredResponseRow>(sql`
    select ${storedResponse}
    from idempotency i left join documents d on d.id = i.document_id
    where i.key_mac = any(${columnArray('bytea', keyMacs)})`)
  return rows.map((row) => provenResponse(db.seals, row))
}

export const insertStoredResponses = (
  db: Queryable,
  responses: readonly NewStoredResponse[],
): Promise<number> => sendNewRows(db, 'idempotency', responses)

export const deleteStoredResponses = (db: Queryable, keyMacs: readonly Buffer[]): Promise<number> =>
  db.run(sql`delete from idempotency where key_mac = any(${columnArray('bytea', keyMacs)})`)

/** Whether some process is working on this key. Reads the lock table without taking the lock. */
export const isKeyLocked = async (db: Queryable, lockKey: bigint): Promise<boolean> => {
  const unsigned = BigInt.asUintN(64, lockKey)
  const rows = await db.rows(sql`
    select 1 from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint = ${unsigned >> 32n} and objid::bigint = ${unsigned & 0xffff_ffffn}`)
  return rows.length > 0
}

/** Passes over those that are locked, since an erasure may hold several, in another order. */
export const purgeStoredResponses = (
  db: Queryable,
  before: string,
  limit: number,
): Promise<number> =>
  db.run(sql`
    delete from idempotency where key_mac in
      (select key_mac from idempotency where created_at < ${before}
       limit ${limit} for update skip locked)`)
