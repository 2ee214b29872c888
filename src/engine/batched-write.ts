/**
 * Performs many writes in one transaction: loads the rows, runs each decision, writes the changes.
 *
 * ARCHITECTURE.md has the order of locks. Every lock is taken in an earlier statement than the
 * reads that rely on it: at READ COMMITTED, a read in the locking statement itself would use a
 * snapshot from before the lock was granted.
 */
import assert from 'node:assert/strict'
import { Refusal } from '../contract/errors.ts'
import type { ServerKeys } from '../core/server-keys.ts'
import { type Connection, sql } from '../database/sql.ts'
import {
  type NewStoredResponse,
  deleteStoredResponses,
  insertStoredResponses,
} from '../store/idempotency.ts'
import { deleteDocumentLinks } from '../store/documents/document-links.ts'
import type { Rows } from '../database/rows.ts'
import { BrokenSeal, UnwrittenRows, missingRow } from '../database/row-seals.ts'
import {
  type NewRow,
  type WritableTable,
  sendNewRows,
  sendUpdates,
} from '../database/table-writes.ts'
import {
  type ExistingOutcome,
  type ExistingOutcomes,
  type IdempotencyOptions,
  keptKeyOf,
  storedResponseOf,
  unwrittenResponseOf,
} from './idempotency.ts'
import { type AuditLog, openAuditLog } from './audit.ts'
import { awaitAll } from './await-all.ts'
import type { NewestLimitUsage } from './newest-limit-usage.ts'
import { type LastLoggedSeq, loadRows, lockIdempotencyKeys } from './load-rows.ts'
import { type ExpectedCounts, saveRows } from './save-rows.ts'
import { RememberedRefusal, type UnitOfWork, runDecision } from './unit-of-work.ts'
import type { WorkingSet } from './working-set.ts'
import type { BatchedRequest } from './write-request.ts'
import { MoreRowsNeeded, type RowsToLock } from './rows-to-lock.ts'

/**
 * `postponed`: a document is locked elsewhere, or the write `needs` more rows, so it moves to the
 * next batch. `failed`: a row that the decision needs is not as it was sealed; the other writes of
 * the batch go on.
 */
export type BatchResult = ExistingOutcome | { kind: 'postponed'; needs?: RowsToLock }

export interface BatchOptions {
  idempotency: IdempotencyOptions
  newestLimitUsage: NewestLimitUsage
  lastLoggedSeq?: LastLoggedSeq | undefined
}

export interface Batch {
  requests: readonly BatchedRequest[]
  /** Wait for documents locked elsewhere instead of skipping them. Only for a batch of one. */
  waitForLocks: boolean
}

/** What the decisions of a batch have in common. */
interface RunningBatch {
  set: WorkingSet
  auditLog: AuditLog
  serverKeys: ServerKeys
  kept: ExistingOutcomes['kept']
  responses: NewStoredResponse[]
  /** The MACs of stored responses that are deleted, since their keys get others. */
  replaced: Buffer[]
}

export const runBatch = async (
  db: Connection,
  { requests, waitForLocks }: Batch,
  { idempotency, newestLimitUsage, lastLoggedSeq }: BatchOptions,
): Promise<BatchResult[]> => {
  const { outcomes, expired, kept, now, withLoans } = await lockIdempotencyKeys(
    db,
    requests,
    idempotency,
  )
  const open = requests.filter((request) => !outcomes.has(request))
  const named = new Map(open.map((request) => [request, withLoans(request)]))
  const loading = { now, waitForLocks, lastLoggedSeq }
  const { set, isBlocked } = await loadRows(db, [...named.values()], loading)
  newestLimitUsage.check(set)
  const auditLog = await openAuditLog(db, open)
  const { serverKeys } = idempotency
  const batch: RunningBatch = { set, auditLog, serverKeys, kept, responses: [], replaced: expired }
  const results = requests.map((request): BatchResult => {
    const existing = outcomes.get(request)
    if (existing !== undefined) return existing
    const { rowsToLock } = named.get(request)!.write
    if (isBlocked(rowsToLock)) return { kind: 'postponed' }
    const obstacle = auditLog.obstacleFor(request)
    if (obstacle !== undefined) return { kind: 'failed', error: obstacle }
    try {
      return performInBatch(batch, request, rowsToLock)
    } catch (error) {
      return withoutEffect(batch, request, error)
    }
  })
  await auditLog.write(set.now)
  await flush(db, batch)
  newestLimitUsage.remember(set)
  return results
}

const performInBatch = (
  batch: RunningBatch,
  request: BatchedRequest,
  named: RowsToLock,
): BatchResult => {
  const { dryRun, idempotency } = request
  const decide = (unit: UnitOfWork) => decidedBy(request, unit)
  const { response, eventIds } = runDecision(batch.set, decide, { keep: !dryRun, named })
  if (idempotency !== undefined && !dryRun) {
    batch.responses.push(storedResponseOf(request, idempotency, response, storingIn(batch)))
    const keyMac = batch.kept.get(request)
    if (keyMac !== undefined) batch.replaced.push(keyMac)
  }
  batch.auditLog.add(request, response)
  return { kind: 'done', response, eventIds }
}

const storingIn = ({ set: { now }, serverKeys }: RunningBatch) => ({ now, serverKeys })

/** A decision that has ended with an error costs the others of its batch nothing. */
const withoutEffect = (
  batch: RunningBatch,
  request: BatchedRequest,
  error: unknown,
): BatchResult => {
  if (error instanceof RememberedRefusal) return refusedAndRemembered(batch, request, error)
  if (error instanceof Refusal) return { kind: 'refused', refusal: error }
  if (error instanceof BrokenSeal) return { kind: 'failed', error }
  if (error instanceof MoreRowsNeeded) return { kind: 'postponed', needs: error.rows }
  throw error
}

