/**
 * The first half of a batch: finds the writes that still need a decision, and loads their rows.
 *
 * It takes two round trips. The first locks the Idempotency-Keys, so that a write that is in
 * progress, replayed or in conflict waits for no row, and reads which loans are paid
 * (docs/decisions/0137). The second locks the rows and reads them; every lock is taken in an
 * earlier statement than the reads that rely on it.
 */
import { limits } from '../contract/limits.ts'
import { type LoanParts, loanRows } from '../core/finance/document-finance.ts'
import { type Connection, type SqlQuery, sql } from '../database/sql.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { followGeneration } from '../database/transactions.ts'
import { type StoredResponse, storedResponses } from '../store/idempotency.ts'
import { issuedReferencesTo } from '../store/documents/document-links.ts'
import { outdatedDocuments } from '../store/documents/newest-version.ts'
import type { Rows } from '../database/rows.ts'
import { selectList } from '../database/table-writes.ts'
import {
  type IdempotencyOptions,
  type ExistingOutcomes,
  existingOutcomes,
  keyMacs,
} from './idempotency.ts'
import { awaitAll } from './await-all.ts'
import { checkConnections, checkLoadedKeys } from './current-rows.ts'
import {
  addConnections,
  addOrganizations,
  readConnections,
  readOrganizations,
} from './load-organizations.ts'
import { lockApprovals } from './load-approvals.ts'
import { financeParties, readFinanceRows, readLoans } from './load-finance-rows.ts'
import { lockPaymentRows } from './load-payment-rows.ts'
import type { BatchedRequest } from './write-request.ts'
import { type RowKind, type RowsToLock, rowsWithMore } from './rows-to-lock.ts'
import { WorkingSet } from './working-set.ts'

export interface LockedKeys extends ExistingOutcomes {
  now: string
  /** The write with the rows of the loans that its payments may settle. */
  withLoans(request: BatchedRequest): BatchedRequest
}

/**
 * Begins the transaction, tries to lock the keys without waiting, and reads stored responses. A dry
 * run locks nothing, yet is told what the stored response of its key is (contract 11).
 */
export const lockIdempotencyKeys = async (
  db: Connection,
  requests: readonly BatchedRequest[],
  options: IdempotencyOptions,
): Promise<LockedKeys> => {
  const keyed = requests.filter((request) => request.idempotency !== undefined)
  const writing = keyed.filter((request) => !request.dryRun)
  const begun = db.run(sql`begin`)
  const locks = tryAdvisoryLocks(
    db,
    writing.map((request) => request.idempotency!.lock),
  )
  const { generation: askedFor } = options.serverKeys
  const asked = responsesOf(db, keyed, options)
  const clock = db.rows<{ now: string; generation: number }>(sql`
    select pg_catalog.clock_timestamp() as now, (
      select coalesce(max(generation), 0) from server_keys where seals_since is not null
    ) as generation`)
  const loans = readLoans(db, idsOf(requests, 'paymentsOfDocuments'))
  await awaitAll([begun, locks, asked, clock, loans])
  const found = await loans
  const { now, generation } = (await clock)[0]!
  await followGeneration(db, generation)
  // Responses under a key of which this process has just heard have not been looked for yet.
  const stored = generation > askedFor ? await responsesOf(db, keyed, options) : await asked
  const refused = (await locks).flatMap((isLocked, i) => (isLocked ? [] : [writing[i]!]))
  const locked = keyed.map((request) => !refused.includes(request))
  return {
    ...existingOutcomes(keyed, { locked, stored, now }, options),
    now,
    withLoans: (request) => (found.size === 0 ? request : namingLoans(request, found)),
  }
}

const namingLoans = (
  request: BatchedRequest,
  loans: ReadonlyMap<string, LoanParts>,
): BatchedRequest => {
  const { write } = request
  const parts = (write.rowsToLock.paymentsOfDocuments ?? []).flatMap((id) => loans.get(id) ?? [])
  const rowsToLock = parts.map(loanRows).reduce<RowsToLock>(rowsWithMore, write.rowsToLock)
  return { ...request, write: { ...write, rowsToLock } }
}

