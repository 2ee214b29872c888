/** Attachments, and stored files that do not belong to one yet. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'
import { isDocumentVisible } from '../visibility.ts'

export type AttachmentRow = Rows['attachments']
/** An attachment, and whether the issuer of its document uploaded it. */
export type AttachmentView = AttachmentRow & { is_by_issuer: boolean }

/** The columns that decide whether a file may be attached. */
export type AttachableDocument = Pick<
  Rows['documents'],
  'id' | 'mode' | 'issuer_id' | 'counterparty_id' | 'issued_at' | 'is_frozen' | 'integrity_hold'
>

/** Locks the document, so that concurrent uploads cannot exceed its number of attachments. */
export const attachableForUpdate = (
  db: Queryable,
  organization: string,
  document: string,
): Promise<AttachableDocument | undefined> =>
  db.row(sql`
    select d.id, d.mode, d.issuer_id, d.counterparty_id, d.issued_at, d.is_frozen,
      d.integrity_hold
    from documents d join organizations o on o.id = ${organization}
    where d.id = ${document} and ${isDocumentVisible} for no key update of d`)

export const countAttachments = async (db: Queryable, document: string): Promise<number> =>
  Number(
    (await db.row<{ count: bigint }>(
      sql`select count(*) as count from attachments where document_id = ${document}`,
    ))!.count,
  )

export const insertAttachment = (db: Queryable, row: AttachmentRow): Promise<number> =>
  db.run(sql`
    insert into attachments (id, mode, document_id, uploaded_by, filename, content_type, size,
      sha256, created_at)
    values (${row.id}, ${row.mode}, ${row.document_id}, ${row.uploaded_by}, ${row.filename},
      ${row.content_type}, ${row.size}, ${row.sha256}, ${row.created_at})`)

const attachmentViews = sql`select a.*, a.uploaded_by = d.issuer_id as is_by_issuer
  from attachments a join documents d on d.id = a.document_id`

export const attachmentsOf = (
  db: Queryable,
  document: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AttachmentView[]> =>
  db.rows<AttachmentView>(sql`
    ${attachmentViews} where a.document_id = ${document}
      ${before === undefined ? sql`` : sql`and a.id < ${before}`}
    order by a.id desc limit ${limit}`)

export const attachmentById = (
  db: Queryable,
  document: string,
  id: string,
): Promise<AttachmentView | undefined> =>
  db.row(sql`${attachmentViews} where a.document_id = ${document} and a.id = ${id}`)

/** For download links: the attachment, if the organization that received the link still sees it. */
export const attachmentVisibleTo = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<AttachmentView | undefined> =>
  db.row(sql`
    ${attachmentViews} join organizations o on o.id = ${organization}
    where a.id = ${id} and ${isDocumentVisible}`)

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
