/**
 * Fields that callers often send to operations that do not have them: what to do instead, and the
 * names of the same things in other programs (contract 2: messages teach).
 */
import type { Problem } from './problem.ts'

export type UnknownFieldHints = Readonly<
  Record<string, Pick<Problem, 'code' | 'message'> & { fix: string }>
>

const taxIsPerLine = {
  code: 'tax_is_per_line',
  message: 'Each line has its own tax; that of the document is derived from its lines.',
  fix: 'set line_items[].tax_rate on each line',
} as const

const discountIsPerLine = {
  code: 'unknown_field',
  message: 'Discounts are given on the lines, before tax.',
  fix: 'set line_items[].discount_type and discount_value',
} as const

/** A document-level tax field is refused with a teaching error (specification 7). */
export const documentFieldHints: UnknownFieldHints = {
  tax: taxIsPerLine,
  tax_rate: taxIsPerLine,
  tax_amount: taxIsPerLine,
  vat: taxIsPerLine,
  vat_rate: taxIsPerLine,
  discount: discountIsPerLine,
  discount_type: discountIsPerLine,
  discount_value: discountIsPerLine,
  discount_percent: discountIsPerLine,
  discount_amount: discountIsPerLine,
}

/** POST /pay pays the whole balance, now. */
export const payFieldHints: UnknownFieldHints = {
  amount: {
    code: 'unknown_field',
    message: 'A payment is always of the whole balance.',
    fix: 'omit amount; to lower the balance, issue a credit note',
  },
  early_payment: {
    code: 'unknown_field',
    message: 'A payment is always of the whole balance: the terms only state their discount.',
    fix: 'omit it; the issuer grants the discount with a credit note',
  },
  scheduled_for: {
    code: 'unknown_field',
    message: 'This operation pays now.',
    fix: 'POST /v1/documents/{id}/transition with {"to": "payment_scheduled", "scheduled_for": …}',
  },
}

const foundBySearch = (operator: string) =>
  ({
    code: 'unknown_field',
    message: 'This is no parameter: the search finds documents by it.',
    fix: `send query=${operator}`,
  }) as const

const partyIsSearched = foundBySearch('party:NAME, or connection with the id of the connection')

/** What the search of the document list finds, and no parameter of its own. */
export const documentFilterHints: UnknownFieldHints = {
  overdue: foundBySearch('is:overdue'),
  number: foundBySearch('number:INV-000001'),
  issuer_number: foundBySearch('number:INV-000001'),
  total: foundBySearch('total:>1000'),
  counterparty: partyIsSearched,
  customer: partyIsSearched,
  supplier: partyIsSearched,
  vendor: partyIsSearched,
}

/** What other programs call fields of documents and their lines, and parameters of lists. */
const namesElsewhere: Readonly<Record<string, readonly string[]>> = {
  connection_id: [
    'customer',
    'customer_id',
    'buyer',
    'buyer_id',
    'client',
    'client_id',
    'counterparty',
    'counterparty_id',
    'recipient',
    'recipient_id',
  ],
  document_type: ['type', 'kind', 'to', 'target_type'],
  document_id: ['id', 'invoice_id', 'bill_id'],
  line_items: ['lines', 'items', 'positions', 'rows'],
  document_date: ['date', 'issue_date', 'invoice_date'],
  payment_terms: ['terms'],
  valid_until: ['expires_at', 'expiry_date', 'valid_to'],
  notes: ['memo', 'comment', 'comments', 'remarks'],
  description: ['name', 'title', 'text', 'item', 'item_name', 'product', 'product_name'],
  quantity: ['qty', 'count', 'units'],
  unit_price: ['price', 'net_price', 'unit_cost', 'unit_amount', 'price_per_unit'],
  tax_rate: ['tax', 'vat', 'gst', 'tax_percent', 'vat_percent', 'vat_rate'],
  sku: ['item_code', 'item_number', 'product_code', 'article_number', 'part_number'],
  'discount_type and discount_value': [
    'discount',
    'discount_percent',
    'discount_percentage',
    'discount_rate',
    'discount_amount',
  ],
  query: ['q', 'search', 'search_query'],
  q: ['query', 'search', 'search_query', 'text'],
  limit: ['per_page', 'page_size', 'max_results'],
  cursor: ['page', 'offset', 'page_token', 'next_cursor', 'starting_after'],
  status: ['state'],
  since: ['from', 'date_from', 'from_date', 'start_date', 'created_after'],
  until: ['to', 'date_to', 'to_date', 'end_date', 'created_before'],
  due_from: ['due_after'],
  due_to: ['due_before'],
}

const fieldsByNameElsewhere = new Map<string, string[]>()
for (const [fields, names] of Object.entries(namesElsewhere)) {
  for (const name of names) {
    fieldsByNameElsewhere.set(name, [...(fieldsByNameElsewhere.get(name) ?? []), fields])
  }
}

/** The fields of a place that other programs call so, such as `unit_price` for `price`. */
export const fieldsCalled = (name: string, known: readonly string[]): string | undefined =>
  fieldsByNameElsewhere
    .get(name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase())
    ?.find((fields) => fields.split(' and ').every((field) => known.includes(field)))
