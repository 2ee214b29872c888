/** Reads stored event envelopes and responses, with what they leave out: their document's text. */
import { type KnownDocument, fullText, knownText } from '../../core/compact-text.ts'
import { nullIfEmpty, packed as pack } from '../../database/packed-rows.ts'
import { separator } from '../../database/row-seals.ts'
import { type SqlQuery, sql, timestamp } from '../../database/sql.ts'
import { contentShownBy } from './replaced-contents.ts'

/** What the document `d` of a stored text says. */
export interface ShownDocument {
  /** The content that it had at the time; null without a document. */
  content: string | null
  /** The columns of `KnownDocument`. */
  packed: string
}

export interface StoredEvent extends ShownDocument {
  id: string
  created_at: string
  payload: Buffer
}

export interface StoredBody extends ShownDocument {
  body: Buffer
}

const knownColumns = sql`${pack([
  ...['d.connection_id', 'd.issuer_id', 'd.counterparty_id', 'd.issuer_number', 'd.id'],
  'd.created_at',
])} as packed`

/** The columns of `ShownDocument`, for a row `e` of events or `i` of idempotency. */
export const shownDocument = (row: 'e' | 'i'): SqlQuery =>
  sql`${contentShownBy(row)} as content, ${knownColumns}`

export const eventText = ({ id, created_at, payload, content, packed }: StoredEvent): string =>
  fullText(payload, content, knownText(unpackKnown(packed)!, { id, created_at }))

export const responseText = ({ body, content, packed }: StoredBody): string => {
  const document = unpackKnown(packed)
  return fullText(body, content, document === undefined ? '' : knownText(document))
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
