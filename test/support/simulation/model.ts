/**
 * What a walk over the API must lead to: totals in exact fractions, states from the shared vectors,
 * numbers by counting. It shares no code with the service.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'

/** n / 10^12. */
type ScaledDecimal = bigint
const scale = 12
const unit = 10n ** BigInt(scale)

const scaledDecimal = (value: number): ScaledDecimal => {
  const [whole = '0', fraction = ''] = plainDecimal(value).split('.')
  return BigInt(whole) * unit + BigInt(fraction.padEnd(scale, '0'))
}

/** 1e-6 is 0.000001. */
const plainDecimal = (value: number): string => (value < 1e-5 ? value.toFixed(6) : String(value))

/** Cents, half up, of an exact number that is scaled `times` over. */
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

const decimal = (max: number, decimals: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: 0, max: max * 10 ** decimals }), fc.integer({ min: 0, max: decimals }))
    .map(([digits, kept]) => Number((digits / 10 ** decimals).toFixed(kept)))

/** Texts are written in later, since each is found again by a word of its own. */
export const arbitraryLine: fc.Arbitrary<Line> = fc
  .record({
    quantity: fc.oneof(decimal(20, 0), decimal(99, 3), decimal(1, 6)),
    unit_price: fc.oneof(decimal(500, 2), decimal(1, 6), fc.constant(0)),
    tax_rate: fc.constantFrom(0, 0.08, 0.19, 0.2, 0.075, 0.088875),
    discount: fc.oneof(fc.constant(null), decimal(100, 4), fc.constant('fixed' as const)),
  })
  .map(({ discount, ...line }) => ({
    ...line,
    description: '',
    sku: '',
    discount_type: discount === null ? null : discount === 'fixed' ? 'fixed' : 'percent',
    discount_value: discount === 'fixed' ? Number(halfOf(grossOf(line))) / 100 : discount,
  }))

const halfOf = (amount: bigint): bigint => amount / 2n

const grossOf = ({ quantity, unit_price }: Pick<Line, 'quantity' | 'unit_price'>): bigint =>
  cents(scaledDecimal(quantity) * scaledDecimal(unit_price), 2)

export interface ModelTotals {
  subtotal: number
  discount_total: number
  tax: number
  total: number
}

const major = (amount: bigint): number => Number(amount) / 100

/** Domain 3.2, from its words. */
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

/** What of the guards a walk without payments meets. */
const isGuardSatisfied = (guard: string, credited: bigint, children: number): boolean =>
  guard === 'no issued child' ? children === 0 : credited === 0n

const vectors = new URL('../../vectors/lifecycles.json', import.meta.url)
const lifecycles: Record<string, TransitionRow[]> = JSON.parse(readFileSync(vectors, 'utf8'))

/** Prefix of the issuer's numbers and of the counterparty's (domain 1). */
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
/** A credit note needs an invoice: walks make one from it. */
const creatableTypes = documentTypes.filter((type) => type !== 'credit_note')

/** Domain 1, conversion: from → to, and the side of the source that may. */
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

/** What this side may make of the document now. */
export const convertibleTo = ({ type, status, issuer }: ModelDocument, who: 0 | 1): string[] =>
  Object.entries(conversions[type] ?? {})
    .filter(([, by]) => by.includes(who === issuer ? 'I' : 'C'))
    .filter(() => convertibleStatuses[type]!.includes(status))
    .map(([to]) => to)
export const documentStatuses = [
  ...new Set(documentTypes.flatMap((type) => lifecycles[type]!.map(({ to }) => to))),
]
/** Not served yet: refused where they are legal. */
export const paymentStatuses = ['paid', 'payment_scheduled']

export interface ModelDocument {
  id: string
  type: string
  /** Which of the two organizations wrote it. */
  issuer: 0 | 1
  status: string
  revision: number
  lines: readonly Line[]
  isIssued: boolean
  /** By organization. */
  numbers: [string | null, string | null]
  raisedBy: 0 | 1 | null
  /** What it was made from. */
  source: ModelDocument | null
  /** Documents that were made from it, issued and not withdrawn. */
  children: ModelDocument[]
  /** Of an invoice what was credited, of a credit note what was applied; in cents. */
  credited: bigint
  /** Words that whoever sees the document may read. */
  canaries: string[]
}

const issuedStatusOf = (type: string): string =>
  lifecycles[type]!.find(({ via }) => via === 'issue')!.to

