/**
 * The part of a document that both viewers read alike, and that moves only while it is a draft:
 * built here, stored as JSON text in `documents.content`, and spliced into every answer.
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

/** What content is made of besides the lines. */
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

/**
 * An output line holds what was sent, with null for what was left out, and what follows from it.
 */
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
  wording: ContentDetails,
  lines: readonly LineItem[],
  totals: Totals,
): DocumentContent => ({
  ...pickTerms(terms),
  ...pricedLines(lines, totals),
  ...pickDetails(wording),
})

/** Content with some of its parts replaced; the lines stay as they are priced. */
export const patchContent = (
  content: DocumentContent,
  change: Partial<ContentTerms & ContentDetails>,
): DocumentContent => ({
  ...content,
  ...change,
})

const pickTerms = (terms: ContentTerms): ContentTerms => ({
  document_date: terms.document_date,
  due_date: terms.due_date,
  net_days: terms.net_days,
  early_payment: terms.early_payment,
  valid_until: terms.valid_until,
  payment_terms: terms.payment_terms,
})

const pickDetails = (wording: ContentDetails): ContentDetails => ({
  currency: wording.currency,
  notes: wording.notes,
  external_refs: wording.external_refs,
  references: wording.references,
  issuer: wording.issuer,
  counterparty: wording.counterparty,
})

export const parseContent = (text: string): DocumentContent => JSON.parse(text) as DocumentContent
