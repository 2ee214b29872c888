/**
 * What both parties hold of a document, in the form that is hashed (provenance 1.2): amounts,
 * quantities and rates as decimal strings, external_refs as sorted pairs, every other number a
 * safe integer.
 */
import { type Content, readContent } from './content.ts'
import { encodeId } from './ids.ts'
import { decimalText, exactMinor, minorText } from './money.ts'
import { type DocumentRecord, balanceDue } from './project.ts'

/** How the numbers of a field are written. Fields that are not listed hold integers. */
const numberText: Record<string, (value: number) => string> = {
  ...Object.fromEntries(
    [
      'gross',
      'discount',
      'net',
      'tax_amount',
      'total',
      'subtotal',
      'discount_total',
      'tax',
      'taxable',
    ].map((field) => [field, (value: number) => minorText(exactMinor(value)!)]),
  ),
  ...Object.fromEntries(
    ['quantity', 'unit_price', 'tax_rate', 'discount_value', 'percent'].map((field) => [
      field,
      decimalText,
    ]),
  ),
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

const written = (field: string, value: Json): Json => {
  if (typeof value === 'number') return numberText[field]?.(value) ?? value
  if (Array.isArray(value)) return value.map((item) => written(field, item))
  if (value === null || typeof value !== 'object') return value
  if (field === 'external_refs' || field === 'metadata') return sortedPairs(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, written(name, inner)]),
  )
}

/** Sorted by UTF-16 code units, as the canonical form sorts keys. */
const sortedPairs = (map: { readonly [name: string]: Json }): Json =>
  Object.entries(map)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, value])

/** The content of a document, for hashing. */
export const writtenContent = (content: Content): { [name: string]: Json } =>
  written('', content as unknown as Json) as { [name: string]: Json }

export const writtenMetadata = (metadata: Readonly<Record<string, string>>): Json =>
  sortedPairs(metadata)

/** The fields of a document that move after issue. */
export const movingState = (document: DocumentRecord): { [name: string]: Json } => ({
  status: document.status,
  amount_paid: minorText(document.amount_paid),
  amount_credited: minorText(document.amount_credited),
  balance_due: minorText(balanceDue(document)),
  dispute: document.dispute === null ? null : (JSON.parse(document.dispute) as Json),
})

/** Everything that both parties hold. */
export const sharedState = (document: DocumentRecord): { [name: string]: Json } => ({
  connection_id: encodeId('con', document.connection_id),
  document_type: document.type,
  origin: document.origin,
  issuer_number: document.issuer_number,
  issued_at: document.issued_at,
  ...writtenContent(readContent(document.content)),
  ...movingState(document),
})