const refusedAndRemembered = (
  batch: RunningBatch,
  request: BatchedRequest,
  { refusal, remember, keepsKeyFor }: RememberedRefusal,
): BatchResult => {
  const { dryRun, idempotency } = request
  const keptKey = keepsKeyFor === undefined ? undefined : batch.kept.get(request)
  if (keptKey !== undefined) return lostApproval(keptKey)
  runDecision(batch.set, remember, { keep: !dryRun })
  if (keepsKeyFor !== undefined && idempotency !== undefined && !dryRun) {
    batch.responses.push(keptKeyOf(request, idempotency, keepsKeyFor, storingIn(batch)))
  }
  return { kind: 'refused', refusal }
}

/** The key is kept for an approval already, and the decision has found none. */
const lostApproval = (keyMac: Buffer): BatchResult => ({
  kind: 'failed',
  error: missingRow('approvals', `of ${keyMac.toString('hex')}`),
})

/** The response, and what the write adds to the feed of its own organization. */
const decidedBy = ({ organization, write, dryRun }: BatchedRequest, unit: UnitOfWork) => {
  const response = write.decide(unit)
  const events = dryRun ? [] : unit.inserted('events')
  const own = events.filter(({ organization_id }) => organization_id === organization)
  return { response, eventIds: own.map(({ id }) => id) }
}

/** Referenced tables come before the tables that refer to them. */
const insertOrder = [
  'documents',
  'document_imports',
  'document_links',
  'replaced_contents',
  'document_views',
  'prov_event',
  'log_queue',
  'events',
] as const satisfies WritableTable[]

/** Pipelines one statement per table, then the stored responses, then the COMMIT. */
const flush = async (
  db: Connection,
  { set, responses, replaced }: Pick<RunningBatch, 'set' | 'responses' | 'replaced'>,
): Promise<void> => {
  if (responses.length === 0 && set.isUnchanged()) {
    // Nothing to write: unlike a commit, a rollback never flushes the WAL.
    await db.run(sql`rollback`)
    return
  }
  const pending: Promise<unknown>[] = []
  const expected: ExpectedCounts = []
  for (const table of insertOrder) {
    const rows = set.inserts.get(table) as NewRow<typeof table>[] | undefined
    if (rows === undefined) continue
    expected.push([table, sendNewRows(db, table, rows), rows.length])
  }
  if (set.links.size > 0) {
    pending.push(deleteDocumentLinks(db, [...set.links.keys()]))
    const links = [...set.links.values()].flat()
    expected.push(['document_links', sendNewRows(db, 'document_links', links), links.length])
  }
  const documents = documentsToUpdate(set)
  if (documents.length > 0) {
    const changed = changedColumns(set, documents)
    const updated = sendUpdates(db, 'documents', { key: ['id'], set: changed, rows: documents })
    expected.push(['documents', updated, documents.length])
  }
  if (set.views.size > 0) {
    const views = [...set.views.values()]
    const key = ['organization_id', 'position']
    const columns = ['status', 'document_date', 'updated_at', 'currency', 'due_date']
    const updated = sendUpdates(db, 'document_views', { key, set: columns, rows: views })
    expected.push(['document_views', updated, views.length])
  }
  expected.push(...saveRows(db, set))
  const counters = set.savedRows('organization_counters')
  if (counters.length > 0) {
    const columns = ['changed_at', 'feed', 'numbers', 'quotas']
    const updated = sendUpdates(db, 'organization_counters', {
      key: ['organization_id'],
      set: columns,
      rows: counters,
    })
    expected.push(['organization_counters', updated, counters.length])
  }
  if (replaced.length > 0) pending.push(deleteStoredResponses(db, replaced))
  if (responses.length > 0) pending.push(insertStoredResponses(db, responses))
  const committed = db.commit()
  await awaitAll([...pending, ...expected.map(([, count]) => count), committed])
  for (const [table, count, rows] of expected) {
    if ((await count) === rows) continue
    await replaceResponses(db, responses)
    throw new UnwrittenRows(table, 'of a batch')
  }
}

/** The responses are committed, but not all of their rows: no retry must be told of a success. */
const replaceResponses = async (
  db: Connection,
  responses: readonly NewStoredResponse[],
): Promise<void> => {
  const macs = responses.map(({ key_mac }) => key_mac)
  const replaced = [
    db.run(sql`begin`),
    deleteStoredResponses(db, macs),
    insertStoredResponses(db, responses.map(unwrittenResponseOf)),
    db.commit(),
  ]
  // Whatever becomes of it, the writes are not acknowledged.
  await Promise.allSettled(replaced)
  // PostgreSQL keeps the plan of a rule that does nothing as long as the session.
  db.destroy()
}

/** A content that is replaced was kept: events and responses still show it. */
const documentsToUpdate = (set: WorkingSet): Rows['documents'][] => {
  const kept = (set.inserts.get('replaced_contents') ?? []) as Rows['replaced_contents'][]
  const documents = set.savedRows('documents')
  for (const { id, content } of documents) {
    const before = set.loaded.documents.get(id)?.content ?? content
    const isKept = before === content || kept.some((row) => row.document_id === id)
    assert(isKept, 'the content that a document had is kept')
  }
  return documents
}

/** The columns in which any of the documents differs from its loaded version. */
const changedColumns = (set: WorkingSet, documents: readonly Rows['documents'][]): string[] => {
  const changed = new Set<string>()
  for (const document of documents) {
    const before = set.loaded.documents.get(document.id)
    for (const name of Object.keys(document) as (keyof Rows['documents'])[]) {
      if (name !== 'id' && document[name] !== before?.[name]) changed.add(name)
    }
  }
  return [...changed]
}
