/** Everything stored about one document's history. Callers read it in one snapshot. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { LogId } from '../../core/provenance/signed-notes.ts'
import type { Rows } from '../../database/rows.ts'
import { logKeys, newestCheckpoint } from './transparency-log.ts'
import { selectList } from '../../database/table-writes.ts'

/** A link, with the columns that identify the other document in a history. */
export type StoredLink = Rows['document_links'] & {
  peer_type: string
  peer_salt: Buffer
  peer_issued: boolean
  peer_events: number
}

export interface StoredRecord {
  document: Rows['documents'] | undefined
  views: readonly Rows['document_views'][]
  /** The reset positions of both parties: their lists begin after them. */
  resetPositions: Readonly<Record<'issuer' | 'counterparty', bigint>>
  events: readonly Rows['prov_event'][]
  leaves: readonly Rows['log_leaf'][]
  links: readonly StoredLink[]
  headNotes: readonly Rows['head_note'][]
  checkpoint: Rows['log_checkpoint'] | undefined
  keys: readonly Rows['log_key'][]
}

export const storedRecord = async (
  db: Queryable,
  id: string,
  log: string,
): Promise<StoredRecord> => {
  const [documents, views, events, leaves, links, headNotes, checkpoint, keys] = await Promise.all([
    documentOf(db, id),
    viewsOf(db, id),
    db.rows<Rows['prov_event']>(
      sql`select * from prov_event where document_id = ${id} order by seq`,
    ),
    leavesOf(db, id),
    linksOf(db, id),
    db.rows<Rows['head_note']>(
      sql`select * from head_note where document_id = ${id} order by seq desc limit 1`,
    ),
    newestCheckpoint(db, log),
    logKeys(db, log),
  ])
  const [document] = documents
  const resetPositions = {
    issuer: document?.issuer_begin ?? 0n,
    counterparty: document?.counterparty_begin ?? 0n,
  }
  return { document, views, resetPositions, events, leaves, links, headNotes, checkpoint, keys }
}

/** The document, with the reset positions of both parties. */
const documentOf = (
  db: Queryable,
  id: string,
): Promise<(Rows['documents'] & { issuer_begin: bigint; counterparty_begin: bigint })[]> =>
  db.rows(sql`
    select ${selectList('documents', 'd')},
      i.reset_position as issuer_begin, c.reset_position as counterparty_begin
    from documents d
    left join organizations i on i.id = d.issuer_id
    left join organizations c on c.id = d.counterparty_id
    where d.id = ${id}`)

const leavesOf = (db: Queryable, id: string): Promise<Rows['log_leaf'][]> =>
  db.rows(sql`select * from log_leaf where document_id = ${id} order by seq`)

/** Histories know of no draft that refers to the document, and there may be many. */
const linksOf = (db: Queryable, id: string): Promise<StoredLink[]> =>
  db.rows<StoredLink>(sql`
    select l.*, p.type as peer_type, p.stream_salt as peer_salt,
      p.issued_at is not null as peer_issued, p.head_seq as peer_events
    from document_links l
    join documents p on p.id = case when l.from_id = ${id} then l.to_id else l.from_id end
    where (l.from_id = ${id} or l.to_id = ${id}) and (l.from_id = ${id} or p.issued_at is not null)`)

/** The list rows of both sides, at the positions that the document names. */
const viewsOf = (db: Queryable, id: string): Promise<Rows['document_views'][]> =>
  db.rows<Rows['document_views']>(sql`
    select v.* from documents d join document_views v
      on (v.organization_id = d.issuer_id and v.position = d.issuer_position)
      or (v.organization_id = d.counterparty_id and v.position = d.counterparty_position)
    where d.id = ${id}`)

/** The document's events that are still queued for the log. */
export const queuedEvents = (db: Queryable, id: string): Promise<Rows['log_queue'][]> =>
  db.rows<Rows['log_queue']>(sql`select * from log_queue where document_id = ${id}`)

export interface RecordedEvents {
  streamSalt: Buffer
  log: LogId
  events: readonly Rows['prov_event'][]
  leaves: readonly Rows['log_leaf'][]
}

/** The events of a document, with the salt of their stream and their places in the log. */
export const recordedEvents = async (db: Queryable, document: string): Promise<RecordedEvents> => {
  const [row, events, leaves] = await Promise.all([
    db.row<{ stream_salt: Buffer; mode: LogId }>(
      sql`select stream_salt, mode from documents where id = ${document}`,
    ),
    db.rows<Rows['prov_event']>(
      sql`select * from prov_event where document_id = ${document} order by seq`,
    ),
    leavesOf(db, document),
  ])
  return { streamSalt: row!.stream_salt, log: row!.mode, events, leaves }
}

/** Undefined if there is no such document. */
export const modeOfDocument = async (db: Queryable, document: string): Promise<LogId | undefined> =>
  (await db.row<{ mode: LogId }>(sql`select mode from documents where id = ${document}`))?.mode

/** The events' bodies, which show that a lost document existed and who its parties were. */
export const eventBodies = (
  db: Queryable,
  id: string,
): Promise<Pick<Rows['prov_event'], 'shared_body' | 'issuer_body'>[]> =>
  db.rows(sql`
    select shared_body, issuer_body from prov_event where document_id = ${id} order by seq`)

/** Saves the note, unless the head has one already, and returns the stored note. */
export const saveHeadNote = async (
  db: Queryable,
  { document_id, seq, note }: Rows['head_note'],
): Promise<string> => {
  await db.run(sql`
    insert into head_note (document_id, seq, note) values (${document_id}, ${seq}, ${note})
    on conflict do nothing`)
  const stored = await db.row<{ note: string }>(
    sql`select note from head_note where document_id = ${document_id} and seq = ${seq}`,
  )
  return stored!.note
}
