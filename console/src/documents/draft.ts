/** A draft as it is typed: texts, until the service reads them. */
import type { DocumentCreate, DocumentRecord, LineItemView } from '../api/types.ts'
import { numberOf, shiftedText, tidyNumber, typedNumber } from '../design/typed-numbers.ts'

export interface DraftLine {
  /** Tells the rows of the form apart. */
  id: number
  description: string
  quantity: string
  unitPrice: string
  /** In percent, as people write it. */
  taxPercent: string
  sku: string
  /** `10%`, or an amount of the whole line; empty for none. */
  discount: string
  /** The form does not show it, and keeps it. */
  taxCategory: LineItemView['tax_category']
}

export interface Draft {
  type: DocumentCreate['document_type']
  connection: string
  terms: string
  date: string
  reference: string
  notes: string
  /** Other references than one's own, which an edit must not lose. */
  otherReferences: DocumentRecord['external_refs']
  lines: readonly DraftLine[]
}

let lastLine = 0

export const newLine = (more: Partial<DraftLine> = {}): DraftLine => ({
  id: ++lastLine,
  description: '',
  quantity: '1',
  unitPrice: '',
  taxPercent: '0',
  sku: '',
  discount: '',
  taxCategory: null,
  ...more,
})

export const emptyDraft: Draft = {
  type: 'invoice',
  connection: '',
  terms: '',
  date: '',
  reference: '',
  notes: '',
  otherReferences: {},
  lines: [newLine()],
}

export const draftOf = (document: DocumentRecord): Draft => {
  const { issuer_ref: reference = '', ...otherReferences } = document.external_refs
  return {
    type: document.document_type as Draft['type'],
    connection: document.connection_id,
    terms: document.payment_terms ?? '',
    date: document.document_date,
    reference,
    otherReferences,
    notes: document.notes ?? '',
    lines: document.line_items.map((line) =>
      newLine({
        description: line.description,
        quantity: typedNumber(String(line.quantity)),
        unitPrice: typedNumber(String(line.unit_price)),
        taxPercent: typedNumber(shiftedText(String(line.tax_rate), 2)),
        sku: line.sku ?? '',
        discount: discountText(line),
        taxCategory: line.tax_category,
      }),
    ),
  }
}

/** What the API takes. Numbers stay as typed until here, so that no digit is lost on the way. */
export const bodyOf = (draft: Draft, isEdit: boolean) => ({
  ...(isEdit ? {} : { connection_id: draft.connection, document_type: draft.type }),
  ...(draft.terms === '' ? {} : { payment_terms: draft.terms }),
  ...(draft.date === '' ? {} : { document_date: draft.date }),
  external_refs: {
    ...draft.otherReferences,
    ...(draft.reference === '' ? {} : { issuer_ref: draft.reference }),
  },
  notes: draft.notes === '' ? null : draft.notes,
  line_items: draft.lines
    .filter(isSent)
    .map((line) => ({
      description: line.description,
      quantity: numberOf(line.quantity),
      unit_price: numberOf(line.unitPrice),
      tax_rate: numberOf(shiftedText(line.taxPercent, -2)),
      ...(line.sku === '' ? {} : { sku: line.sku }),
      ...discountOf(line.discount),
      ...(line.taxCategory === null ? {} : { tax_category: line.taxCategory }),
    })),
})

export const isOverAllTax = ({ taxPercent }: DraftLine): boolean =>
  Number(numberOf(taxPercent)) > 100

/** A line that says nothing yet is left out. */
export const isSent = ({ description, unitPrice }: DraftLine): boolean =>
  description !== '' || unitPrice !== ''

const discountText = ({ discount_type, discount_value }: LineItemView): string =>
  discount_type === null
    ? ''
    : `${typedNumber(String(discount_value))}${discount_type === 'percent' ? '%' : ''}`

const discountOf = (text: string) => {
  const discount = text.trim()
  if (discount === '') return {}
  const isPercent = discount.endsWith('%')
  return {
    discount_type: isPercent ? 'percent' : 'fixed',
    discount_value: numberOf(isPercent ? discount.slice(0, -1) : discount),
  }
}

/** Rows of a spreadsheet: description, quantity, unit price, tax percent, SKU, discount; titles are left out. */
export const linesFromTable = (text: string): DraftLine[] => {
  if (!text.includes('\t')) return []
  return text
    .split(/\r?\n/)
    .filter((row) => row.trim() !== '')
    .map((row) => row.split('\t'))
    .filter(([, quantity = '1'], i) => i > 0 || /\p{Nd}/u.test(quantity))
    .map(([description = '', quantity = '1', unitPrice = '', tax = '0', sku = '', discount = '']) =>
      newLine({
        description: unquoted(description),
        sku: unquoted(sku),
        quantity: tidyNumber(quantity),
        unitPrice: tidyNumber(unitPrice),
        taxPercent: tidyNumber(tax.replace('%', '')),
        discount: discount.trim(),
      }),
    )
}

/** A spreadsheet quotes what has quotes in it. */
const unquoted = (cell: string): string =>
  /^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell
