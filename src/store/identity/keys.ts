/** API keys. Only the SHA-256 of a key is stored. */
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { unnest } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'

export type KeyRow = Rows['keys']
/** A key, and the time at which its status is to be judged. */
export type KeyWithNow = KeyRow & { now: string }

export const keyById = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<KeyWithNow | undefined> =>
  db.row(sql`
    select k.*, clock_timestamp() as now from keys k
    where id = ${id} and organization_id = ${organization}`)

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

export const keysOf = (
  db: Queryable,
  organization: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<KeyWithNow[]> =>
  db.rows<KeyWithNow>(sql`
    select k.*, clock_timestamp() as now from keys k
    where organization_id = ${organization} ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`)

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
  db.run(sql`
    insert into keys (id, organization_id, mode, name, hash, prefix, scopes, allowed_cidrs,
      max_per_payment, daily_volume, root_id, rotated_from_id, expires_at, created_by, created_at)
    values (${key.id}, ${key.organization_id}, ${key.mode}, ${key.name}, ${key.hash}, ${key.prefix},
      ${key.scopes}, ${key.allowed_cidrs}, ${key.max_per_payment}, ${key.daily_volume},
      ${key.root_id}, ${key.rotated_from_id}, ${key.expires_at}, ${key.created_by}, ${key.created_at})`)

export const setRotated = (
  db: Queryable,
  id: string,
  to: string,
  expiresAt: string,
): Promise<number> =>
  db.run(sql`
    update keys set rotated_to_id = ${to}, expires_at = ${expiresAt}
    where id = ${id} and rotated_to_id is null and revoked_at is null`)

export const setRevoked = (db: Queryable, id: string): Promise<number> =>
  db.run(
    sql`update keys set revoked_at = clock_timestamp() where id = ${id} and revoked_at is null`,
  )

/** The amounts that the keys of one rotation chain have paid or reserved on a day, by currency. */
export const dailyVolumes = async (
  db: Queryable,
  root: string,
  day: string,
): Promise<Map<string, bigint>> => {
  const rows = await db.rows<{ currency: string; used: bigint }>(sql`
    select currency, used from limit_usage where root_key_id = ${root} and day = ${day}`)
  return new Map(rows.map(({ currency, used }) => [currency, used]))
}

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
