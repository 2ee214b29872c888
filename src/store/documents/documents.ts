/** Documents as readers load them: by id, and in the packed form that lists use too. */
import type { FeedPositions } from '../../core/documents/document-visibility.ts'
import { type Queryable, sql, timestamp } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { columns } from '../../database/columns.ts'
import { type WithOrdinal, inKeyOrder } from '../../database/batch-loader.ts'
import { emptyIfNull, nullIfEmpty, packColumns, separator } from '../../database/packed-columns.ts'
import { type DocumentRecord, projectedColumns } from '../../core/documents/projection.ts'
import { isDocumentVisible } from '../visibility.ts'

const packedColumn = (column: (typeof projectedColumns)[number]): string =>
  columns.documents[column].endsWith('?') ? emptyIfNull(`d.${column}`) : `d.${column}`

/**
 * Two values per row instead of twenty: the small columns packed into one text, and `content`. No
 * packed column can contain the separator, since JSON text escapes it. Only an open offer needs the
 * clock of its issuer, so every other document costs no look-up.
 */
export const packedDocumentColumns = sql`${packColumns([
  ...projectedColumns.map(packedColumn),
  `case when d.lapses_after is not null then
    (select clock_offset_seconds from organizations where id = d.issuer_id) end`,
])}, d.content`

export interface PackedDocument {
  packed: string
  content: string
}

/** A document as readers need it. */
export interface LoadedDocument extends DocumentRecord {
  /** How far the issuer's clock is ahead; undefined unless the document is an open offer. */
  issuerClockSeconds: bigint | undefined
}

/** In the order of `projectedColumns`. */
export const unpackDocument = ({ packed, content }: PackedDocument): LoadedDocument => {
  const values = packed.split(separator)
  return {
    id: values[0]!,
    connection_id: values[1]!,
    issuer_id: values[2]!,
    counterparty_id: values[3]!,
    type: values[4]!,
    status: values[5]!,
    origin: values[6]!,
    revision: Number(values[7]),
    issuer_number: values[8]!,
    counterparty_number: nullIfEmpty(values[9]!),
    due_date: nullIfEmpty(values[10]!),
    total: BigInt(values[11]!),
    amount_paid: BigInt(values[12]!),
    amount_credited: BigInt(values[13]!),
    derived_count: Number(values[14]),
    metadata: values[15]!,
    dispute: nullIfEmpty(values[16]!),
    payment: nullIfEmpty(values[17]!),
    issued_at: values[18] === '' ? null : timestamp(values[18]!),
    created_at: timestamp(values[19]!),
    updated_at: timestamp(values[20]!),
    valid_until: nullIfEmpty(values[21]!),
    is_frozen: values[22] === 't',
    issuerClockSeconds: values[23] === undefined ? undefined : BigInt(values[23]),
    content,
  }
}

/** A document whose visibility has not been checked yet: `sideSeen` does. */
export interface PositionedDocument extends LoadedDocument, FeedPositions {}

/** The documents in the order of the ids. */
export const documentsById = async (
  db: Queryable,
  ids: readonly string[],
): Promise<(PositionedDocument | undefined)[]> => {
  const rows = await db.rows<PackedDocument & FeedPositions & WithOrdinal>(sql`
    select u.ordinal::int, ${packedDocumentColumns}, d.issuer_position, d.counterparty_position
    from unnest(${columnArray('uuid', ids)}::uuid[]) with ordinality u (id, ordinal)
    join documents d on d.id = u.id`)
  return inKeyOrder(rows, ids.length, (row) => ({
    ...unpackDocument(row),
    issuer_position: row.issuer_position,
    counterparty_position: row.counterparty_position,
  }))
}

/** Whether the same owner's organization in the other mode sees the document (contract 11). */
export const isDocumentOwnInOtherMode = async (
  db: Queryable,
  { id, organization }: { id: string; organization: string },
): Promise<boolean> => {
  const rows = await db.rows(sql`
    select 1 from documents d
    join organizations o on ${isDocumentVisible}
    join organizations c on c.id = ${organization}
    where d.id = ${id} and (o.sandbox_of = c.id or c.sandbox_of = o.id)`)
  return rows.length > 0
}
