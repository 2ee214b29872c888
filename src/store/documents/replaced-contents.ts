/** Contents that edits have replaced, for the events and stored responses that still show them. */
import { type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'

/**
 * The content that document `d` had in the revision that a row names. Every replaced content is
 * stored with its last revision, so the content is the first one from there on, or the current one.
 */
export const contentShownBy = (row: 'e' | 'i'): SqlQuery =>
  raw(`coalesce((select r.content from replaced_contents r
      where r.document_id = ${row}.document_id and r.revision >= ${row}.revision
      order by r.revision limit 1), d.content)`)

export const deleteReplacedContents = (tx: Queryable, document: string): Promise<number> =>
  tx.run(sql`delete from replaced_contents where document_id = ${document}`)

export const purgeReplacedContents = (
  db: Queryable,
  before: string,
  limit: number,
): Promise<number> =>
  db.run(sql`
    delete from replaced_contents where (document_id, revision) in
      (select document_id, revision from replaced_contents
       where replaced_at < ${before} limit ${limit})`)
