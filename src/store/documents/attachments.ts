/** Attachments, and stored files that do not belong to one yet. */
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import type { Rows } from '../../database/rows.ts'
import { insertRows } from '../../database/table-writes.ts'
import { isDocumentVisible } from '../visibility.ts'

export type AttachmentRow = Rows['attachments']
/** An attachment, and whether the issuer of its document uploaded it. */
export type AttachmentView = AttachmentRow & { is_by_issuer: boolean }

export const countAttachments = async (db: Queryable, document: string): Promise<number> =>
  Number(
    (await db.row<{ count: bigint }>(
      sql`select count(*) as count from attachments where document_id = ${document}`,
    ))!.count,
  )

export const insertAttachment = (db: Queryable, row: AttachmentRow): Promise<number> =>
  insertRows(db, 'attachments', [row])

interface PackedAttachment {
  attachment: string
  is_by_issuer: boolean
}

const attachmentViews = sql`
  select ${packedRow('attachments', 'a')} as attachment, a.uploaded_by = d.issuer_id as is_by_issuer
  from attachments a join documents d on d.id = a.document_id`

const attachmentViewsOf = async (db: Queryable, rest: SqlQuery): Promise<AttachmentView[]> => {
  const rows = await db.rows<PackedAttachment>(sql`${attachmentViews} ${rest}`)
  return rows.map(({ attachment, is_by_issuer }) => ({
    ...unpackRow(db.seals, 'attachments', attachment),
    is_by_issuer,
  }))
}

export const attachmentsOf = (
  db: Queryable,
  document: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AttachmentView[]> =>
  attachmentViewsOf(
    db,
    sql`where a.document_id = ${document} ${before === undefined ? sql`` : sql`and a.id < ${before}`}
      order by a.id desc limit ${limit}`,
  )

export const attachmentById = async (
  db: Queryable,
  document: string,
  id: string,
): Promise<AttachmentView | undefined> =>
  (await attachmentViewsOf(db, sql`where a.document_id = ${document} and a.id = ${id}`))[0]

/** For download links: the attachment, if the organization that received the link still sees it. */
export const attachmentVisibleTo = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<AttachmentView | undefined> => {
  const rest = sql`join organizations o on o.id = ${organization}
    where a.id = ${id} and ${isDocumentVisible}`
  return (await attachmentViewsOf(db, rest))[0]
}

/** Also one that the organization has left behind in a reset: what it issued still shows it. */
export const attachmentUploadedBy = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<AttachmentView | undefined> =>
  (await attachmentViewsOf(db, sql`where a.id = ${id} and a.uploaded_by = ${organization}`))[0]

export const insertPendingFile = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`insert into pending_files (id, created_at) values (${id}, clock_timestamp())`)

/** Deletes 0 rows if the file has been abandoned. */
export const claimPendingFile = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`delete from pending_files where id = ${id} and not abandoned`)

export const deletePendingFile = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`delete from pending_files where id = ${id}`)

/** Marks old files as abandoned and returns them, including those abandoned earlier. */
export const abandonPendingFiles = async (
  db: Queryable,
  before: string,
  limit: number,
): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    update pending_files set abandoned = true where id in
      (select id from pending_files where created_at < ${before} order by created_at limit ${limit})
    returning id`)
  return rows.map(({ id }) => id)
}
