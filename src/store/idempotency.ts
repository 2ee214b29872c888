/** Kept replies of writes: who may replay what (specification 4.2). */
import { type Session, sql } from '../database/sql.ts'
import { columnArray } from '../database/binary-arrays.ts'
import type { Rows } from '../database/rows.ts'
import { insertRows } from '../database/table-writes.ts'

export type KeptReply = Rows['idempotency']

/** The MAC covers the organization, so it names the key alone. */
export const repliesFor = (session: Session, keyMacs: readonly Buffer[]): Promise<KeptReply[]> =>
  session.rows<KeptReply>(sql`
    select i.* from idempotency i where key_mac = any(${columnArray('bytea', keyMacs)})`)

export const insertReplies = (session: Session, replies: readonly KeptReply[]): Promise<number> =>
  insertRows(session, 'idempotency', replies)

export const deleteReplies = (session: Session, keyMacs: readonly Buffer[]): Promise<number> =>
  session.run(sql`delete from idempotency where key_mac = any(${columnArray('bytea', keyMacs)})`)

/** Whether some process is working on this key right now: the lock is looked at, never tried. */
export const isLocked = async (session: Session, lockNumber: bigint): Promise<boolean> => {
  const unsigned = BigInt.asUintN(64, lockNumber)
  const rows = await session.rows(sql`
    select 1 from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint = ${unsigned >> 32n} and objid::bigint = ${unsigned & 0xffff_ffffn}`)
  return rows.length > 0
}

export const purgeReplies = (session: Session, before: string, most: number): Promise<number> =>
  session.run(sql`
    delete from idempotency where key_mac in
      (select key_mac from idempotency where created_at < ${before} limit ${most})`)
