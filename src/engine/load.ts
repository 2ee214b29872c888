/**
 * The first half of a batch: who is still to decide, and the rows that they decide over.
 *
 * Two flushes. The first opens the Idempotency-Keys: who is told «in progress», «replayed» or
 * «conflict» waits for nobody's rows. The second locks documents and heads and reads them; every
 * lock is taken in an earlier statement than the reads that rely on it.
 */
import { limits } from '../contract/limits.ts'
import { type Connection, type Query, sql } from '../sql.ts'
import { columnArray } from '../store/arrays.ts'
import { repliesFor } from '../store/idempotency.ts'
import type { Rows } from '../store/rows.ts'
import { selectList } from '../store/tables.ts'
import { allOf } from './all-of.ts'
import { type Retention, lockNumber, settled } from './idempotency.ts'
import { startMoney } from './load-money.ts'
import type { Member, Needs, Outcome } from './member.ts'
import { WorkingSet } from './world.ts'

export type DecidedMember = Member & { write: { kind: 'decided' } }

export interface OpenKeys {
  /** Members whose answer is clear before anyone decides. */
  outcomes: Map<Member, Outcome>
  /** MACs of kept replies whose time is over. */
  expired: Buffer[]
  now: string
}

/**
 * Begins the transaction; tries the keys' locks, never waits for them, and looks for kept replies.
 */
export const openKeys = async (
  db: Connection,
  members: readonly DecidedMember[],
  retention: Retention,
): Promise<OpenKeys> => {
  const keyed = members.filter((member) => member.idempotency !== undefined && !member.dryRun)
  const macs = keyed.map((member) => member.idempotency!.mac)
  const begun = db.rows<{ now: string }>(sql`begin`)
  const locks = tryLocks(db, macs.map(lockNumber))
  const kept = repliesFor(db, macs)
  const clock = db.rows<{ now: string }>(sql`select clock_timestamp() as now`)
  await allOf([begun, locks, kept, clock])
  const { now } = (await clock)[0]!
  return { ...settled(keyed, await locks, await kept, now, retention), now }
}

const tryLocks = async (db: Connection, numbers: readonly bigint[]): Promise<boolean[]> => {
  const rows = await db.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(n) as locked
        from unnest(${columnArray('bigint', numbers)}::bigint[]) with ordinality u (n, i)`,
  )
  return rows.map((row) => row.locked)
}

export interface LoadedRows {
  set: WorkingSet
  isLockedElsewhere(document: string): boolean
}

export const loadRows = async (
  db: Connection,
  members: readonly DecidedMember[],
  { now, wait }: { now: string; wait: boolean },
): Promise<LoadedRows> => {
  const set = new WorkingSet()
  set.now = now
  const documents = idsOf(members, 'documents')
  const named = columnArray('uuid', idsOf(members, 'connections'))
  const heads = idsOf(members, 'heads')
  if (documents.length + heads.length === 0) return { set, isLockedElsewhere: () => false }
  const wanted = columnArray('uuid', documents)
  const parties = partiesOf(heads, wanted, documents.length > 0)
  const connections = connectionsOf(named, wanted, documents.length > 0)

  const none: never[] = []
  const locked = documents.length > 0 ? lockDocuments(db, wanted, wait) : none
  const money = startMoney(db, {
    payments: idsOf(members, 'payments'),
    accounts: idsOf(members, 'accounts'),
    keys: idsOf(members, 'keys'),
  })
  const headRows = db.rows<Rows['organization_heads']>(
    sql`select ${selectList('organization_heads', 'h')} from organization_heads h
        where organization_id in (${parties}) order by organization_id for no key update`,
  )
  const clock = db.rows<{ now: string }>(sql`select clock_timestamp() as now`)
  const documentRows =
    documents.length > 0
      ? db.rows<Rows['documents']>(
          sql`select ${selectList('documents', 'd')} from documents d where id = any(${wanted})`,
        )
      : none
  const connectionRows = db.rows<Rows['connections']>(
    sql`select ${selectList('connections', 'c')} from connections c where id ${connections}`,
  )
  const organizationRows = db.rows<Rows['organizations']>(
    sql`select ${selectList('organizations', 'o')} from organizations o
        where id in (${parties}) or id in
          (select unnest(array[a_id, b_id]) from connections where id = any(${named}))`,
  )
  const moneyRows = money?.read()
  await allOf([locked, headRows, clock, documentRows, connectionRows, organizationRows, moneyRows])

  set.now = (await clock)[0]!.now
  set.admit('organization_heads', await headRows)
  set.admit('documents', await documentRows)
  set.admit('connections', await connectionRows)
  set.admit('organizations', await organizationRows)
  if (moneyRows !== undefined) (await moneyRows)(set)
  const lockedIds = new Set((await locked).map((row) => row.id))
  return {
    set,
    isLockedElsewhere: (id) => set.loaded.documents.has(id) && !lockedIds.has(id),
  }
}

/** The organizations whose heads move: those named, and the parties of the named documents. */
const partiesOf = (heads: readonly string[], documents: Buffer, some: boolean): Query => {
  const named = sql`select unnest(${columnArray('uuid', heads)}::uuid[])`
  if (!some) return named
  return sql`${named} union
    select issuer_id from documents where id = any(${documents}) union
    select counterparty_id from documents where id = any(${documents})`
}

/** The connections named, and those that the named documents live on. */
const connectionsOf = (named: Buffer, documents: Buffer, some: boolean): Query =>
  some
    ? sql`in (select unnest(${named}::uuid[])
        union select connection_id from documents where id = any(${documents}))`
    : sql`= any(${named})`

/** Skips what is locked elsewhere, or waits for it, but not as long as for a head. */
const lockDocuments = async (
  db: Connection,
  ids: Buffer,
  wait: boolean,
): Promise<{ id: string }[]> => {
  const lock = sql`select id from documents where id = any(${ids}) order by id for no key update`
  if (!wait) return db.rows(sql`${lock} skip locked`)
  const [, rows] = await Promise.all([
    setLockTimeout(db, limits.lockWaitMs),
    db.rows<{ id: string }>(lock),
    setLockTimeout(db, limits.lockTimeoutMs),
  ])
  return rows
}

/** For the rest of the transaction. */
const setLockTimeout = (db: Connection, ms: number): Promise<number> =>
  db.run(sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`)

const idsOf = (members: readonly DecidedMember[], kind: keyof Needs): string[] => [
  ...new Set(members.flatMap((member) => member.write.needs[kind] ?? [])),
]
