/** A document as CSV: a header and one row per line, each with the fields of the document. */
import { majorText } from '../money.ts'
import { csvRow } from './csv.ts'
import {
  type ExportedDocument,
  creditedInvoiceOf,
  exportedLinesOf,
  orderNumberOf,
} from './exported-document.ts'

const columns = [
  'mark',
  'document_type',
  'number',
  'document_date',
  'due_date',
  'issuer',
  'counterparty',
  'currency',
  'line',
  'sku',
  'description',
  'quantity',
  'unit_price',
  'discount',
  'net',
  'tax_category',
  'tax_percent',
  'tax_amount',
  'line_total',
  'subtotal',
  'tax',
  'total',
  'payment_terms',
  'credited_invoice',
  'order_number',
]

/** Amounts and quantities are never negative, so that no cell of theirs looks like a formula. */
export const documentCsv = (document: ExportedDocument): string => {
  const { content, type, number, isDraft, isSandbox } = document
  const mark = [...(isSandbox ? ['SANDBOX'] : []), ...(isDraft ? ['DRAFT'] : [])].join(' ')
  const rows = exportedLinesOf(content).map((line, i) => {
    const { discount, tax_amount, total } = content.line_items[i]!
    return csvRow([
      mark,
      type,
      number,
      content.document_date,
      content.due_date,
      content.issuer.name,
      content.counterparty.name,
      content.currency,
      line.id,
      line.sku,
      line.description,
      line.quantity,
      line.unitPrice,
      majorText(discount),
      line.net,
      line.category,
      line.rate,
      ...[tax_amount, total, content.subtotal, content.tax, content.total].map(majorText),
      content.payment_terms,
      creditedInvoiceOf(document)?.number ?? null,
      orderNumberOf(document) ?? null,
    ])
  })
  return csvRow(columns) + rows.join('')
}
