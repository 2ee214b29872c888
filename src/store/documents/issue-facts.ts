/** The documents that decide whether drafts can be issued: for readers, who lock nothing. */
import { limits } from '../../contract/limits.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

/** The columns of a document that decide whether one that refers to it can be issued. */
export type SourceRow = Pick<
  Rows['documents'],
  | 'id'
  | 'type'
  | 'status'
  | 'issuer_id'
  | 'issuer_number'
  | 'issued_at'
  | 'integrity_hold'
  | 'currency'
  | 'total'
  | 'derived_amount'
  | 'payment'
>

/** With how many references to it each side has issued, as far as these may be too many. */
export type ReferencedRow = SourceRow & {
  issuer_references: number
  counterparty_references: number
}

/**
 * The documents to which drafts refer. A page of drafts may refer to thousands, and checking a
 * seal takes the whole document, so these rows are not checked: they tell a draft's issuer what to
 * expect, and the issue itself checks them.
 */
export const sourcesById = (db: Queryable, ids: readonly string[]): Promise<ReferencedRow[]> =>
  db.rows(sql`
    select d.id, d.type, d.status, d.issuer_id, d.issuer_number, d.issued_at, d.integrity_hold,
      d.currency, d.total, d.derived_amount, d.payment,
      case when d.head_seq < ${max} then 0 else
        (select count(*)::integer from document_links l
         where l.to_id = d.id and l.issued_by = d.issuer_id) end as issuer_references,
      case when d.head_seq < ${max} then 0 else
        (select count(*)::integer from document_links l
         where l.to_id = d.id and l.issued_by = d.counterparty_id) end as counterparty_references
    from documents d where d.id = any(${columnArray('uuid', ids)})`)

/** Each reference is an event of the document. */
const max = limits.referencesPerSideMax
