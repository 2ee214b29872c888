/**
 * A document as exports show it: as it was issued, the same for both parties (domain 7). Later
 * payments and credits are other documents, and only the invoice response says what the buyer has
 * answered since. Amounts are texts of exact decimals.
 */
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import type { DocumentContent, DocumentReference } from '../documents/content.ts'
import type { InvoiceAnswer } from './invoice-answer.ts'
import { decimalText, majorText, minorText, parseDecimal, parseMinor } from '../money.ts'

/** A document that this one refers to, as far as exports name it. */
export interface ReferencedDocument {
  rel: DocumentReference['rel']
  document_type: string
  number: string
  date: string
}

export interface ExportedDocument {
  type: DocumentTypeName
  /** The issuer's number (BT-1). */
  number: string
  content: DocumentContent
  parties: Readonly<Record<Side, Profile>>
  references: readonly ReferencedDocument[]
  /** The relation of both parties, where a buyer has given no reference of its own. */
  connection: string
  isDraft: boolean
  isSandbox: boolean
  /** For the response to an invoice or credit note. */
  answer?: InvoiceAnswer
}

/** What Peppol BIS Billing 3.0 calls its specification (BT-24) and its process (BT-23). */
export const peppolBilling = {
  customization: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
  profile: 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
} as const

/** What EN 16931 is about. */
export const isInvoice = ({ type }: ExportedDocument): boolean =>
  type === 'invoice' || type === 'credit_note'

type Line = DocumentContent['line_items'][number]

type TaxOfLine = Pick<Line, 'tax_category' | 'tax_rate'>

/** S for rates above zero, else Z, unless the line says otherwise. */
export const taxCategoryOf = ({ tax_category, tax_rate }: TaxOfLine): string =>
  tax_category ?? (tax_rate > 0 ? 'S' : 'Z')

/** 0.0825 → "8.25": the digits are shifted, not multiplied. */
export const percentText = (rate: number): string => {
  const { unscaled, scale } = parseDecimal(rate)!
  if (scale <= 2) return String(unscaled * 10n ** BigInt(2 - scale))
  const digits = String(unscaled).padStart(scale - 1, '0')
  const point = digits.length - (scale - 2)
  return `${digits.slice(0, point)}.${digits.slice(point)}`
}

export interface TaxGroup {
  category: string
  /** In percent. */
  rate: string
  taxable: string
  tax: string
}

/** One per category and rate, in the order of the lines (BG-23). */
export const taxGroupsOf = ({ line_items }: DocumentContent): TaxGroup[] => {
  const groups = Map.groupBy(line_items, (line) => `${taxCategoryOf(line)} ${line.tax_rate}`)
  return [...groups.values()].map((lines) => ({
    category: taxCategoryOf(lines[0]!),
    rate: percentText(lines[0]!.tax_rate),
    taxable: sumOf(lines, 'net'),
    tax: sumOf(lines, 'tax_amount'),
  }))
}

const sumOf = (lines: readonly Line[], field: 'net' | 'tax_amount'): string =>
  minorText(lines.reduce((sum, line) => sum + parseMinor(line[field])!, 0n))

export interface ExportedLine {
  id: string
  description: string
  sku: string | null
  quantity: string
  unitPrice: string
  category: string
  rate: string
  net: string
  /** Undefined without a discount; `percent` if it was given so. */
  discount: { amount: string; base: string; percent: string | undefined } | undefined
}

export const exportedLinesOf = ({ line_items }: DocumentContent): ExportedLine[] =>
  line_items.map((line) => ({
    id: String(line.line),
    description: line.description,
    sku: line.sku,
    quantity: decimalText(line.quantity),
    unitPrice: decimalText(line.unit_price),
    category: taxCategoryOf(line),
    rate: percentText(line.tax_rate),
    net: majorText(line.net),
    discount:
      line.discount === 0
        ? undefined
        : {
            amount: majorText(line.discount),
            base: majorText(line.gross),
            percent:
              line.discount_type === 'percent' ? decimalText(line.discount_value!) : undefined,
          },
  }))

/** Why a category is not taxed (BT-120 and BT-121). */
export const exemptions: Readonly<Record<string, { code?: string; reason: string }>> = {
  E: { reason: 'Exempt from tax' },
  AE: { code: 'VATEX-EU-AE', reason: 'Reverse charge' },
  K: { code: 'VATEX-EU-IC', reason: 'Intra-Community supply' },
  G: { code: 'VATEX-EU-G', reason: 'Export outside the EU' },
  O: { code: 'VATEX-EU-O', reason: 'Not subject to VAT' },
}

/** Whether a VAT number would be wrong (BR-O-02): nothing in the document is subject to VAT. */
export const isOutsideVat = ({ content }: ExportedDocument): boolean =>
  content.line_items.every((line) => taxCategoryOf(line) === 'O')

export const hasCategory = ({ content }: ExportedDocument, ...categories: string[]): boolean =>
  content.line_items.some((line) => categories.includes(taxCategoryOf(line)))

/** Before the text of a note in UBL whose subject has no code (BT-21). */
export const noSubject = '#ZZZ#'

/** The note, after the marks. */
export const noteOf = (document: ExportedDocument): string | undefined =>
  textOf([marksOf(document), document.content.notes])

/** What marks a document that nobody owes anything for. */
export const marksOf = ({ isDraft, isSandbox }: ExportedDocument): string | undefined =>
  textOf([isSandbox ? sandboxMark : undefined, isDraft ? draftMark : undefined])

const sandboxMark = 'SANDBOX: NO LEGAL EFFECT.'
const draftMark = 'DRAFT: NOT ISSUED.'

/** A note of a file without the marks that an export put before it, and these. */
export const withoutMarks = (note: string): { text: string; marks: string[] } => {
  const marks: string[] = []
  let text = note
  for (const mark of [sandboxMark, draftMark]) {
    const [first, ...others] = text.split('\n')
    if (first?.trim() !== mark) continue
    marks.push(mark)
    text = others.join('\n')
  }
  return { text, marks }
}

const textOf = (lines: readonly (string | null | undefined)[]): string | undefined =>
  lines
    .filter((line) => line != null)
    .join('\n')
    .trim() || undefined

/** What stands for the terms of a document that has none. */
export const noTerms = 'No payment terms stated'

/** An amount due needs a date or terms (BR-CO-25); terms that were not agreed are not stated. */
export const paymentTermsOf = ({ content }: ExportedDocument): string | undefined => {
  const { payment_terms, due_date, total } = content
  return payment_terms ?? (due_date === null && total > 0 ? noTerms : undefined)
}

/** The number of the order on record, else the one that the issuer has stated (BT-13). */
export const orderNumberOf = (document: ExportedDocument): string | undefined =>
  document.references.find(({ document_type }) => document_type === 'purchase_order')?.number ??
  (document.content.external_refs['order_ref']?.trim() || undefined)

export const creditedInvoiceOf = ({
  references,
}: ExportedDocument): ReferencedDocument | undefined =>
  references.find(({ rel }) => rel === 'credits')

/** What the buyer routes the document by (BT-10); Peppol wants one always. */
export const buyerReferenceOf = ({ content, connection }: ExportedDocument): string => {
  const { buyer_ref, buyer_reference } = content.external_refs
  return buyer_ref?.trim() || buyer_reference?.trim() || connection
}

export const totalsOf = ({ content }: ExportedDocument) => ({
  subtotal: majorText(content.subtotal),
  tax: majorText(content.tax),
  total: majorText(content.total),
})
