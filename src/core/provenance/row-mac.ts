/**
 * The MAC on a document's row. It binds the columns that no event covers to the head of the
 * document's history, so that a change to one of them in the database is noticed.
 */
import { hmacSha256 } from '../hmac.ts'

/** Every column of `documents` is either covered by an event or listed here. */
const authenticatedColumns = [
  ...['document_date_given', 'valid_until_given', 'derived_count', 'derived_amount', 'terms_form'],
  ...['issuer_events', 'counterparty_events', 'issuer_position', 'counterparty_position'],
  'payment',
] as const

export type AuthenticatedRow = { id: string; head_seq: number; head_hash: Buffer } & Record<
  (typeof authenticatedColumns)[number],
  string | number | bigint | boolean | null
>

export const rowMac = (row: AuthenticatedRow, key: Buffer): Buffer => {
  const columns = authenticatedColumns.map((column) => `${column} ${row[column]}\n`).join('')
  const text = `svc-guard/1\n${row.id} ${row.head_seq}\n${columns}`
  return hmacSha256(key, Buffer.concat([Buffer.from(text), row.head_hash]))
}
