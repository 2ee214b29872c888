/**
 * The document types and their state machines, as tables (domain 1 and 2). One row is one move:
 * from, to, who may make it, and what else it needs. Everything else reads these tables: the
 * transition check, `details.allowed`, the docs and the exhaustive tests.
 */

export type Side = 'issuer' | 'counterparty'
/** `raiser`: the side that opened the dispute. `system`: nobody may ask for it. */
export type Mover = Side | 'raiser' | 'system'

/** What must hold besides the state. Each name is one predicate in machine.ts. */
export type Guard =
  | 'free_of_credits_and_pledges'
  | 'nothing_of_it_applied'
  | 'payment_is_scheduled'
  | 'payment_is_scheduled_or_settled'
  | 'no_issued_child'
  | 'not_past_its_last_day'

export type Cause =
  | 'balance_zero'
  | 'credited_in_full'
  | 'applied_in_full'
  | 'settled'
  | 'payment_failed'
  | 'payment_returned'
  | 'invoiced_in_full'
  | 'valid_until passed'
  | 'child issued'
  | 'withdrawn'
  | 'funded'
  | 'repayment_returned'
  | 'sweep in flight'

export interface Move {
  from: string
  to: string
  by: Mover
  /** Only POST /issue makes this move. */
  issues?: true
  /** Executes or cancels a payment: needs payments:write. */
  pays?: true
  guard?: Guard
  cause?: Cause
}

export interface DocumentType {
  /** How each side calls it, and the prefix of that side's own numbers. */
  issuer: { label: string; prefix: string }
  counterparty: { label: string; prefix: string }
  /** The state after /issue. */
  entry: string
  /** `finance`: only the finance operation named in domain 5 makes one. */
  createdBy: 'api' | 'finance'
  /** The side that pays a balance; null when nothing is payable. */
  payer: Side | null
  /** Whether it carries a due date (payable types and credit notes). */
  hasDueDate: boolean
  /** Whether an unanswered offer may have a last day. */
  lapses: boolean
  /** Days from the document date to that last day, unless the issuer names one; null = none. */
  validDays: number | null
  moves: readonly Move[]
}

type Extra = Omit<Move, 'from' | 'to' | 'by'>
const moves = (rows: readonly (readonly [string, string, Mover, Extra?])[]): readonly Move[] =>
  rows.map(([from, to, by, extra]) => ({ from, to, by, ...extra }))

const issues: Extra = { issues: true }
const free: Extra = { guard: 'free_of_credits_and_pledges' }
const unapplied: Extra = { guard: 'nothing_of_it_applied' }
const inTime: Extra = { guard: 'not_past_its_last_day' }

/** The rows that move money, the same for every payable type but for who pays. */
const payment = (payer: Side): readonly (readonly [string, string, Mover, Extra?])[] => [
  ['approved', 'payment_scheduled', payer, { pays: true }],
  ['approved', 'paid', payer, { pays: true }],
  ['approved', 'paid', 'system', { cause: 'balance_zero' }],
  ['payment_scheduled', 'approved', payer, { pays: true, guard: 'payment_is_scheduled' }],
  ['payment_scheduled', 'paid', payer, { pays: true, guard: 'payment_is_scheduled_or_settled' }],
  ['payment_scheduled', 'paid', 'system', { cause: 'settled' }],
  ['payment_scheduled', 'approved', 'system', { cause: 'payment_failed' }],
  ['paid', 'approved', 'system', { cause: 'payment_returned' }],
]

/** Delivery notes, goods receipts and statements: seen, disputed, withdrawn. */
const notice = moves([
  ['draft', 'sent', 'issuer', issues],
  ['draft', 'cancelled', 'issuer'],
  ['sent', 'acknowledged', 'counterparty'],
  ['sent', 'disputed', 'counterparty'],
  ['acknowledged', 'disputed', 'counterparty'],
  ['sent', 'cancelled', 'issuer'],
  ['disputed', 'acknowledged', 'counterparty'],
  ['disputed', 'cancelled', 'issuer'],
])

/** What quote, contract and purchase order share: an offer that the other side answers. */
const offer: readonly (readonly [string, string, Mover, Extra?])[] = [
  ['draft', 'sent', 'issuer', issues],
  ['draft', 'cancelled', 'issuer'],
  ['sent', 'acknowledged', 'counterparty', inTime],
  ['sent', 'accepted', 'counterparty', inTime],
  ['sent', 'rejected', 'counterparty'],
  ['sent', 'cancelled', 'issuer'],
  ['acknowledged', 'accepted', 'counterparty', inTime],
  ['acknowledged', 'rejected', 'counterparty'],
  ['acknowledged', 'cancelled', 'issuer'],
]

