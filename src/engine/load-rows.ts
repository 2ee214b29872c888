/**
 * The first half of a batch: who is still to decide, and the rows that they decide over.
 *
 * Two flushes. The first opens the Idempotency-Keys: who is told «in progress», «replayed» or
 * «conflict» waits for nobody's rows. The second locks documents and heads and reads them; every
 * lock is taken in an earlier statement than the reads that rely on it.
 */
import { limits } from '../contract/limits.ts'
import { type Connection, type SqlQuery, sql } from '../database/sql.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { storedResponses } from '../store/idempotency.ts'
import type { Rows } from '../database/rows.ts'
import { selectList } from '../database/table-writes.ts'
import { type IdempotencyOptions, advisoryLockKey, existingOutcomes } from './idempotency.ts'
import { awaitAll } from './await-all.ts'
import { lockPaymentRows } from './load-payment-rows.ts'
import type { WriteRequest, RowsToLock, WriteOutcome } from './write-request.ts'
import { WorkingSet } from './unit-of-work.ts'

export type BatchedRequest = WriteRequest & { write: { kind: 'batched' } }

export interface LockedKeys {
  /** Members whose answer is clear before anyone decides. */
  outcomes: Map<WriteRequest, WriteOutcome>
  /** MACs of kept replies whose time is over. */
  expired: Buffer[]
  now: string
}

/**
 * Begins the transaction; tries the keys' locks, never waits for them, and looks for kept replies.
 */
export const lockIdempotencyKeys = async (
  db: Connection,
  requests: readonly BatchedRequest[],
  options: IdempotencyOptions,
): Promise<LockedKeys> => {
  const keyed = requests.filter((request) => request.idempotency !== undefined && !request.dryRun)
  const macs = keyed.map((request) => request.idempotency!.mac)
  const begun = db.rows<{ now: string }>(sql`begin`)
  const locks = tryAdvisoryLocks(db, macs.map(advisoryLockKey))
  const stored = storedResponses(db, macs)
  const clock = db.rows<{ now: string }>(sql`select clock_timestamp() as now`)
  await awaitAll([begun, locks, stored, clock])
  const { now } = (await clock)[0]!
  return { ...existingOutcomes(keyed, await locks, await stored, now, options), now }
}

