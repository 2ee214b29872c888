/** API keys. Only a MAC of a key is stored. */
import { databaseNow } from '../../database/database-clock.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { changeSealedRows, sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { insertRows, unnest } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'

export type KeyRow = Rows['keys']
/** A key, and the time at which its status is to be judged. */
export type KeyWithNow = KeyRow & { now: string }

export const keyById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<KeyWithNow | undefined> => {
  const [key, now] = await Promise.all([
    sealedRow(db, 'keys', sql`where id = ${id} and organization_id = ${organization}`),
    databaseNow(db),
  ])
  return key && { ...key, now }
}

export const keyForUpdate = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<KeyWithNow | undefined> => {
  // Also locks the root of the rotation chain, under whose lock payments read the key and count.
  await db.rows(sql`
    select id from keys where organization_id = ${organization}
      and id in (select unnest(array[id, root_id]) from keys where id = ${id})
    order by id for no key update`)
  // A later statement than the lock, so it sees what the previous holder committed.
  return keyById(db, organization, id)
}

export const keysOf = async (
  db: Queryable,
  organization: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<KeyWithNow[]> => {
  const position = before === undefined ? sql`` : sql`and id < ${before}`
  const rest = sql`
    where organization_id = ${organization} ${position} order by id desc limit ${limit}`
  const [keys, now] = await Promise.all([sealedRows(db, 'keys', rest), databaseNow(db)])
  return keys.map((key) => ({ ...key, now }))
}

/** The number of keys that are neither revoked nor expired nor rotated out. */
export const activeKeyCount = (organization: string): SqlQuery => sql`
  (select count(*) from keys
   where organization_id = ${organization} and revoked_at is null and rotated_to_id is null
     and (expires_at is null or expires_at > clock_timestamp()))`

/** Locks the organization, so that keys created at the same time count each other. */
export const activeKeysForUpdate = async (
  db: Queryable,
  organization: string,
): Promise<{ count: number; now: string }> => {
  await db.run(sql`select from organizations where id = ${organization} for no key update`)
  // A later statement than the lock, so it sees what the previous holder committed.
  const row = await db.row<{ count: bigint; now: string }>(
    sql`select ${activeKeyCount(organization)} as count, clock_timestamp() as now`,
  )
  return { count: Number(row!.count), now: row!.now }
}

export const insertKey = (db: Queryable, key: KeyRow): Promise<number> =>
  insertRows(db, 'keys', [key])

export const setRotated = (
  db: Queryable,
  id: string,
  to: string,
  expiresAt: string,
): Promise<KeyRow[]> => {
  const isActive = sql`t.id = ${id} and t.rotated_to_id is null and t.revoked_at is null`
  return changeSealedRows(db, 'keys', isActive, () => ({
    rotated_to_id: to,
    expires_at: expiresAt,
  }))
}

export const setRevoked = (db: Queryable, id: string, at: string): Promise<KeyRow[]> =>
  changeSealedRows(db, 'keys', sql`t.id = ${id} and t.revoked_at is null`, () => ({
    revoked_at: at,
  }))

/** Sets when keys were last used, never back in time. */
export const setLastUsed = (
  db: Queryable,
  used: readonly (readonly [id: string, at: string])[],
): Promise<number> => {
  const ids = used.map(([id]) => id)
  const rows = used.map(([id, at]) => ({ id, at }))
  return db.run(sql`
    with locked as
      (select id from keys where id = any(${columnArray('uuid', ids)}) order by id for no key update)
    update keys k set last_used_at = u.at
    from ${unnest(rows, { id: 'uuid', at: 'timestamptz' })} join locked using (id)
    where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`)
}
