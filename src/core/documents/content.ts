/**
 * The content of a document: the part that is the same for both viewers and changes only while it
 * is a draft. It is stored as JSON text in `documents.content` and spliced into every response.
 */
import type { LineItem } from '../../contract/shapes/line-items.ts'
import type { Relation } from '../../contract/conversions.ts'
import { fromMinor } from '../money.ts'
import type { EarlyPayment } from './payment-terms.ts'
import type { Totals } from './totals.ts'

export interface Party {
  organization_id: string
  name: string
}

export interface DocumentReference {
  rel: Relation
  document_id: string
}

export interface ContentTerms {
  document_date: string
  due_date: string | null
  net_days: number | null
  early_payment: EarlyPayment | null
  payment_terms: string | null
  valid_until: string | null
}

export interface ContentDetails {
  currency: string
  notes: string | null
  external_refs: Record<string, string>
  references: readonly DocumentReference[]
  issuer: Party
  counterparty: Party
}

/** The fields as sent, null where they were omitted, and the derived amounts. */
const lineView = (line: LineItem, totals: Totals['lines'][number], index: number) => ({
  line: index + 1,
  description: line.description,
  quantity: line.quantity,
  unit_price: line.unit_price,
  tax_rate: line.tax_rate,
  sku: line.sku ?? null,
  discount_type: line.discount_type ?? null,
  discount_value: line.discount_value ?? null,
  tax_category: line.tax_category ?? null,
  gross: fromMinor(totals.gross),
  discount: fromMinor(totals.discount),
  net: fromMinor(totals.net),
  tax_amount: fromMinor(totals.tax_amount),
  total: fromMinor(totals.total),
})

const pricedLines = (lines: readonly LineItem[], totals: Totals) => ({
  line_items: lines.map((line, i) => lineView(line, totals.lines[i]!, i)),
  subtotal: fromMinor(totals.subtotal),
  discount_total: fromMinor(totals.discount_total),
  tax: fromMinor(totals.tax),
  tax_breakdown: totals.tax_breakdown.map((group) => ({
    tax_rate: group.tax_rate,
    taxable: fromMinor(group.taxable),
    tax: fromMinor(group.tax),
  })),
  total: fromMinor(totals.total),
})

export type DocumentContent = ContentTerms & ContentDetails & ReturnType<typeof pricedLines>

export const buildContent = (
  terms: ContentTerms,
  details: ContentDetails,
  lines: readonly LineItem[],
  totals: Totals,
): DocumentContent => ({
  ...pickTerms(terms),
  ...pricedLines(lines, totals),
  ...pickDetails(details),
})

/** Replaces terms and details; the priced lines stay. */
export const patchContent = (
  content: DocumentContent,
  change: Partial<ContentTerms & ContentDetails>,
): DocumentContent => ({ ...content, ...change })

const pickTerms = (terms: ContentTerms): ContentTerms => ({
  document_date: terms.document_date,
  due_date: terms.due_date,
  net_days: terms.net_days,
  early_payment: terms.early_payment,
  valid_until: terms.valid_until,
  payment_terms: terms.payment_terms,
})

const pickDetails = (details: ContentDetails): ContentDetails => ({
  currency: details.currency,
  notes: details.notes,
  external_refs: details.external_refs,
  references: details.references,
  issuer: details.issuer,
  counterparty: details.counterparty,
})

/** The same for a content that may not be needed: it is parsed at the first use. */
export const lazyContent = (text: string): (() => DocumentContent) => {
  let content: DocumentContent | undefined
  return () => (content ??= parseContent(text))
}

/** Without parsing it, from its end. In a value, the quotes would be escaped. */
export const hasReferences = (text: string): boolean => text.lastIndexOf('"references":[]') < 0

export const parseContent = (text: string): DocumentContent => JSON.parse(text) as DocumentContent
