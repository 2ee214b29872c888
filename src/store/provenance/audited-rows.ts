/** What the auditors read. */
import { areEntriesOf } from '../../core/payments/ledger.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type BrokenSeal, type SealedTable, oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import { goneBesideEntries, goneNewestEntries } from '../identity/audit-entries.ts'
import { missingRows } from '../identity/row-counts.ts'
import { otherEntries, transactionsById } from '../payments/ledger-transactions.ts'
import { missingPosting } from '../payments/posting-chain.ts'

/** The next documents of one mode, by id. */
export const documentsAfter = async (
  db: Queryable,
  mode: string,
  id: string,
  limit: number,
): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select id from documents where id > ${id}::uuid and mode = ${mode} order by id limit ${limit}`)
  return rows.map((row) => row.id)
}

export interface AuditedLeaf {
  idx: bigint
  document_id: string
  hash: Buffer
  /** The hash of the event that the leaf names; null without one. */
  event_hash: Buffer | null
  /** The last event of the document that the leaf names; null without a document. */
  head_seq: number | null
  seq: number
}

/** The leaves of a range with what they name. */
export const auditedLeaves = (
  db: Queryable,
  log: string,
  start: number,
  end: number,
): Promise<AuditedLeaf[]> =>
  db.rows(sql`
    select l.idx, l.document_id, l.seq, l.hash, e.hash as event_hash, d.head_seq
    from log_leaf l
    left join prov_event e on e.document_id = l.document_id and e.seq = l.seq
    left join documents d on d.id = l.document_id
    where l.log_id = ${log} and l.idx >= ${start} and l.idx < ${end} order by l.idx`)

/**
 * Errors for transactions among these rows that have other entries, and for postings that these
 * transactions or accounts name and that are gone. Other tables have neither.
 */
export const brokenPostings = async (
  db: Queryable,
  table: SealedTable,
  rows: readonly object[],
): Promise<BrokenSeal[]> => {
  const ids = () => (rows as readonly { id: string }[]).map(({ id }) => id)
  if (table === 'ledger_account')
    return missingPostings(
      db,
      sql`ledger_account a`,
      { named: 'a.last_posting', id: 'a.id' },
      ids(),
    )
  if (table !== 'ledger_tx') return []
  const transactions = await transactionsById(db, ids())
  const from = sql`ledger_tx t join ledger_account a on a.id = t.account_id`
  return [
    ...transactions
      .filter((row) => db.seals.holds('ledger_tx', row) && !areEntriesOf(row, row.entries))
      .map(otherEntries),
    ...(await missingPostings(db, from, { named: 't.previous_posting', id: 't.id' }, ids())),
  ]
}

/**
 * Errors for what these organizations or audit trails count and that is gone, for counters that are
 * older than what they have counted, and for what is gone beside these audit entries. Other tables
 * count nothing.
 */
export const goneRows = async (
  db: Queryable,
  table: SealedTable,
  rows: readonly object[],
): Promise<BrokenSeal[]> => {
  if (table === 'audit_trails') return goneNewestEntries(db, rows as Rows['audit_trails'][])
  if (table === 'audit_entries') return goneBesideEntries(db, rows as Rows['audit_entries'][])
  if (table === 'organization_counters') {
    return oldCounters(db, rows as Rows['organization_counters'][])
  }
  if (table !== 'organizations') return []
  return missingRows(
    db,
    (rows as Rows['organizations'][]).map(({ id }) => id),
  )
}

/**
 * Errors for those of which a position that was given is after their last one: they were written
 * back, perhaps with what leads to them, such as an organization and its keys.
 */
const oldCounters = async (
  db: Queryable,
  rows: readonly Rows['organization_counters'][],
): Promise<BrokenSeal[]> => {
  const ids = rows.map(({ organization_id }) => organization_id)
  const old = await db.rows<{ id: string }>(sql`
    select h.organization_id as id from organization_counters h
    where h.organization_id = any(${columnArray('uuid', ids)}) and (
      exists (select from document_views v
        where v.organization_id = h.organization_id and v.position > h.feed)
      or exists (select from events e
        where e.organization_id = h.organization_id and e.feed > h.feed))`)
  return old.map(({ id }) => oldRow('organization_counters', id))
}

/** What was posted before the last sandbox reset is no part of the chain any more. */
const missingPostings = async (
  db: Queryable,
  from: SqlQuery,
  { named, id }: Record<'named' | 'id', string>,
  ids: readonly string[],
): Promise<BrokenSeal[]> => {
  const missing = await db.rows<{ id: string; version: bigint }>(sql`
    select a.id, ${raw(named)} as version from ${from}
    where ${raw(id)} = any(${columnArray('uuid', ids)}) and ${raw(named)} > a.reset_version
      and not exists (select from ledger_tx p
        where p.account_id = a.id and p.posted_version = ${raw(named)})`)
  return missing.map((account) => missingPosting(account, account.version))
}
