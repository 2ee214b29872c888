/** Comments on documents; each query names the side that may see them. */
import { columnArray } from '../../database/binary-arrays.ts'
import { countOf } from '../../database/counts.ts'
import type { Rows } from '../../database/rows.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import { peopleById } from '../identity/users.ts'

export type CommentRow = Rows['document_comments']

export const insertComment = (tx: Queryable, row: CommentRow): Promise<number> =>
  insertRows(tx, 'document_comments', [row])

interface OwnDocument {
  document: string
  organization: string
}

export const countComments = (
  db: Queryable,
  { document, organization }: OwnDocument,
): Promise<number> =>
  countOf(
    db,
    sql`
    select count(*) as count from document_comments
    where document_id = ${document} and organization_id = ${organization}`,
  )

/** Newest first. */
export const commentsOf = (
  db: Queryable,
  { document, organization }: OwnDocument,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<CommentRow[]> => {
  const earlier = before === undefined ? sql`` : sql`and t.id < ${before}`
  return sealedRows(
    db,
    'document_comments',
    sql`where t.document_id = ${document} and t.organization_id = ${organization} ${earlier}
      order by t.id desc limit ${limit}`,
  )
}

/** Those of these uuids that no comment has. */
export const missingComments = async (db: Queryable, ids: readonly string[]): Promise<string[]> => {
  if (ids.length === 0) return []
  const missing = await db.rows<{ id: string }>(sql`
    select id from unnest(${columnArray('uuid', ids)}::uuid[]) as named(id)
    where not exists (select from document_comments c where c.id = named.id)`)
  return missing.map(({ id }) => id)
}

/** Deletes the comments of both sides; returns their uuids. */
export const deleteComments = async (tx: Queryable, document: string): Promise<string[]> => {
  const deleted = await tx.rows<{ id: string }>(
    sql`delete from document_comments where document_id = ${document} returning id`,
  )
  return deleted.map(({ id }) => id)
}

/** The names of authors, by the uuid of the user or key. */
export const authorNames = async (
  db: Queryable,
  rows: readonly CommentRow[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = (column: 'user_id' | 'key_id') => [
    ...new Set(rows.flatMap((row) => row[column] ?? [])),
  ]
  const people = await peopleById(db, ids('user_id'))
  const wanted = columnArray('uuid', ids('key_id'))
  const keys = await sealedRows(db, 'keys', sql`where t.id = any(${wanted})`)
  return new Map([...people.values(), ...keys].map(({ id, name }) => [id, name]))
}
