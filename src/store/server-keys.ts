/** The generations of the server key, as the database knows them. */
import { type Queryable, sql } from '../database/sql.ts'
import type { Rows } from '../database/rows.ts'

export const serverKeyTimes = {
  /** How often a process looks for another generation. */
  followedEveryMs: 1_000,
  /** How long one is announced: all processes have looked for it several times. */
  announcedMs: 5_000,
  retryMs: 100,
} as const

export type ServerKeyRow = Rows['server_keys']

/** Oldest first. */
export const serverKeys = (db: Queryable): Promise<ServerKeyRow[]> =>
  db.rows(sql`
    select generation, salt, mac, at, seals_since, missing_at, archive
    from server_keys order by generation`)

/** Inserts 0 rows if another process was first. */
export const insertFirstServerKey = (
  db: Queryable,
  { salt, mac }: Pick<ServerKeyRow, 'salt' | 'mac'>,
): Promise<number> =>
  db.run(sql`
    insert into server_keys (generation, salt, mac, seals_since)
    values (1, ${salt}, ${mac}, clock_timestamp()) on conflict do nothing`)

/** Announces a generation: processes accept it from now on, and nothing is written under it. */
export const announceServerKey = (
  db: Queryable,
  { generation, salt, mac }: Pick<ServerKeyRow, 'generation' | 'salt' | 'mac'>,
): Promise<number> =>
  db.run(sql`
    insert into server_keys (generation, salt, mac) values (${generation}, ${salt}, ${mac})`)

/** A process objects to the announced generation, because it lacks its key. */
export const objectToServerKey = (db: Queryable): Promise<number> =>
  db.run(sql`
    update server_keys set missing_at = clock_timestamp()
    where seals_since is null and missing_at is null`)

export const withdrawServerKey = (db: Queryable): Promise<number> =>
  db.run(sql`delete from server_keys where seals_since is null`)

/** From now on, everything is written under the announced generation. */
export const beginServerKey = (db: Queryable, generation: number): Promise<number> =>
  db.run(sql`
    update server_keys set seals_since = clock_timestamp()
    where generation = ${generation} and seals_since is null and missing_at is null`)

/** Finishes a generation, or stores its history key anew. */
export const setServerKeyArchive = (
  db: Queryable,
  generation: number,
  archive: Buffer,
): Promise<number> =>
  db.run(sql`update server_keys set archive = ${archive} where generation = ${generation}`)

export const deleteServerKeys = (db: Queryable): Promise<number> =>
  db.run(sql`delete from server_keys`)

/** The transactions of this service that are running, as PostgreSQL names them. */
export const runningTransactions = async (db: Queryable): Promise<string[]> => {
  const rows = await db.rows<{ virtualxid: string }>(sql`
    select l.virtualxid from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and l.granted and a.datname = current_database()
      and a.application_name like 'docex %' and l.pid <> pg_backend_pid()`)
  return rows.map((row) => row.virtualxid)
}