export const allowedFor = (document: ModelDocument, who: 0 | 1): string[] => {
  const { type, status, issuer, raisedBy, credited, children } = document
  const side = who === issuer ? 'I' : 'C'
  const rows = lifecycles[type]!.filter(
    ({ from, via, by, guard }) =>
      from === status &&
      via === undefined &&
      (guard === undefined || isGuardSatisfied(guard, credited, children.length)) &&
      (by === side || (by === 'raiser' && raisedBy === who)),
  )
  return [...new Set(rows.map(({ to }) => to))]
}

const total = (document: ModelDocument): bigint => minor(totalsOf(document.lines).total)
const subtotal = (document: ModelDocument): bigint => minor(totalsOf(document.lines).subtotal)
const minor = (amount: number): bigint => BigInt(Math.round(amount * 100))
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)

export const balanceOf = (document: ModelDocument): bigint => total(document) - document.credited

/** A legal move, and what the service then does by itself. */
export const applyTransition = (document: ModelDocument, to: string, who: 0 | 1): void => {
  document.status = to
  document.revision += 1
  document.raisedBy = to === 'disputed' ? who : null
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

/** Whether its source lets the draft be issued now. */
export const isIssuable = ({ source, ...draft }: ModelDocument): boolean => {
  if (source === null) return true
  const { type, status } = source
  if (type !== 'invoice') return convertibleStatuses[type]!.includes(status)
  const left = total(source) - sum(source.children.map((one) => total(one)))
  const isSourceActive = !['rejected', 'cancelled'].includes(status)
  return isSourceActive && total({ source, ...draft }) <= left
}

/** Issues the draft; its source takes notice. */
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

const arbitraryParty = fc.constantFrom<(0 | 1)[]>(0, 1)
const nth = fc.nat({ max: 1_000 })
const lines = fc.array(arbitraryLine, { minLength: 1, maxLength: 4 })
/** Written for real; written twice under one key; only tried. */
const arbitraryWriteMode = fc.constantFrom('once', 'once', 'once', 'twice', 'dry')
/** Mostly what can be done now, and sometimes what cannot. */
const isLegal = fc.constantFrom(true, true, true, false)
const limit = fc.integer({ min: 1, max: 7 })
const does = <const T extends string>(what: T) => fc.constant(what)

const arbitraryCreate = fc.record({
  does: does('create'),
  who: arbitraryParty,
  how: arbitraryWriteMode,
  type: fc.constantFrom('invoice', 'quote', 'purchase_order', 'invoice', ...creatableTypes),
  lines,
})

/** What one step of a walk does, by whom; `nth` chooses a document, `pick` a target or a filter. */
const arbitraryStep = fc.oneof(
  arbitraryCreate,
  fc.record({
    does: does('edit'),
    who: arbitraryParty,
    how: arbitraryWriteMode,
    nth,
    lines: fc.option(lines),
  }),
  fc.record({ does: does('issue'), who: arbitraryParty, how: arbitraryWriteMode, nth, isLegal }),
  fc.record({ does: does('issue'), who: arbitraryParty, how: arbitraryWriteMode, nth, isLegal }),
  fc.record({
    does: does('move'),
    who: arbitraryParty,
    how: arbitraryWriteMode,
    nth,
    pick: nth,
    isLegal,
  }),
  fc.record({
    does: does('move'),
    who: arbitraryParty,
    how: arbitraryWriteMode,
    nth,
    pick: nth,
    isLegal,
  }),
  fc.record({
    does: does('convert'),
    who: arbitraryParty,
    how: arbitraryWriteMode,
    nth,
    isLegal,
    pick: nth,
    lines: fc.option(lines),
  }),
  fc.record({
    does: does('convert'),
    who: arbitraryParty,
    how: arbitraryWriteMode,
    nth,
    isLegal,
    pick: nth,
    lines: fc.option(lines),
  }),
  fc.record({ does: does('read'), nth }),
  fc.record({ does: does('search'), nth, pick: nth }),
  fc.record({ does: does('list'), who: arbitraryParty, limit, pick: nth }),
)
export const arbitrarySteps = fc
  .tuple(
    fc.array(arbitraryCreate, { minLength: 3, maxLength: 8, size: 'max' }),
    fc.array(arbitraryStep, { minLength: 10, maxLength: 60, size: 'max' }),
  )
  .map(([creates, steps]) => [...creates, ...steps])

export type Step = typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never
export type StepOf<T extends Step['does']> = Extract<Step, { does: T }>
