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
import { type Connection, sql } from '../sql.ts'
import { columnArray } from '../store/arrays.ts'
import { type KeptReply, deleteReplies, insertReplies, repliesFor } from '../store/idempotency.ts'
import type { Rows } from '../store/rows.ts'
import { type NewRow, type Table, insertRows, selectList, updateRows } from '../store/tables.ts'
import { type Retention, lockNumber, replyTo, settled } from './idempotency.ts'
import type { Member, Outcome } from './member.ts'
import { type Loaded, WorkingSet } from './world.ts'

/** `postponed`: one of its documents is locked elsewhere; it goes to the next batch. */
export type Result = Outcome | { kind: 'postponed' }

export interface BatchOptions {
  retention: Retention
  /** Wait for documents locked elsewhere instead of skipping them: for a member that runs alone. */
  wait: boolean
}

type DecidedMember = Member & { write: { kind: 'decided' } }

export const runBatch = async (
  db: Connection,
  members: readonly DecidedMember[],
  options: BatchOptions,
): Promise<Result[]> => {
  const loaded = await load(db, members, options)
  const { set } = loaded
  const replies: KeptReply[] = []
  const results = members.map((member, i): Result => {
    const early = loaded.settled[i]
    if (early !== undefined) return early
    if ((member.write.needs.documents ?? []).some(loaded.isLockedElsewhere)) {
      return { kind: 'postponed' }
    }
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
  await write(db, set, replies, loaded.expired)
  return results
}

interface LoadedSet {
  set: WorkingSet
  settled: (Outcome | undefined)[]
  expired: Buffer[]
  isLockedElsewhere(document: string): boolean
}

/** One flush, several statements: begin, locks, then the reads that rely on them. */
const load = async (
  db: Connection,
  members: readonly DecidedMember[],
  options: BatchOptions,
): Promise<LoadedSet> => {
  const keyed = members.filter((member) => member.idempotency !== undefined && !member.dryRun)
  const documents = idsOf(members, 'documents')
  const connections = idsOf(members, 'connections')
  const heads = idsOf(members, 'heads')
  const some = documents.length > 0
  const documentArray = columnArray('uuid', documents)
  const partiesOf = sql`
    select issuer_id from documents where id = any(${documentArray}) union
    select counterparty_id from documents where id = any(${documentArray})`
  const parties = some
    ? sql`select unnest(${columnArray('uuid', heads)}::uuid[]) union ${partiesOf}`
    : sql`select unnest(${columnArray('uuid', heads)}::uuid[])`

  const begun = db.run(sql`begin`)
  const keyLocks = keyed.length > 0 ? tryKeyLocks(db, keyed) : []
  const kept = keyed.length > 0 ? repliesFor(db, keyed.map((member) => member.idempotency!.mac)) : []
  const locked = some
    ? db.rows<{ id: string }>(
        options.wait
          ? sql`select id from documents where id = any(${documentArray}) order by id for no key update`
          : sql`select id from documents where id = any(${documentArray}) order by id for no key update skip locked`,
      )
    : []
  const headRows = db.rows<Rows['organization_heads']>(
    sql`select ${selectList('organization_heads', 'h')} from organization_heads h
        where organization_id in (${parties}) order by organization_id for no key update`,
  )
  const documentRows = some
    ? db.rows<Rows['documents']>(
        sql`select ${selectList('documents', 'd')} from documents d where id = any(${documentArray})`,
      )
    : []
  const connectionRows =
    connections.length > 0
      ? db.rows<Rows['connections']>(
          sql`select ${selectList('connections', 'c')} from connections c
              where id = any(${columnArray('uuid', connections)})`,
        )
      : []
  const organizationRows = db.rows<Rows['organizations'] & { now: string }>(
    sql`select ${selectList('organizations', 'o')}, clock_timestamp() as now from organizations o
        where id in (${parties}) or id in
          (select unnest(array[a_id, b_id]) from connections where id = any(${columnArray('uuid', connections)}))`,
  )
  await allOf([begun, keyLocks, kept, locked, headRows, documentRows, connectionRows, organizationRows])

  const set = new WorkingSet()
  const organizations = await organizationRows
  set.now = organizations[0]?.now ?? new Date().toISOString()
  set.admit('organization_heads', await headRows)
  set.admit('documents', await documentRows)
  set.admit('connections', await connectionRows)
  set.admit('organizations', organizations)
  const lockedIds = new Set((await locked).map((row) => row.id))
  const found = await settled(keyed, await keyLocks, await kept, set.now, options.retention)
  return {
    set,
    settled: members.map((member) => found.outcomes.get(member)),
    expired: found.expired,
    isLockedElsewhere: (id) => set.loaded.documents.has(id) && !lockedIds.has(id),
  }
}

const tryKeyLocks = async (db: Connection, keyed: readonly Member[]): Promise<boolean[]> => {
  const numbers = keyed.map((member) => lockNumber(member.idempotency!.mac))
  const rows = await db.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(n) as locked from unnest(${columnArray('bigint', numbers)}::bigint[]) with ordinality u (n, i)`,
  )
  return rows.map((row) => row.locked)
}

const idsOf = (members: readonly DecidedMember[], kind: keyof DecidedMember['write']['needs']) => [
  ...new Set(members.flatMap((member) => member.write.needs[kind] ?? [])),
]

/** Every statement of a flush is answered, also behind a failed one: wait for all, then say the first failure. */
const allOf = async (pending: readonly unknown[]): Promise<void> => {
  const results = await Promise.allSettled(pending)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Tables in the order in which rows may refer to each other. */
const insertOrder = [
  'documents',
  'document_views',
  'prov_event',
  'log_queue',
  'events',
] as const satisfies Table[]

/** One flush: every row of a table in one statement, then the kept replies, then commit. */
const write = async (
  db: Connection,
  set: WorkingSet,
  replies: readonly KeptReply[],
  expired: LoadedSet['expired'],
): Promise<void> => {
  if (replies.length === 0 && set.inserts.size === 0 && savedRows(set, 'organization_heads').length === 0) {
    // Nothing to keep: a rollback costs no flush of the log.
    await db.run(sql`rollback`)
    return
  }
  const pending: Promise<unknown>[] = []
  for (const table of insertOrder) {
    const rows = set.inserts.get(table)
    if (rows !== undefined) pending.push(insertRows(db, table, rows as NewRow<typeof table>[]))
  }
  const documents = savedRows(set, 'documents')
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
  const heads = savedRows(set, 'organization_heads')
  if (heads.length > 0) {
    const columns = ['changed_at', 'feed', 'numbers']
    expected.push([updateRows(db, 'organization_heads', ['organization_id'], columns, heads), heads.length])
  }
  if (expired.length > 0) pending.push(deleteReplies(db, expired))
  if (replies.length > 0) pending.push(insertReplies(db, replies))
  const committed = db.commit()
  await allOf([...pending, ...expected.map(([count]) => count), committed])
  for (const [count, rows] of expected) {
    assert.equal(await count, rows, 'every saved row was there and locked')
  }
}

const savedRows = <T extends Loaded>(set: WorkingSet, table: T): Rows[T][] => [
  ...(set.saved[table] as Map<string, Rows[T]>).values(),
]

/** The columns in which any of the documents differs from what was loaded. */
const changedColumns = (set: WorkingSet, documents: readonly Rows['documents'][]): string[] => {
  const changed = new Set<string>()
  for (const document of documents) {
    const before = set.loaded.documents.get(document.id)
    for (const name of Object.keys(document) as (keyof Rows['documents'])[]) {
      if (document[name] !== before?.[name]) changed.add(name)
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
