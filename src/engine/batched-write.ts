/**
 * One transaction for many members: load the set, let each decide, write the set.
 *
 * Order of locks, here and in every other transaction: idempotency keys (never waited for),
 * documents by id (skipped when locked elsewhere), organization heads by id, last. Every lock is
 * taken in an earlier statement than the reads that rely on it: at READ COMMITTED a look-up in the
 * locking statement would read a snapshot from before the lock was granted.
 */
import assert from 'node:assert/strict'
import { Refusal, refuse } from '../contract/errors.ts'
import { type Connection, sql } from '../database/sql.ts'
import { type KeptReply, deleteReplies, insertReplies } from '../store/idempotency.ts'
import { deleteLinks } from '../store/documents/document-links.ts'
import type { Rows } from '../database/rows.ts'
import { type NewRow, type Table, insertRows, updateRows } from '../database/table-writes.ts'
import { type Retention, replyTo } from './idempotency.ts'
import { allOf } from './all-of.ts'
import { type DecidedMember, loadRows, openKeys } from './load-rows.ts'
import type { Outcome } from './write-request.ts'
import { writeMoney } from './save-payment-rows.ts'
import type { WorkingSet } from './unit-of-work.ts'

/** `postponed`: one of its documents is locked elsewhere; it goes to the next batch. */
export type Result = Outcome | { kind: 'postponed' }

export interface BatchOptions {
  retention: Retention
  /** Wait for documents locked elsewhere instead of skipping them: for a member that runs alone. */
  wait: boolean
  /** The last hand on a document's row before it is written. */
  finished?: (document: Rows['documents']) => Rows['documents']
}

export const runBatch = async (
  db: Connection,
  members: readonly DecidedMember[],
  options: BatchOptions,
): Promise<Result[]> => {
  const { outcomes, expired, now } = await openKeys(db, members, options.retention)
  const open = members.filter((member) => !outcomes.has(member))
  const { set, isHeldUp } = await loadRows(db, open, { now, wait: options.wait })
  const replies: KeptReply[] = []
  const results = members.map((member): Result => {
    const early = outcomes.get(member)
    if (early !== undefined) return early
    if (isHeldUp(member)) return { kind: 'postponed' }
    try {
      const answer = set.attempt((world) => member.write.decide(world), !member.dryRun)
      if (member.idempotency !== undefined && !member.dryRun) {
        replies.push(replyTo(member, member.idempotency, answer, set.now))
      }
      return { kind: 'done', answer }
    } catch (error) {
      if (error instanceof Refusal) return { kind: 'refused', refusal: error }
      throw error
    }
  })
  await write(db, set, { replies, expired, finished: options.finished ?? ((row) => row) })
  return results
}

/** Tables in the order in which rows may refer to each other. */
const insertOrder = [
  'documents',
  'document_views',
  'prov_event',
  'log_queue',
  'events',
] as const satisfies Table[]

interface Writing extends Required<Pick<BatchOptions, 'finished'>> {
  replies: readonly KeptReply[]
  expired: readonly Buffer[]
}

/** One flush: every row of a table in one statement, then the kept replies, then commit. */
const write = async (
  db: Connection,
  set: WorkingSet,
  { replies, expired, finished }: Writing,
): Promise<void> => {
  if (replies.length === 0 && set.isUnchanged()) {
    // Nothing to keep: a rollback costs no flush of the log.
    await db.run(sql`rollback`)
    return
  }
  const pending: Promise<unknown>[] = []
  for (const table of insertOrder) {
    const rows = set.inserts.get(table) as NewRow<typeof table>[] | undefined
    if (rows === undefined) continue
    const isDocuments = table === 'documents'
    pending.push(
      insertRows(db, table, isDocuments ? (rows as Rows['documents'][]).map(finished) : rows),
    )
  }
  if (set.links.size > 0) {
    pending.push(deleteLinks(db, [...set.links.keys()]))
    pending.push(insertRows(db, 'document_links', [...set.links.values()].flat()))
  }
  const documents = set.rowsSaved('documents').map(finished)
  const expected: [Promise<number>, number][] = []
  if (documents.length > 0) {
    const changed = changedColumns(set, documents)
    expected.push([updateRows(db, 'documents', ['id'], changed, documents), documents.length])
  }
  if (set.views.size > 0) {
    const views = [...set.views.values()]
    const key = ['organization_id', 'created']
    expected.push([
      updateRows(db, 'document_views', key, ['status', 'document_date', 'updated_at'], views),
      views.length,
    ])
  }
  expected.push(...writeMoney(db, set))
  const heads = set.rowsSaved('organization_heads')
  if (heads.length > 0) {
    const columns = ['changed_at', 'feed', 'numbers', 'quotas']
    expected.push([
      updateRows(db, 'organization_heads', ['organization_id'], columns, heads),
      heads.length,
    ])
  }
  if (expired.length > 0) pending.push(deleteReplies(db, expired))
  if (replies.length > 0) pending.push(insertReplies(db, replies))
  const committed = db.commit()
  await allOf([...pending, ...expected.map(([count]) => count), committed])
  for (const [count, rows] of expected) {
    assert.equal(await count, rows, 'every saved row was there and locked')
  }
}

/** The columns in which any of the documents differs from what was loaded, or was made here. */
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

export const overloaded = (): Refusal =>
  refuse(
    'service_unavailable',
    'More writes are waiting than the service can take. Send the same request with the same Idempotency-Key again.',
    undefined,
    { retryAfterSeconds: 1 },
  )
