/** Attachments, whose stored files have their ids. */
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { attachmentInStored } from '../../core/provenance/recorded-attachments.ts'
import { missingRow } from '../../database/row-seals.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import type { Rows } from '../../database/rows.ts'
import { insertRows } from '../../database/table-writes.ts'
import { isDocumentVisible } from '../visibility.ts'
import { countOf } from '../../database/counts.ts'

export type AttachmentRow = Rows['attachments']
/** An attachment, and whether the issuer of its document uploaded it. */
export type AttachmentView = AttachmentRow & { is_by_issuer: boolean }

/** Those of one party of the document. */
export const countAttachments = (
  db: Queryable,
  { document, organization }: { document: string; organization: string },
): Promise<number> =>
  countOf(
    db,
    sql`
    select count(*) as count from attachments
    where document_id = ${document} and uploaded_by = ${organization}`,
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

/** A signed request is part of the event. */
const attachmentEventMaxBytes = 8_192

/** The bodies of events of a document that may have attached a file. */
const bodiesOf = (document: string): SqlQuery => sql`
  select coalesce(e.shared_body, e.issuer_body) as body from prov_event e
  where e.document_id = ${document}
    and octet_length(coalesce(e.shared_body, e.issuer_body)) <= ${attachmentEventMaxBytes}`

const attachmentViewsOf = async (db: Queryable, rest: SqlQuery): Promise<AttachmentView[]> => {
  const rows = await db.rows<PackedAttachment>(sql`${attachmentViews} ${rest}`)
  return rows.map((row) => unpackView(db, row))
}

const unpackView = (db: Queryable, { attachment, is_by_issuer }: PackedAttachment) => ({
  ...unpackRow(db.seals, 'attachments', attachment),
  is_by_issuer,
})

/** Newest first. Throws BrokenSeal if the history records one of the page whose row is gone. */
export const attachmentsOf = async (
  db: Queryable,
  document: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AttachmentView[]> => {
  const position = before === undefined ? sql`` : sql`and a.id < ${before}`
  const rows = await db.rows<PackedAttachment | { attachment: null; body: Buffer }>(sql`
    select attachment, is_by_issuer, null::bytea as body from (
      ${attachmentViews} where a.document_id = ${document} ${position}
      order by a.id desc limit ${limit}) page
    union all select null, null, body from (${bodiesOf(document)}) history`)
  const page = rows
    .flatMap((row) => (row.attachment === null ? [] : [unpackView(db, row)]))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const ids = new Set(page.map(({ id }) => id))
  const last = page.length < limit ? '' : page.at(-1)!.id
  for (const row of rows) {
    const id = row.attachment === null ? attachmentInStored(row.body) : undefined
    const isOfPage = id !== undefined && id >= last && (before === undefined || id < before)
    if (isOfPage && !ids.has(id)) throw missingRow('attachments', id)
  }
  return page
}

/** Throws BrokenSeal if there is none, although the history records it. */
export const attachmentById = async (
  db: Queryable,
  document: string,
  id: string,
): Promise<AttachmentView | undefined> => {
  const condition = sql`where a.document_id = ${document} and a.id = ${id}`
  const [row] = await attachmentViewsOf(db, condition)
  if (row !== undefined) return row
  const events = await db.rows<{ body: Buffer }>(bodiesOf(document))
  if (events.some(({ body }) => attachmentInStored(body) === id))
    throw missingRow('attachments', id)
  return undefined
}

export const attachmentIdsOf = (db: Queryable, document: string): Promise<{ id: string }[]> =>
  db.rows(sql`select id from attachments where document_id = ${document}`)

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

/** A reset does not hide it from the organization: what it issued before still shows it. */
export const attachmentUploadedBy = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<AttachmentView | undefined> =>
  (await attachmentViewsOf(db, sql`where a.id = ${id} and a.uploaded_by = ${organization}`))[0]

/** Whether any document has a row with this id, as it was written or not. */
export const hasAttachmentRow = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.row(sql`select 1 from attachments where id = ${id}`)) !== undefined