const expiry: readonly (readonly [string, string, Mover, Extra?])[] = [
  ['sent', 'expired', 'system', { cause: 'valid_until passed' }],
  ['acknowledged', 'expired', 'system', { cause: 'valid_until passed' }],
]

const named = (label: string, prefix: string) => ({ label, prefix })

export const documentTypes = {
  invoice: {
    issuer: named('Invoice', 'INV'),
    counterparty: named('Bill', 'BILL'),
    entry: 'submitted',
    createdBy: 'api',
    payer: 'counterparty',
    hasDueDate: true,
    lapses: false,
    validDays: null,
    moves: moves([
      ['draft', 'submitted', 'issuer', issues],
      ['draft', 'cancelled', 'issuer'],
      ['submitted', 'acknowledged', 'counterparty'],
      ['submitted', 'approved', 'counterparty'],
      ['submitted', 'disputed', 'counterparty'],
      ['submitted', 'rejected', 'counterparty'],
      ['submitted', 'cancelled', 'issuer', free],
      ['acknowledged', 'approved', 'counterparty'],
      ['acknowledged', 'disputed', 'counterparty'],
      ['acknowledged', 'rejected', 'counterparty'],
      ['acknowledged', 'cancelled', 'issuer', free],
      ['approved', 'disputed', 'issuer'],
      ['approved', 'disputed', 'counterparty'],
      ...payment('counterparty'),
      ['disputed', 'acknowledged', 'raiser'],
      ['disputed', 'approved', 'counterparty'],
      ['disputed', 'rejected', 'counterparty'],
      ['disputed', 'cancelled', 'issuer', free],
      ['submitted', 'paid', 'system', { cause: 'credited_in_full' }],
      ['acknowledged', 'paid', 'system', { cause: 'credited_in_full' }],
      ['disputed', 'paid', 'system', { cause: 'credited_in_full' }],
    ]),
  },
  credit_note: {
    issuer: named('Credit Note', 'CRN'),
    counterparty: named('Vendor Credit', 'VCR'),
    entry: 'submitted',
    createdBy: 'api',
    payer: 'issuer',
    hasDueDate: true,
    lapses: false,
    validDays: null,
    moves: moves([
      ['draft', 'submitted', 'issuer', issues],
      ['draft', 'cancelled', 'issuer'],
      ['submitted', 'acknowledged', 'counterparty'],
      ['submitted', 'approved', 'counterparty'],
      ['submitted', 'disputed', 'counterparty'],
      ['submitted', 'rejected', 'counterparty', unapplied],
      ['submitted', 'cancelled', 'issuer', unapplied],
      ['acknowledged', 'approved', 'counterparty'],
      ['acknowledged', 'disputed', 'counterparty'],
      ['acknowledged', 'rejected', 'counterparty', unapplied],
      ['acknowledged', 'cancelled', 'issuer', unapplied],
      ['approved', 'disputed', 'issuer'],
      ['approved', 'disputed', 'counterparty'],
      ...payment('issuer'),
      ['disputed', 'acknowledged', 'raiser'],
      ['disputed', 'approved', 'counterparty'],
      ['disputed', 'rejected', 'counterparty', unapplied],
      ['disputed', 'cancelled', 'issuer', unapplied],
      ['submitted', 'applied', 'system', { cause: 'applied_in_full' }],
    ]),
  },
  purchase_order: {
    issuer: named('Purchase Order', 'PO'),
    counterparty: named('Sales Order', 'SO'),
    entry: 'sent',
    createdBy: 'api',
    payer: null,
    hasDueDate: false,
    lapses: false,
    validDays: null,
    moves: moves([
      ...offer,
      ['accepted', 'disputed', 'issuer'],
      ['accepted', 'disputed', 'counterparty'],
      ['accepted', 'cancelled', 'counterparty', { guard: 'no_issued_child' }],
      ['accepted', 'fulfilled', 'issuer'],
      ['accepted', 'fulfilled', 'system', { cause: 'invoiced_in_full' }],
      ['accepted', 'closed', 'issuer'],
      ['disputed', 'accepted', 'raiser'],
      ['disputed', 'closed', 'issuer'],
    ]),
  },
  quote: {
    issuer: named('Quote', 'QUO'),
    counterparty: named('Supplier Quote', 'SQ'),
    entry: 'sent',
    createdBy: 'api',
    payer: null,
    hasDueDate: false,
    lapses: true,
    validDays: 30,
    moves: moves([
      ...offer.slice(0, 6),
      expiry[0]!,
      ...offer.slice(6),
      expiry[1]!,
      ['accepted', 'converted', 'system', { cause: 'child issued' }],
    ]),
  },
  contract: {
    issuer: named('Contract', 'CON'),
    counterparty: named('Contract', 'CON'),
    entry: 'sent',
    createdBy: 'api',
    payer: null,
    hasDueDate: false,
    lapses: true,
    validDays: null,
    moves: moves([
      ...offer.slice(0, 6),
      ['sent', 'expired', 'system'],
      ...offer.slice(6),
      ['acknowledged', 'expired', 'system'],
      ['accepted', 'closed', 'issuer'],
      ['accepted', 'closed', 'counterparty'],
    ]),
  },
  delivery_note: {
    issuer: named('Delivery Note', 'DN'),
    counterparty: named('Inbound Delivery', 'IBD'),
    entry: 'sent',
    createdBy: 'api',
    payer: null,
    hasDueDate: false,
    lapses: false,
    validDays: null,
    moves: notice,
  },
  goods_receipt: {
    issuer: named('Goods Receipt', 'GRN'),
    counterparty: named('Delivery Confirmation', 'DCN'),
    entry: 'sent',
    createdBy: 'api',
    payer: null,
    hasDueDate: false,
    lapses: false,
    validDays: null,
    moves: notice,
  },
  statement: {
    issuer: named('Statement', 'STM'),
    counterparty: named('Supplier Statement', 'SST'),
    entry: 'sent',
    createdBy: 'api',
    payer: null,
    hasDueDate: false,
    lapses: false,
    validDays: null,
    moves: notice,
  },
  agreement: {
    issuer: named('Loan Agreement', 'FIN'),
    counterparty: named('Loan Agreement', 'FIN'),
    entry: 'accepted',
    createdBy: 'finance',
    payer: null,
    hasDueDate: false,
    lapses: false,
    validDays: null,
    moves: moves([
      ['(new)', 'accepted', 'system'],
      ['accepted', 'funded', 'system'],
      ['accepted', 'flagged', 'system'],
      ['accepted', 'closed', 'system', { cause: 'withdrawn' }],
      ['funded', 'flagged', 'system'],
      ['funded', 'repaid', 'system'],
      ['flagged', 'accepted', 'system'],
      ['flagged', 'funded', 'system'],
      ['flagged', 'repaid', 'system'],
      ['flagged', 'closed', 'system'],
      ['repaid', 'closed', 'system'],
      ['repaid', 'flagged', 'system', { cause: 'repayment_returned' }],
    ]),
  },
  disbursement: {
    issuer: named('Loan Proceeds', 'DSB'),
    counterparty: named('Disbursement', 'DSB'),
    entry: 'approved',
    createdBy: 'finance',
    payer: 'counterparty',
    hasDueDate: true,
    lapses: false,
    validDays: null,
    moves: moves([
      ['(new)', 'approved', 'system'],
      ...payment('counterparty'),
      ['approved', 'cancelled', 'system'],
    ]),
  },
  repayment: {
    issuer: named('Loan Receivable', 'RPY'),
    counterparty: named('Repayment', 'RPY'),
    entry: 'submitted',
    createdBy: 'finance',
    payer: 'counterparty',
    hasDueDate: true,
    lapses: false,
    validDays: null,
    moves: moves([
      ['(new)', 'submitted', 'system'],
      ['submitted', 'approved', 'system', { cause: 'funded' }],
      ['submitted', 'cancelled', 'system'],
      ...payment('counterparty'),
      ['approved', 'payment_scheduled', 'system', { cause: 'sweep in flight' }],
    ]),
  },
} as const satisfies Record<string, DocumentType>

export type DocumentTypeName = keyof typeof documentTypes

export const documentTypeNames = Object.keys(documentTypes) as readonly DocumentTypeName[]

/** Which part of its life a status belongs to, across types (domain 1.1). */
export const phases = {
  draft: ['draft'],
  pending: ['submitted', 'sent', 'acknowledged'],
  accepted: ['approved', 'accepted', 'funded'],
  disputed: ['disputed', 'flagged'],
  paying: ['payment_scheduled'],
  settled: ['paid', 'applied', 'fulfilled', 'converted', 'repaid'],
  closed: ['rejected', 'cancelled', 'expired', 'closed'],
} as const

export type Phase = keyof typeof phases

const phaseByStatus = new Map<string, Phase>(
  (Object.keys(phases) as Phase[]).flatMap((phase) =>
    phases[phase].map((status): [string, Phase] => [status, phase]),
  ),
)

export const phaseOf = (status: string): Phase => phaseByStatus.get(status)!

/** Every state of any type: a `to` outside of these is unknown, not illegal. */
export const statuses: readonly string[] = [...phaseByStatus.keys()]

/** Targets that execute a payment, whatever the state: their scope is checked on the request. */
export const paymentTargets: readonly string[] = ['payment_scheduled', 'paid']
