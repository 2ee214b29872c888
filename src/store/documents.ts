/** Documents as they are read: one by id, and pages of a viewer's list. */
import { type Session, raw, sql, timestamp } from '../sql.ts'
import { columnArray } from './arrays.ts'
import type { Rows } from './rows.ts'

const text = (value: string): string => value
const orNull = (value: string): string | null => (value === '' ? null : value)
const time = (value: string): string | null => (value === '' ? null : timestamp(value))

/** The small columns that a projection needs (no provenance, no counters), and how each is read. */
const readers = {
  id: text,
  connection_id: text,
  issuer_id: text,
  counterparty_id: text,
  type: text,
  status: text,
  origin: text,
  revision: Number,
  issuer_number: text,
  counterparty_number: orNull,
  due_date: orNull,
  total: BigInt,
  amount_paid: BigInt,
  amount_credited: BigInt,
  metadata: text,
  dispute: orNull,
  issued_at: time,
  created_at: time,
  updated_at: time,
} as const
const columns = Object.keys(readers) as (keyof typeof readers)[]

export type ReadDocument = Pick<Rows['documents'], keyof typeof readers | 'content'>

/** Stands between the small columns; none of them can hold it, since JSON text escapes it. */
const separator = '\u001f'

/**
 * Two values a row instead of twenty: what the driver costs, it costs per value. The small columns
 * travel as one text (null as nothing), `content` alone as the text it is.
 */
export const packedColumns = raw(
  `concat(${columns.map((column) => `d.${column}`).join(`, E'\\x1f', `)}) as packed, d.content`,
)

export interface PackedDocument {
  packed: string
  content: string
}

export const unpacked = ({ packed, content }: PackedDocument): ReadDocument => {
  const values = packed.split(separator)
  const document: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i += 1) {
    const column = columns[i]!
    document[column] = readers[column](values[i]!)
  }
  document['content'] = content
  return document as ReadDocument
}

export interface DocumentKey {
  id: string
  organization: string
}

/** The documents that their askers may see, each at the place of its key. */
export const documentsFor = async (
  session: Session,
  keys: readonly DocumentKey[],
): Promise<(ReadDocument | undefined)[]> => {
  const ids = keys.map((key) => key.id)
  const askers = keys.map((key) => key.organization)
  const rows = await session.rows<PackedDocument & { asked: bigint }>(sql`
    select u.asked, ${packedColumns}
    from unnest(${columnArray('uuid', ids)}::uuid[], ${columnArray('uuid', askers)}::uuid[])
      with ordinality u (id, organization_id, asked)
    join documents d on d.id = u.id and (d.issuer_id = u.organization_id
      or (d.counterparty_id = u.organization_id and d.issued_at is not null))`)
  const found: (ReadDocument | undefined)[] = Array.from({ length: keys.length })
  for (const row of rows) found[Number(row.asked) - 1] = unpacked(row)
  return found
}

/** Whether the document belongs to the same owner's organization in the other mode (contract 11). */
export const isOwnInOtherMode = async (
  session: Session,
  { id, organization }: DocumentKey,
): Promise<boolean> => {
  const rows = await session.rows(sql`
    select 1 from documents d
    join organizations o on o.id = d.issuer_id or (o.id = d.counterparty_id and d.issued_at is not null)
    join organizations c on c.id = ${organization}
    where d.id = ${id} and (o.sandbox_of = c.id or c.sandbox_of = o.id)`)
  return rows.length > 0
}
