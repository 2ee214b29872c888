/** Kept replies of writes: who may replay what (specification 4.2). */
import { type Session, sql } from '../sql.ts'
import { columnArray } from './arrays.ts'
import type { Rows } from './rows.ts'
import { insertRows } from './tables.ts'

export type KeptReply = Rows['idempotency']
export type ReplyKey = Pick<KeptReply, 'organization_id' | 'key_mac'>

const keyArrays = (keys: readonly ReplyKey[]) =>
  sql`unnest(${columnArray(
    'uuid',
    keys.map((key) => key.organization_id),
  )}::uuid[], ${columnArray(
    'bytea',
    keys.map((key) => key.key_mac),
  )}::bytea[])`

export const repliesFor = (session: Session, keys: readonly ReplyKey[]): Promise<KeptReply[]> =>
  session.rows<KeptReply>(sql`
    select i.* from idempotency i join ${keyArrays(keys)} u (organization_id, key_mac)
      using (organization_id, key_mac)`)

export const insertReplies = (session: Session, replies: readonly KeptReply[]): Promise<number> =>
  insertRows(session, 'idempotency', replies)

export const deleteReplies = (session: Session, keys: readonly ReplyKey[]): Promise<number> =>
  session.run(sql`
    delete from idempotency i using ${keyArrays(keys)} u (organization_id, key_mac)
    where i.organization_id = u.organization_id and i.key_mac = u.key_mac`)

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
    delete from idempotency where (organization_id, key_mac) in
      (select organization_id, key_mac from idempotency where created_at < ${before} limit ${most})`)
