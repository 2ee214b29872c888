/** What the auditors read. */
import { areEntriesOf } from '../../core/payments/ledger.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { BrokenSeal, type SealedTable } from '../../database/row-seals.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import { transactionsById } from '../payments/ledger-transactions.ts'

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
    return missingPostings(db, sql`ledger_account a`, 'a.last_posting', sql`a.id`, ids())
  if (table !== 'ledger_tx') return []
  const transactions = await transactionsById(db, ids())
  const named = sql`ledger_tx t join ledger_account a on a.id = t.account_id`
  return [
    ...transactions
      .filter((row) => db.seals.holds('ledger_tx', row) && !areEntriesOf(row, row.entries))
      .map(({ id }) => new BrokenSeal('ledger_entry', id, 'not those of the transaction')),
    ...(await missingPostings(db, named, 't.previous_posting', sql`t.id`, ids())),
  ]
}

/** What was posted before the last sandbox reset is no part of the chain any more. */
const missingPostings = async (
  db: Queryable,
  from: SqlQuery,
  version: string,
  id: SqlQuery,
  ids: readonly string[],
): Promise<BrokenSeal[]> => {
  const missing = await db.rows<{ account: string; version: bigint }>(sql`
    select a.id as account, ${raw(version)} as version from ${from}
    where ${id} = any(${columnArray('uuid', ids)}) and ${raw(version)} > a.reset_version
      and not exists (select from ledger_tx p
        where p.account_id = a.id and p.posted_version = ${raw(version)})`)
  return missing.map(
    ({ account, version: posting }) =>
      new BrokenSeal('ledger_tx', `posting ${posting} of ${account}`, 'the row is gone'),
  )
}
