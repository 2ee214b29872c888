/** Locks a document for a change outside of the engine, and moves its change times. */
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { selectList } from '../../database/table-writes.ts'

/** What writes lock first: other rows of the document follow, and then the counters. */
export const lockDocumentAlone = (
  tx: Queryable,
  id: string,
): Promise<Rows['documents'] | undefined> =>
  tx.row<Rows['documents']>(
    sql`select ${selectList('documents', 'd')} from documents d where d.id = ${id} for no key update`,
  )

/** Locks the document, then the counters of its parties: the lock order of every write. */
export const lockDocument = async (
  tx: Queryable,
  id: string,
): Promise<Rows['documents'] | undefined> => {
  const document = await lockDocumentAlone(tx, id)
  if (document === undefined) return undefined
  await tx.run(sql`
    select 1 from organization_counters
    where organization_id in (${document.issuer_id}, ${document.counterparty_id})
    order by organization_id for no key update`)
  return document
}

/** A time that is later than every change that its parties see. */
export const nextChangeTime = async (
  tx: Queryable,
  { issuer_id, counterparty_id, updated_at }: Rows['documents'],
): Promise<string> =>
  (await tx.row<{ at: string }>(sql`
    select greatest(date_trunc('milliseconds', pg_catalog.clock_timestamp()), ${updated_at}::timestamptz,
      max(changed_at) + interval '1 millisecond')::timestamptz(3) as at
    from organization_counters where organization_id in (${issuer_id}, ${counterparty_id})`))!.at

/** Moves the change time of the document's list rows and of the parties that see it. */
export const markChanged = async (tx: Queryable, document: Rows['documents']): Promise<void> => {
  const { issuer_id, counterparty_id, issued_at, updated_at: at } = document
  const viewers = issued_at === null ? [issuer_id] : [issuer_id, counterparty_id]
  await tx.run(sql`
    update document_views set updated_at = ${at}
    where (organization_id = ${issuer_id} and position = ${document.issuer_position})
       or (organization_id = ${counterparty_id} and position = ${document.counterparty_position})`)
  const own = sql`t.organization_id = any(${columnArray('uuid', viewers)})`
  await changeSealedRows(tx, 'organization_counters', own, ({ changed_at }) => ({
    changed_at: changed_at > at ? changed_at : at,
  }))
}
