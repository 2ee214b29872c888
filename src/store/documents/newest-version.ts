/**
 * Whether a stored document `d` is the newest version of itself. An old row with its old seal is
 * just as the service wrote it, and yet false: its history, its log and its lists have moved on.
 */
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'

/** SQL: its head is the newest event of its history, and no later event was logged. */
export const isNewestVersion = `(
  coalesce((select e.seq = d.head_seq and e.hash = d.head_hash from prov_event e
    where e.document_id = d.id order by e.seq desc limit 1), d.head_seq = 0)
  and coalesce((select l.seq <= d.head_seq from log_leaf l
    where l.document_id = d.id order by l.seq desc limit 1), true))`

/** SQL: the row `v` of a list shows this version. A page of histories would take far longer. */
export const isListedVersion = '(v.status = d.status and v.updated_at = d.updated_at)'

/** The documents `d` that meet the condition and are not their newest version. */
export const outdatedDocuments = (db: Queryable, condition: SqlQuery): Promise<{ id: string }[]> =>
  db.rows(sql`select d.id from documents d where ${condition} and not ${raw(isNewestVersion)}`)
