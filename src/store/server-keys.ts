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

/**
 * A condition that is true, and fails on a standby or a server that is read-only, which refuse the
 * clause `for share`. It locks no row.
 */
export const isPrimary = sql`not exists (select from server_keys where false for share)`

export type ServerKeyRow = Rows['server_keys']

/** Oldest first. */
export const serverKeys = (db: Queryable): Promise<ServerKeyRow[]> =>
  db.rows(sql`
    select generation, salt, mac, at, seals_since, missing_at, archive
    from server_keys order by generation`)

/** Whether this connection moves the database to a new key; the lock ends with the connection. */
export const tryRekeyLock = async (db: Queryable): Promise<boolean> => {
  const row = await db.row<{ locked: boolean }>(
    sql`select pg_try_advisory_lock(hashtextextended('rekey', 0)) as locked`,
  )
  return row!.locked
}

/** Inserts 0 rows if another process was first. */
export const insertFirstServerKey = (
  db: Queryable,
  { salt, mac }: Pick<ServerKeyRow, 'salt' | 'mac'>,
): Promise<number> =>
  db.run(sql`
    insert into server_keys (generation, salt, mac, seals_since)
    values (1, ${salt}, ${mac}, pg_catalog.clock_timestamp()) on conflict do nothing`)

/** Announces a generation: processes accept it from now on, and nothing is written under it. */
export const announceServerKey = (
  db: Queryable,
  { generation, salt, mac }: Pick<ServerKeyRow, 'generation' | 'salt' | 'mac'>,
): Promise<number> =>
  db.run(sql`
    insert into server_keys (generation, salt, mac) values (${generation}, ${salt}, ${mac})`)

/** A process objects to this announcement, and to none after it, because it lacks the key. */
export const objectToServerKey = (
  db: Queryable,
  { generation, mac }: Pick<ServerKeyRow, 'generation' | 'mac'>,
): Promise<number> =>
  db.run(sql`
    update server_keys set missing_at = pg_catalog.clock_timestamp()
    where generation = ${generation} and mac = ${mac} and seals_since is null
      and missing_at is null`)

export const withdrawServerKey = (db: Queryable): Promise<number> =>
  db.run(sql`delete from server_keys where seals_since is null`)

/** From now on, everything is written under the announced generation. */
export const beginServerKey = (db: Queryable, generation: number): Promise<number> =>
  db.run(sql`
    update server_keys set seals_since = pg_catalog.clock_timestamp()
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

/** The connections of this service besides the one that asks, idle or not. */
export const serviceConnections = (db: Queryable): Promise<{ pid: number; name: string }[]> =>
  db.rows(sql`
    select pid, application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'docex %'
      and pid <> pg_backend_pid()
    order by pid`)

/** A transaction as PostgreSQL shows it to an operator. */
export interface RunningTransaction {
  /** PostgreSQL gives it to no other one. */
  id: string
  /** null of a prepared transaction, which has no process. */
  pid: number | null
  name: string
  state: string | null
  since: string | null
}

/** The transactions of this service that are running, the oldest first. */
export const runningTransactions = (db: Queryable): Promise<RunningTransaction[]> =>
  db.rows(sql`
    select l.virtualxid as id, a.pid, a.application_name as name, a.state, a.xact_start as since
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and l.granted and a.datname = current_database()
      and a.application_name like 'docex %' and l.pid <> pg_backend_pid()
    order by a.xact_start`)

/**
 * Locks, and who holds each. That of a prepared transaction has no process, and what PostgreSQL
 * calls its holder leads to its number by another lock alone.
 */
const heldLocks = sql`
  select l.virtualtransaction as id, l.pid, coalesce(a.application_name, p.gid, '') as name,
    a.state, coalesce(a.xact_start, p.prepared) as since
  from pg_locks l
  left join pg_stat_activity a on a.pid = l.pid
  left join pg_prepared_xacts p on l.pid is null and exists (
    select from pg_locks own
    where own.pid is null and own.locktype = 'transactionid'
      and own.transactionid = p.transaction
      and own.virtualtransaction = l.virtualtransaction)
  where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()
    and l.database = (select oid from pg_database where datname = current_database())`

/**
 * The transactions of anybody that hold a lock with which rows of the table are locked or written,
 * the oldest first. PostgreSQL does not tell which rows.
 */
export const lockingTransactions = (db: Queryable, table: string): Promise<RunningTransaction[]> =>
  db.rows(sql`
    ${heldLocks}
      and l.mode in ('RowShareLock', 'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock')
      and l.relation in (
        select ${table}::text::regclass::oid
        union select inhrelid from pg_inherits where inhparent = ${table}::text::regclass)
    group by 1, 2, 3, 4, 5 order by 5 nulls last`)

/** The oldest transaction of anybody that holds a lock of a table, for which a migration waits. */
export const oldestLockHolder = (db: Queryable): Promise<RunningTransaction | undefined> =>
  db.row(sql`
    ${heldLocks}
      and l.relation in (
        select oid from pg_class where relnamespace = 'public'::regnamespace)
    order by 5 nulls last limit 1`)