const tryAdvisoryLocks = async (db: Connection, numbers: readonly bigint[]): Promise<boolean[]> => {
  const rows = await db.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(n) as locked
        from unnest(${columnArray('bigint', numbers)}::bigint[]) with ordinality u (n, i)`,
  )
  return rows.map((row) => row.locked)
}

export interface LoadedRows {
  set: WorkingSet
  /** Whether a document that the member needs is locked elsewhere. */
  isBlocked(member: BatchedRequest): boolean
}

export const loadRows = async (
  db: Connection,
  requests: readonly BatchedRequest[],
  { now, waitForLocks }: { now: string; waitForLocks: boolean },
): Promise<LoadedRows> => {
  const set = new WorkingSet()
  set.now = now
  const documents = idsOf(requests, 'documents')
  const related = idsOf(requests, 'referencesOfDocuments')
  const connections = connectionsToRead(idsOf(requests, 'connections'), related)
  const counters = idsOf(requests, 'counters')
  if (documents.length + counters.length === 0) return { set, isBlocked: () => false }
  const organizations = countersToLock(
    counters,
    columnArray('uuid', documents),
    documents.length > 0,
  )
  const toLock = documentsToLock(documents, related)

  const none: never[] = []
  const locked = documents.length > 0 ? lockDocuments(db, toLock, waitForLocks) : none
  const payment = lockPaymentRows(db, {
    paymentsOfDocuments: idsOf(requests, 'paymentsOfDocuments'),
    accountsOfOrganizations: idsOf(requests, 'accountsOfOrganizations'),
    payingKeys: idsOf(requests, 'payingKeys'),
  })
  const counterRows = db.rows<Rows['organization_counters']>(
    sql`select ${selectList('organization_counters', 'h')} from organization_counters h
        where organization_id in (${organizations}) order by organization_id for no key update`,
  )
  const clock = db.rows<{ now: string }>(sql`select clock_timestamp() as now`)
  const documentRows =
    documents.length > 0
      ? db.rows<Rows['documents']>(
          sql`select ${selectList('documents', 'd')} from documents d where ${toLock}`,
        )
      : none
  const links = related.length > 0 ? linksToRead(db, related) : none
  const connectionRows = db.rows<Rows['connections']>(
    sql`select ${selectList('connections', 'c')} from connections c where ${connections}`,
  )
  const organizationRows = db.rows<Rows['organizations']>(
    sql`select ${selectList('organizations', 'o')} from organizations o
        where id in (${organizations}
          union all select unnest(array[a_id, b_id]) from connections where ${connections})`,
  )
  const paymentRows = payment?.read()
  const others = [documentRows, links, connectionRows, organizationRows, paymentRows]
  await awaitAll([locked, counterRows, clock, ...others])

  set.now = (await clock)[0]!.now
  set.addLoaded('organization_counters', await counterRows)
  set.addLoaded('documents', await documentRows)
  set.addLoaded('connections', await connectionRows)
  set.addLoaded('organizations', await organizationRows)
  if (paymentRows !== undefined) (await paymentRows)(set)
  const lockedIds = new Set((await locked).map((row) => row.id))
  const isLockedElsewhere = (id: string) => set.loaded.documents.has(id) && !lockedIds.has(id)
  // Read after the lock: a reference that came in between is not locked, and held up with it.
  const targets = Map.groupBy(await links, (link) => link.from_id)
  return {
    set,
    isBlocked: ({ write: { rowsToLock: needs } }) =>
      (needs.documents ?? []).some(isLockedElsewhere) ||
      (needs.referencesOfDocuments ?? []).some((id) =>
        (targets.get(id) ?? []).some((link) => isLockedElsewhere(link.to_id)),
      ),
  }
}

/** The named documents; of the related ones also those that they refer to. */
const documentsToLock = (documents: readonly string[], related: readonly string[]): SqlQuery => {
  const named = columnArray('uuid', documents)
  if (related.length === 0) return sql`id = any(${named})`
  return sql`id in (select unnest(${named}::uuid[]) union
    select to_id from document_links where from_id = any(${columnArray('uuid', related)}))`
}

const connectionsToRead = (
  connections: readonly string[],
  related: readonly string[],
): SqlQuery => {
  const named = columnArray('uuid', connections)
  if (related.length === 0) return sql`id = any(${named})`
  return sql`id in (select unnest(${named}::uuid[]) union
    select connection_id from documents where id = any(${columnArray('uuid', related)}))`
}

const linksToRead = (
  db: Connection,
  related: readonly string[],
): Promise<Rows['document_links'][]> =>
  db.rows(sql`select ${selectList('document_links', 'l')} from document_links l
    where from_id = any(${columnArray('uuid', related)})`)

/** The organizations whose heads move: those named, and the parties of the named documents. */
const countersToLock = (
  organizations: readonly string[],
  documents: Buffer,
  hasDocuments: boolean,
): SqlQuery => {
  const named = sql`select unnest(${columnArray('uuid', organizations)}::uuid[])`
  if (!hasDocuments) return named
  return sql`${named} union
    select issuer_id from documents where id = any(${documents}) union
    select counterparty_id from documents where id = any(${documents})`
}

/** Skips what is locked elsewhere, or waits for it, but not as long as for a head. */
const lockDocuments = async (
  db: Connection,
  toLock: SqlQuery,
  waitForLocks: boolean,
): Promise<{ id: string }[]> => {
  const lock = sql`select id from documents where ${toLock} order by id for no key update`
  if (!waitForLocks) return db.rows(sql`${lock} skip locked`)
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

const idsOf = (requests: readonly BatchedRequest[], kind: keyof RowsToLock): string[] => [
  ...new Set(requests.flatMap((request) => request.write.rowsToLock[kind] ?? [])),
]
