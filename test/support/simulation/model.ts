/**
 * A model of the documents that a walk over the API creates: totals in exact fractions, states from
 * the shared vectors, numbers by counting. It shares no code with the service.
 */
import { readFileSync } from 'node:fs'

/** An integer n represents n / 10^12. */
type ScaledDecimal = bigint
const scale = 12
const unit = 10n ** BigInt(scale)

const scaledDecimal = (value: number): ScaledDecimal => {
  const [whole = '0', fraction = ''] = plainDecimal(value).split('.')
  return BigInt(whole) * unit + BigInt(fraction.padEnd(scale, '0'))
}

/** Writes 1e-6 as 0.000001. */
const plainDecimal = (value: number): string => (value < 1e-5 ? value.toFixed(6) : String(value))

/** Rounds an exact number, scaled `times` times, to cents, half up. */
const cents = (value: bigint, times: number): bigint => {
  const divisor = unit ** BigInt(times)
  return (value * 100n * 2n + divisor) / (2n * divisor)
}

export interface Line {
  description: string
  quantity: number
  unit_price: number
  tax_rate: number
  sku: string
  discount_type: 'percent' | 'fixed' | null
  discount_value: number | null
}

export const grossOf = ({ quantity, unit_price }: Pick<Line, 'quantity' | 'unit_price'>): bigint =>
  cents(scaledDecimal(quantity) * scaledDecimal(unit_price), 2)

export interface ModelTotals {
  subtotal: number
  discount_total: number
  tax: number
  total: number
}

const major = (amount: bigint): number => Number(amount) / 100

/** The totals of domain 3.2. */
export const totalsOf = (lines: readonly Line[]): ModelTotals => {
  let [subtotal, discounts, tax] = [0n, 0n, 0n]
  const netByRate = new Map<number, bigint>()
  for (const line of lines) {
    const gross = grossOf(line)
    const value = scaledDecimal(line.discount_value ?? 0)
    const discount =
      line.discount_type === 'fixed' ? cents(value, 1) : cents((gross * value) / 10_000n, 1)
    subtotal += gross - discount
    discounts += discount
    netByRate.set(line.tax_rate, (netByRate.get(line.tax_rate) ?? 0n) + gross - discount)
  }
  for (const [rate, net] of netByRate) tax += cents((net * scaledDecimal(rate)) / 100n, 1)
  const total = subtotal + tax
  return {
    subtotal: major(subtotal),
    discount_total: major(discounts),
    tax: major(tax),
    total: major(total),
  }
}

interface TransitionRow {
  from: string
  to: string
  by: 'I' | 'C' | 'S' | 'raiser'
  via?: 'issue'
  cause?: string
  guard?: string
}

/** The guards that matter in a walk without payments. */
const isGuardSatisfied = (guard: string, credited: bigint, children: number): boolean =>
  guard === 'no issued child' ? children === 0 : credited === 0n

const vectors = new URL('../../vectors/lifecycles.json', import.meta.url)
const lifecycles: Record<string, TransitionRow[]> = JSON.parse(readFileSync(vectors, 'utf8'))

/** The prefixes of the issuer's and the counterparty's numbers (domain 1). */
export const prefixes: Record<string, [string, string]> = {
  invoice: ['INV', 'BILL'],
  credit_note: ['CRN', 'VCR'],
  purchase_order: ['PO', 'SO'],
  quote: ['QUO', 'SQ'],
  contract: ['CON', 'CON'],
  delivery_note: ['DN', 'IBD'],
  goods_receipt: ['GRN', 'DCN'],
  statement: ['STM', 'SST'],
}

export const documentTypes = Object.keys(prefixes)
/** A credit note needs an invoice, so walks create it only by conversion. */
export const creatableTypes = documentTypes.filter((type) => type !== 'credit_note')

/** Conversions of domain 1: from → to, and the side of the source that may convert it. */
const conversions: Record<string, Record<string, string>> = {
  quote: { purchase_order: 'C', invoice: 'I' },
  purchase_order: { invoice: 'C', delivery_note: 'C', goods_receipt: 'I' },
  contract: { purchase_order: 'IC', invoice: 'IC' },
  invoice: { credit_note: 'I' },
}
const convertibleStatuses: Record<string, readonly string[]> = {
  quote: ['accepted'],
  contract: ['accepted'],
  purchase_order: ['sent', 'acknowledged', 'accepted'],
  invoice: ['submitted', 'acknowledged', 'approved', 'disputed', 'payment_scheduled', 'paid'],
}

/** The types to which this party may convert the document now. */
export const convertibleTo = ({ type, status, issuer }: ModelDocument, party: 0 | 1): string[] =>
  Object.entries(conversions[type] ?? {})
    .filter(([, by]) => by.includes(party === issuer ? 'I' : 'C'))
    .filter(() => convertibleStatuses[type]!.includes(status))
    .map(([to]) => to)
export const documentStatuses = [
  ...new Set(documentTypes.flatMap((type) => lifecycles[type]!.map(({ to }) => to))),
]
/** Walks have no payments: legal moves to these statuses are refused. */
export const paymentStatuses = ['paid', 'payment_scheduled']

