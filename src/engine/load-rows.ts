/**
 * The first half of a batch: who is still to decide, and the rows that they decide over.
 *
 * Two flushes. The first opens the Idempotency-Keys: who is told «in progress», «replayed» or
 * «conflict» waits for nobody's rows. The second locks documents and heads and reads them; every
 * lock is taken in an earlier statement than the reads that rely on it.
 */
import { limits } from '../contract/limits.ts'
import { type Connection, type Query, sql } from '../database/sql.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { repliesFor } from '../store/idempotency.ts'
import type { Rows } from '../database/rows.ts'
import { selectList } from '../database/table-writes.ts'
import { type Retention, lockNumber, settled } from './idempotency.ts'
import { allOf } from './all-of.ts'
import { startMoney } from './load-payment-rows.ts'
import type { Member, Needs, Outcome } from './write-request.ts'
import { WorkingSet } from './unit-of-work.ts'

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
  /** Whether a document that the member needs is locked elsewhere. */
  isHeldUp(member: DecidedMember): boolean
}

export const loadRows = async (
  db: Connection,
  members: readonly DecidedMember[],
  { now, wait }: { now: string; wait: boolean },
): Promise<LoadedRows> => {
  const set = new WorkingSet()
  set.now = now
  const documents = idsOf(members, 'documents')
  const related = idsOf(members, 'related')
  const connections = connectionsOf(idsOf(members, 'connections'), related)
  const heads = idsOf(members, 'heads')
  if (documents.length + heads.length === 0) return { set, isHeldUp: () => false }
  const parties = partiesOf(heads, columnArray('uuid', documents), documents.length > 0)
  const isWanted = wantedDocuments(documents, related)

  const none: never[] = []
  const locked = documents.length > 0 ? lockDocuments(db, isWanted, wait) : none
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
          sql`select ${selectList('documents', 'd')} from documents d where ${isWanted}`,
        )
      : none
  const links = related.length > 0 ? linksOf(db, related) : none
  const connectionRows = db.rows<Rows['connections']>(
    sql`select ${selectList('connections', 'c')} from connections c where ${connections}`,
  )
  const organizationRows = db.rows<Rows['organizations']>(
    sql`select ${selectList('organizations', 'o')} from organizations o
        where id in (${parties}
          union all select unnest(array[a_id, b_id]) from connections where ${connections})`,
  )
  const moneyRows = money?.read()
  const others = [documentRows, links, connectionRows, organizationRows, moneyRows]
  await allOf([locked, headRows, clock, ...others])

  set.now = (await clock)[0]!.now
  set.admit('organization_heads', await headRows)
  set.admit('documents', await documentRows)
  set.admit('connections', await connectionRows)
  set.admit('organizations', await organizationRows)
  if (moneyRows !== undefined) (await moneyRows)(set)
  const lockedIds = new Set((await locked).map((row) => row.id))
  const isLockedElsewhere = (id: string) => set.loaded.documents.has(id) && !lockedIds.has(id)
  // Read after the lock: a reference that came in between is not locked, and held up with it.
  const targets = Map.groupBy(await links, (link) => link.from_id)
  return {
    set,
    isHeldUp: ({ write: { needs } }) =>
      (needs.documents ?? []).some(isLockedElsewhere) ||
      (needs.related ?? []).some((id) =>
        (targets.get(id) ?? []).some((link) => isLockedElsewhere(link.to_id)),
      ),
  }
}

/** The named documents; of the related ones also those that they refer to. */
const wantedDocuments = (documents: readonly string[], related: readonly string[]): Query => {
  const named = columnArray('uuid', documents)
  if (related.length === 0) return sql`id = any(${named})`
  return sql`id in (select unnest(${named}::uuid[]) union
    select to_id from document_links where from_id = any(${columnArray('uuid', related)}))`
}

const connectionsOf = (connections: readonly string[], related: readonly string[]): Query => {
  const named = columnArray('uuid', connections)
  if (related.length === 0) return sql`id = any(${named})`
  return sql`id in (select unnest(${named}::uuid[]) union
    select connection_id from documents where id = any(${columnArray('uuid', related)}))`
}

const linksOf = (db: Connection, related: readonly string[]): Promise<Rows['document_links'][]> =>
  db.rows(sql`select ${selectList('document_links', 'l')} from document_links l
    where from_id = any(${columnArray('uuid', related)})`)

/** The organizations whose heads move: those named, and the parties of the named documents. */
const partiesOf = (heads: readonly string[], documents: Buffer, some: boolean): Query => {
  const named = sql`select unnest(${columnArray('uuid', heads)}::uuid[])`
  if (!some) return named
  return sql`${named} union
    select issuer_id from documents where id = any(${documents}) union
    select counterparty_id from documents where id = any(${documents})`
}

/** Skips what is locked elsewhere, or waits for it, but not as long as for a head. */
const lockDocuments = async (
  db: Connection,
  isWanted: Query,
  wait: boolean,
): Promise<{ id: string }[]> => {
  const lock = sql`select id from documents where ${isWanted} order by id for no key update`
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