const responsesOf = (
  db: Connection,
  keyed: readonly BatchedRequest[],
  { serverKeys }: IdempotencyOptions,
): Promise<StoredResponse[]> =>
  storedResponses(
    db,
    keyed.flatMap(({ organization, idempotency }) =>
      keyMacs(serverKeys, organization, idempotency!.key),
    ),
  )

const tryAdvisoryLocks = async (db: Connection, numbers: readonly bigint[]): Promise<boolean[]> => {
  const rows = await db.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(n) as locked
        from unnest(${columnArray('bigint', numbers)}::bigint[]) with ordinality u (n, i)
        order by i`,
  )
  return rows.map((row) => row.locked)
}

export interface LoadedRows {
  set: WorkingSet
  /** Whether one of the documents to lock is locked elsewhere. */
  isBlocked(rowsToLock: RowsToLock): boolean
}

/** The number of the document's last event that this process knows to be logged, or 0. */
export type LastLoggedSeq = (document: string) => number

interface LoadingOptions {
  now: string
  waitForLocks: boolean
  lastLoggedSeq?: LastLoggedSeq | undefined
}

export const loadRows = async (
  db: Connection,
  requests: readonly BatchedRequest[],
  { now, waitForLocks, lastLoggedSeq = () => 0 }: LoadingOptions,
): Promise<LoadedRows> => {
  const set = new WorkingSet(db.seals)
  set.now = now
  const documents = idsOf(requests, 'documents')
  const referring = idsOf(requests, 'referencesOfDocuments')
  const connections = connectionsToRead(idsOf(requests, 'connections'), referring)
  const counters = idsOf(requests, 'counters')
  if (documents.length + counters.length === 0) return { set, isBlocked: () => false }
  const finance = financeRowsOf(requests)
  const organizations = countersToLock(counters, documents, financeParties(finance))
  const toLock = documentsToLock(documents, referring)
  const none: never[] = []
  const locked = documents.length > 0 ? lockDocuments(db, toLock, waitForLocks) : none
  const readPayments = lockPaymentRows(db, {
    paymentsOfDocuments: idsOf(requests, 'paymentsOfDocuments'),
    payments: idsOf(requests, 'payments'),
    accountsOfOrganizations: idsOf(requests, 'accountsOfOrganizations'),
    payingKeys: idsOf(requests, 'payingKeys'),
  })
  const readApprovals = lockApprovals(db, approvalRowsOf(requests))
  const counterRows = db.rows<Rows['organization_counters']>(
    sql`select ${selectList('organization_counters', 'h')} from organization_counters h
        where organization_id = any(array(${organizations}))
        order by organization_id for no key update`,
  )
  const clock = db.rows<{ now: string }>(sql`select pg_catalog.clock_timestamp() as now`)
  const documentRows =
    documents.length > 0
      ? db.rows<Rows['documents']>(
          sql`select ${selectList('documents', 'd')} from documents d where ${toLock}`,
        )
      : none
  const outdated = documents.length > 0 ? outdatedDocuments(db, toLock) : none
  const links = referring.length > 0 ? readLinks(db, referring) : none
  const connectionRows = readConnections(db, connections)
  const organizationRows = readOrganizations(
    db,
    sql`${organizations}
      union all select unnest(array[a_id, b_id]) from connections where ${connections}`,
  )
  const paymentRows = readPayments?.()
  const financeRows = readFinanceRows(db, finance)
  const approvalRows = readApprovals?.()
  const others = [documentRows, outdated, links, connectionRows, organizationRows]
  await awaitAll([locked, counterRows, clock, ...others, paymentRows, financeRows, approvalRows])

  set.now = (await clock)[0]!.now
  set.addLoaded('organization_counters', await counterRows)
  await addDocuments(set, db, { rows: await documentRows, lastLoggedSeq })
  for (const { id } of await outdated) set.broken.mark('documents', id, {})
  addConnections(set, db.seals, await connectionRows)
  addOrganizations(set, db.seals, await organizationRows)
  await checkConnections(set, db)
  if (paymentRows !== undefined) await (await paymentRows)(set)
  if (financeRows !== undefined) await (await financeRows)(set)
  if (approvalRows !== undefined) (await approvalRows)(set)
  checkLoadedKeys(set)
  const lockedIds = new Set((await locked).map((row) => row.id))
  const isLockedElsewhere = (id: string) => set.loaded.documents.has(id) && !lockedIds.has(id)
  // Read after the locks: a document linked in between is not locked, so it blocks the write.
  const linksByDocument = Map.groupBy(await links, (link) => link.from_id)
  return {
    set,
    isBlocked: (rowsToLock) =>
      (rowsToLock.documents ?? []).some(isLockedElsewhere) ||
      (rowsToLock.referencesOfDocuments ?? []).some((id) =>
        (linksByDocument.get(id) ?? []).some((link) => isLockedElsewhere(link.to_id)),
      ),
  }
}

/** A document that lacks an event is broken, also if all tables have forgotten that event. */
const addDocuments = async (
  set: WorkingSet,
  db: Connection,
  { rows, lastLoggedSeq }: { rows: readonly Rows['documents'][]; lastLoggedSeq: LastLoggedSeq },
): Promise<void> => {
  set.addLoaded('documents', rows)
  for (const { to_id, issued_by, count } of await issuedReferencesTo(db, rows)) {
    set.referencesTaken.set(`${to_id} ${issued_by}`, count)
  }
  for (const { id, head_seq } of rows) {
    if (lastLoggedSeq(id) > head_seq) set.broken.mark('documents', id, {})
  }
}

/** The named documents, and those that the referring documents refer to. */
const documentsToLock = (documents: readonly string[], referring: readonly string[]): SqlQuery => {
  const named = columnArray('uuid', documents)
  if (referring.length === 0) return sql`id = any(${named})`
  return sql`id = any(array(select unnest(${named}::uuid[]) union
    select to_id from document_links where from_id = any(${columnArray('uuid', referring)})))`
}

const connectionsToRead = (
  connections: readonly string[],
  referring: readonly string[],
): SqlQuery => {
  const named = columnArray('uuid', connections)
  if (referring.length === 0) return sql`id = any(${named})`
  return sql`id = any(array(select unnest(${named}::uuid[]) union
    select connection_id from documents where id = any(${columnArray('uuid', referring)})))`
}

const readLinks = (
  db: Connection,
  referring: readonly string[],
): Promise<Rows['document_links'][]> =>
  db.rows(sql`select ${selectList('document_links', 'l')} from document_links l
    where from_id = any(${columnArray('uuid', referring)})`)

/** The named organizations, the parties of the named documents, and others. */
const countersToLock = (
  organizations: readonly string[],
  documents: readonly string[],
  others: readonly SqlQuery[],
): SqlQuery => {
  const named = sql`select unnest(${columnArray('uuid', organizations)}::uuid[])`
  const ids = columnArray('uuid', documents)
  const parties =
    documents.length === 0
      ? named
      : sql`${named} union
    select issuer_id from documents where id = any(${ids}) union
    select counterparty_id from documents where id = any(${ids})`
  return others.reduce((all, one) => sql`${all} union ${one}`, parties)
}

/** Skips documents locked elsewhere, or waits for them, but not as long as for counters. */
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

/** Applies until the end of the transaction. */
const setLockTimeout = (db: Connection, ms: number): Promise<number> =>
  db.run(sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`)

const idsOf = (requests: readonly BatchedRequest[], kind: RowKind): string[] => [
  ...new Set(requests.flatMap((request) => request.write.rowsToLock[kind] ?? [])),
]

const financeRowsOf = (requests: readonly BatchedRequest[]) => ({
  listings: idsOf(requests, 'listings'),
  offers: idsOf(requests, 'offers'),
  agreements: idsOf(requests, 'agreements'),
  setups: idsOf(requests, 'setups'),
  receivables: idsOf(requests, 'receivables'),
  similarTo: requests.flatMap(({ write }) => write.rowsToLock.similarTo ?? []),
})

const approvalRowsOf = (requests: readonly BatchedRequest[]) => ({
  requestKeys: idsOf(requests, 'approvals'),
  organizations: idsOf(requests, 'approvalRules'),
})
