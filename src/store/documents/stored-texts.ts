/** Reads stored event envelopes and responses, with what they leave out: their document's text. */
import { limits } from '../../contract/limits.ts'
import { type KnownDocument, fullText, knownText } from '../../core/compact-text.ts'
import { receiptOf } from '../../core/provenance/history-event.ts'
import { nullIfEmpty, packed as pack, packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal, type RowSeals, separator } from '../../database/row-seals.ts'
import { type ResealedRows, isSealedUnderOther } from '../../database/sealed-rows.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, type SqlQuery, sql, timestamp } from '../../database/sql.ts'
import { sendUpdates } from '../../database/table-writes.ts'
import { contentShownBy } from './replaced-contents.ts'

/** What the document `d` of a stored text says. */
export interface ShownDocument {
  /** The content that it had at the time; null without a document. */
  content: string | null
  /** The columns of `KnownDocument`. */
  packed: string
}

export interface StoredEvent extends ShownDocument {
  /** The sealed columns. */
  event: string
  payload: Buffer
}

export interface StoredBody extends ShownDocument {
  body: Buffer
  is_encrypted: boolean
}

const knownColumns = sql`${pack([
  'd.connection_id',
  'd.issuer_id',
  'd.counterparty_id',
  'd.issuer_number',
  'd.id',
  'd.created_at',
])} as packed`

/** The columns of `ShownDocument`, for a row `e` of events or `i` of idempotency. */
export const shownDocument = (row: 'e' | 'i'): SqlQuery =>
  sql`${contentShownBy(row)} as content, ${knownColumns}`

/** The columns of `StoredEvent`, for a row `e` of events, left-joined with its document `d`. */
export const storedEvent = sql`${packedRow('events', 'e')} as event, e.payload,
  ${shownDocument('e')}`

/** An event as it was emitted, with its text; throws BrokenSeal if it is not. */
export const provenEvent = (
  seals: RowSeals,
  { event, ...stored }: StoredEvent,
): Rows['events'] & { text: string } => {
  let text = ''
  const row = unpackRow(seals, 'events', event, (columns) => {
    try {
      return (text = eventText({ ...columns, ...stored }))
    } catch {
      // What cannot be put together again is not what was stored.
      throw new BrokenSeal('events', columns.id)
    }
  })
  return { ...row, payload: stored.payload, text }
}

/** The text that stored columns stand for, whoever has written them. */
export const eventText = ({
  id,
  created_at,
  payload,
  content,
  packed,
}: Pick<Rows['events'], 'id' | 'created_at' | 'payload'> & ShownDocument): string =>
  fullText(payload, content, knownText(unpackKnown(packed)!, { id, created_at }))

/** The same for a response; an encrypted one stands for itself. */
export const responseText = ({ body, is_encrypted, content, packed }: StoredBody): string => {
  if (is_encrypted) return body.toString('base64')
  const document = unpackKnown(packed)
  return fullText(body, content, document === undefined ? '' : knownText(document))
}

export type StoredResponseRow = Rows['idempotency'] & ShownDocument & StoredReceipt

/** The event of the document that a response names; null without any. */
interface StoredReceipt {
  stream_salt: Buffer | null
  event_hash: Buffer | null
}

/** The columns of `StoredResponseRow`, for a row `i` of idempotency with its document `d`. */
export const storedResponse = sql`i.*, ${shownDocument('i')}, d.stream_salt,
  (select e.hash from prov_event e
    where e.document_id = i.document_id and e.seq = i.revision) as event_hash`

/** What a response is put together from: its text and its header `Svc-Event`. */
export const responseParts = (row: StoredResponseRow): { text: string; receipt: string | null } => {
  const { document_id: id, revision, stream_salt, event_hash } = row
  const text = responseText(row)
  if (id === null || stream_salt === null || event_hash === null) return { text, receipt: null }
  const head = { id, stream_salt, head_seq: revision!, head_hash: event_hash }
  return { text, receipt: receiptOf(head) ?? null }
}

/** A response with its parts, and whether all is as the service stored it. */
export const provenResponse = (
  seals: RowSeals,
  row: StoredResponseRow,
): Rows['idempotency'] & ReturnType<typeof responseParts> & { isAsSealed: boolean } => {
  try {
    const parts = responseParts(row)
    return { ...row, ...parts, isAsSealed: seals.holds('idempotency', { ...row, ...parts }) }
  } catch {
    return { ...row, text: '', receipt: null, isAsSealed: false }
  }
}

/** Seals every event as it is, under the newest key; see `sealRows`. */
export const sealEvents = async (tx: Queryable): Promise<number> => {
  let count = 0
  let after = sql``
  for (;;) {
    const rows = await tx.rows<Rows['events'] & ShownDocument>(sql`
      select e.*, ${shownDocument('e')} from events e join documents d on d.id = e.document_id
      where true ${after} order by e.id, e.organization_id limit ${limits.sealedRowsPerRound}`)
    const last = rows.at(-1)
    if (last === undefined) return count
    const events = rows.map((row) => ({ ...row, text: eventText(row) }))
    count += await sendUpdates(tx, 'events', {
      key: ['organization_id', 'id'],
      set: [],
      rows: events,
    })
    after = sql`and (e.id, e.organization_id) > (${last.id}, ${last.organization_id})`
  }
}

/** The same as `resealRows` for events. */
export const resealEvents = async (
  tx: Queryable,
  after: SqlQuery | undefined,
): Promise<ResealedRows> => {
  const others = isSealedUnderOther(tx.seals.generation!, 'e')
  const found = await tx.rows<Rows['events'] & ShownDocument>(sql`
    select e.*, ${shownDocument('e')} from events e left join documents d on d.id = e.document_id
    where ${others} ${after ?? sql``}
    order by e.id, e.organization_id limit ${limits.sealedRowsPerRound} for no key update of e skip locked`)
  const rows = found.map((row) => provenText(tx.seals, row))
  const holding = rows.filter((row) => row !== undefined)
  if (holding.length > 0)
    await sendUpdates(tx, 'events', { key: ['organization_id', 'id'], set: [], rows: holding })
  const last = found.at(-1)
  return {
    resealed: holding.length,
    broken: found.filter((_, i) => rows[i] === undefined).map(({ id }) => id),
    after:
      last === undefined || found.length < limits.sealedRowsPerRound
        ? undefined
        : sql`and (e.id, e.organization_id) > (${last.id}, ${last.organization_id})`,
  }
}

/** The event with its text, if both are as they were sealed. */
const provenText = <E extends Rows['events'] & ShownDocument>(
  seals: RowSeals,
  row: E,
): (E & { text: string }) | undefined => {
  try {
    const event = { ...row, text: eventText(row) }
    return seals.holds('events', event) ? event : undefined
  } catch {
    // What cannot be put together again is not what was stored.
    return undefined
  }
}

const unpackKnown = (packed: string): KnownDocument | undefined => {
  if (nullIfEmpty(packed) === null) return undefined
  const values = packed.split(separator)
  return {
    connection_id: values[0]!,
    issuer_id: values[1]!,
    counterparty_id: values[2]!,
    issuer_number: values[3]!,
    id: values[4]!,
    created_at: timestamp(values[5]!),
  }
}