export interface ModelDocument {
  id: string
  type: string
  /** The organization that created it. */
  issuer: 0 | 1
  status: string
  revision: number
  lines: readonly Line[]
  isIssued: boolean
  /** Its number at each organization. */
  numbers: [string | null, string | null]
  raisedBy: 0 | 1 | null
  /** The document that it was converted from. */
  source: ModelDocument | null
  /** The documents derived from it that are issued and not withdrawn. */
  children: ModelDocument[]
  /** In cents: what was credited to an invoice, or applied from a credit note. */
  credited: bigint
  /** Words that everyone who sees the document may read. */
  canaries: string[]
}

const issuedStatusOf = (type: string): string =>
  lifecycles[type]!.find(({ via }) => via === 'issue')!.to

export const allowedFor = (document: ModelDocument, party: 0 | 1): string[] => {
  const { type, status, issuer, raisedBy, credited, children } = document
  const side = party === issuer ? 'I' : 'C'
  const rows = lifecycles[type]!.filter(
    ({ from, via, by, guard }) =>
      from === status &&
      via === undefined &&
      (guard === undefined || isGuardSatisfied(guard, credited, children.length)) &&
      (by === side || (by === 'raiser' && raisedBy === party)),
  )
  return [...new Set(rows.map(({ to }) => to))]
}

const total = (document: ModelDocument): bigint => minor(totalsOf(document.lines).total)
const subtotal = (document: ModelDocument): bigint => minor(totalsOf(document.lines).subtotal)
const minor = (amount: number): bigint => BigInt(Math.round(amount * 100))
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)

/** What is owed now (contract 11), by the words of domain 1 and 1.1. */
export const balanceOf = (document: ModelDocument): bigint => {
  const isPayable = document.type === 'invoice' || document.type === 'credit_note'
  return isPayable && !endedStatuses.includes(document.status)
    ? total(document) - document.credited
    : 0n
}

const endedStatuses = [
  'paid',
  'applied',
  'fulfilled',
  'converted',
  'repaid',
  'rejected',
  'cancelled',
  'expired',
  'closed',
]

/** Applies a legal move, and the automatic move that follows it. */
export const applyTransition = (document: ModelDocument, to: string, party: 0 | 1): void => {
  document.status = to
  document.revision += 1
  document.raisedBy = to === 'disputed' ? party : null
  const { source } = document
  if (source !== null && ['rejected', 'cancelled'].includes(to)) {
    source.children = source.children.filter((one) => one !== document)
  }
  const isInvoiced = to === 'accepted' && invoicedSubtotal(document) > 0n
  if (to === 'approved' && balanceOf(document) === 0n) setStatus(document, 'paid')
  else if (isInvoiced && invoicedSubtotal(document) >= subtotal(document))
    setStatus(document, 'fulfilled')
}

const setStatus = (document: ModelDocument, to: string): void => {
  document.status = to
  document.revision += 1
}

const invoicedSubtotal = ({ type, children }: ModelDocument): bigint =>
  type !== 'purchase_order'
    ? 0n
    : sum(children.filter((one) => one.type === 'invoice').map((one) => subtotal(one)))

/** Whether the source of the draft allows its issue now. */
export const isIssuable = ({ source, ...draft }: ModelDocument): boolean => {
  if (source === null) return true
  const { type, status } = source
  if (type !== 'invoice') return convertibleStatuses[type]!.includes(status)
  const left = total(source) - sum(source.children.map((one) => total(one)))
  const isSourceActive = !['rejected', 'cancelled'].includes(status)
  return isSourceActive && total({ source, ...draft }) <= left
}

/** Issues the draft, and updates its source. */
export const applyIssue = (document: ModelDocument): void => {
  setStatus(document, issuedStatusOf(document.type))
  document.isIssued = true
  const { source } = document
  if (source === null) return
  source.revision += 1
  if (source.type !== 'contract') source.children.push(document)
  if (source.type === 'quote') source.status = 'converted'
  const isFullyInvoiced = invoicedSubtotal(source) >= subtotal(source)
  if (document.type === 'invoice' && source.status === 'accepted' && isFullyInvoiced) {
    if (source.type === 'purchase_order') source.status = 'fulfilled'
  }
  if (document.type === 'credit_note') applyCredit(document, source)
}

const applyCredit = (note: ModelDocument, invoice: ModelDocument): void => {
  const balance = balanceOf(invoice)
  note.credited = total(note) < balance ? total(note) : balance
  invoice.credited += note.credited
  const isOpen = ['submitted', 'acknowledged', 'disputed'].includes(invoice.status)
  const isFullyCredited = balanceOf(invoice) === 0n
  if (isFullyCredited && (invoice.status === 'approved' || (isOpen && invoice.credited > 0n))) {
    invoice.status = 'paid'
    invoice.raisedBy = null
  }
  if (balanceOf(note) === 0n) setStatus(note, 'applied')
}
