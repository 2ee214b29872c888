/**
 * The document types and their state machines, as tables (domain 1 and 2). One row is one
 * transition: from, to, actor and guard. The transition check, `details.allowed`, the docs and the
 * exhaustive tests all read these tables.
 */
import { payers } from './payers.ts'

export type Side = 'issuer' | 'counterparty'
export const otherSideOf = (side: Side): Side => (side === 'issuer' ? 'counterparty' : 'issuer')
/** `raiser`: the side that opened the dispute. `system`: the service; no caller can request it. */
export type TransitionActor = Side | 'raiser' | 'system'

/** A condition besides the state. Each name is one predicate in core/documents/state-machine.ts. */
export type TransitionGuard =
  | 'free_of_credits_and_pledges'
  | 'nothing_of_it_applied'
  | 'payment_is_scheduled'
  | 'payment_is_scheduled_or_settled'
  | 'no_issued_child'
  | 'not_past_its_last_day'

export type TransitionCause =
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

export interface TransitionRule {
  from: string
  to: string
  by: TransitionActor
  /** Only POST /issue makes this transition. */
  isIssue?: true
  /** Executes or cancels a payment; requires payments:write. */
  affectsPayment?: true
  guard?: TransitionGuard
  cause?: TransitionCause
}

export interface DocumentType {
  /** Each side's name for the type, and the prefix of that side's numbers. */
  issuer: { label: string; prefix: string }
  counterparty: { label: string; prefix: string }
  /** The state after /issue. */
  issuedStatus: string
  /** `finance`: only the finance operation named in domain 5 creates one. */
  createdBy: 'api' | 'finance'
  /** The side that pays a balance; null when nothing is payable. */
  payer: Side | null
  /** True for payable types and credit notes. */
  hasDueDate: boolean
  /** Whether an offer may have a `valid_until` date. */
  canExpire: boolean
  /** Default days from the document date to `valid_until`; null = none. */
  validDays: number | null
  transitions: readonly TransitionRule[]
}

type RuleOptions = Omit<TransitionRule, 'from' | 'to' | 'by'>
const rulesOf = (
  rows: readonly (readonly [string, string, TransitionActor, RuleOptions?])[],
): readonly TransitionRule[] => rows.map(([from, to, by, extra]) => ({ from, to, by, ...extra }))

const issueOnly: RuleOptions = { isIssue: true }
const ifUnencumbered: RuleOptions = { guard: 'free_of_credits_and_pledges' }
const ifUnapplied: RuleOptions = { guard: 'nothing_of_it_applied' }
const ifNotExpired: RuleOptions = { guard: 'not_past_its_last_day' }

/** Payment transitions: the same for every payable type except for the payer. */
const paymentRules = (
  payer: Side,
): readonly (readonly [string, string, TransitionActor, RuleOptions?])[] => [
  ['approved', 'payment_scheduled', payer, { affectsPayment: true }],
  ['approved', 'paid', payer, { affectsPayment: true }],
  ['approved', 'paid', 'system', { cause: 'balance_zero' }],
  ['payment_scheduled', 'approved', payer, { affectsPayment: true, guard: 'payment_is_scheduled' }],
  [
    'payment_scheduled',
    'paid',
    payer,
    { affectsPayment: true, guard: 'payment_is_scheduled_or_settled' },
  ],
  ['payment_scheduled', 'paid', 'system', { cause: 'settled' }],
  ['payment_scheduled', 'approved', 'system', { cause: 'payment_failed' }],
  ['paid', 'approved', 'system', { cause: 'payment_returned' }],
]

/** Transitions of delivery notes, goods receipts and statements. */
const noticeRules = rulesOf([
  ['draft', 'sent', 'issuer', issueOnly],
  ['draft', 'cancelled', 'issuer'],
  ['sent', 'acknowledged', 'counterparty'],
  ['sent', 'disputed', 'counterparty'],
  ['acknowledged', 'disputed', 'counterparty'],
  ['sent', 'cancelled', 'issuer'],
  ['disputed', 'acknowledged', 'counterparty'],
  ['disputed', 'cancelled', 'issuer'],
])

/** Transitions shared by quote, contract and purchase order: an offer and its response. */
const offerRules: readonly (readonly [string, string, TransitionActor, RuleOptions?])[] = [
  ['draft', 'sent', 'issuer', issueOnly],
  ['draft', 'cancelled', 'issuer'],
  ['sent', 'acknowledged', 'counterparty', ifNotExpired],
  ['sent', 'accepted', 'counterparty', ifNotExpired],
  ['sent', 'rejected', 'counterparty'],
  ['sent', 'cancelled', 'issuer'],
  ['acknowledged', 'accepted', 'counterparty', ifNotExpired],
  ['acknowledged', 'rejected', 'counterparty'],
  ['acknowledged', 'cancelled', 'issuer'],
]

const expiryRules: readonly (readonly [string, string, TransitionActor, RuleOptions?])[] = [
  ['sent', 'expired', 'system', { cause: 'valid_until passed' }],
  ['acknowledged', 'expired', 'system', { cause: 'valid_until passed' }],
]

const partyLabel = (label: string, prefix: string) => ({ label, prefix })

export const documentTypes = {
  invoice: {
    issuer: partyLabel('Invoice', 'INV'),
    counterparty: partyLabel('Bill', 'BILL'),
    issuedStatus: 'submitted',
    createdBy: 'api',
    payer: payers.invoice,
    hasDueDate: true,
    canExpire: false,
    validDays: null,
    transitions: rulesOf([
      ['draft', 'submitted', 'issuer', issueOnly],
      ['draft', 'cancelled', 'issuer'],
      ['submitted', 'acknowledged', 'counterparty'],
      ['submitted', 'approved', 'counterparty'],
      ['submitted', 'disputed', 'counterparty'],
      ['submitted', 'rejected', 'counterparty'],
      ['submitted', 'cancelled', 'issuer', ifUnencumbered],
      ['acknowledged', 'approved', 'counterparty'],
      ['acknowledged', 'disputed', 'counterparty'],
      ['acknowledged', 'rejected', 'counterparty'],
      ['acknowledged', 'cancelled', 'issuer', ifUnencumbered],
      ['approved', 'disputed', 'issuer'],
      ['approved', 'disputed', 'counterparty'],
      ...paymentRules('counterparty'),
      ['disputed', 'acknowledged', 'raiser'],
      ['disputed', 'approved', 'counterparty'],
      ['disputed', 'rejected', 'counterparty'],
      ['disputed', 'cancelled', 'issuer', ifUnencumbered],
      ['submitted', 'paid', 'system', { cause: 'credited_in_full' }],
      ['acknowledged', 'paid', 'system', { cause: 'credited_in_full' }],
      ['disputed', 'paid', 'system', { cause: 'credited_in_full' }],
    ]),
  },
  credit_note: {
    issuer: partyLabel('Credit Note', 'CRN'),
    counterparty: partyLabel('Vendor Credit', 'VCR'),
    issuedStatus: 'submitted',
    createdBy: 'api',
    payer: payers.credit_note,
    hasDueDate: true,
    canExpire: false,
    validDays: null,
    transitions: rulesOf([
      ['draft', 'submitted', 'issuer', issueOnly],
      ['draft', 'cancelled', 'issuer'],
      ['submitted', 'acknowledged', 'counterparty'],
      ['submitted', 'approved', 'counterparty'],
      ['submitted', 'disputed', 'counterparty'],
      ['submitted', 'rejected', 'counterparty', ifUnapplied],
      ['submitted', 'cancelled', 'issuer', ifUnapplied],
      ['acknowledged', 'approved', 'counterparty'],
      ['acknowledged', 'disputed', 'counterparty'],
      ['acknowledged', 'rejected', 'counterparty', ifUnapplied],
      ['acknowledged', 'cancelled', 'issuer', ifUnapplied],
      ['approved', 'disputed', 'issuer'],
      ['approved', 'disputed', 'counterparty'],
      ...paymentRules('issuer'),
      ['disputed', 'acknowledged', 'raiser'],
      ['disputed', 'approved', 'counterparty'],
      ['disputed', 'rejected', 'counterparty', ifUnapplied],
      ['disputed', 'cancelled', 'issuer', ifUnapplied],
      ['submitted', 'applied', 'system', { cause: 'applied_in_full' }],
    ]),
  },
  purchase_order: {
    issuer: partyLabel('Purchase Order', 'PO'),
    counterparty: partyLabel('Sales Order', 'SO'),
    issuedStatus: 'sent',
    createdBy: 'api',
    payer: payers.purchase_order,
    hasDueDate: false,
    canExpire: false,
    validDays: null,
    transitions: rulesOf([
      ...offerRules,
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
    issuer: partyLabel('Quote', 'QUO'),
    counterparty: partyLabel('Supplier Quote', 'SQ'),
    issuedStatus: 'sent',
    createdBy: 'api',
    payer: payers.quote,
    hasDueDate: false,
    canExpire: true,
    validDays: 30,
    transitions: rulesOf([
      ...offerRules.slice(0, 6),
      expiryRules[0]!,
      ...offerRules.slice(6),
      expiryRules[1]!,
      ['accepted', 'converted', 'system', { cause: 'child issued' }],
    ]),
  },
  contract: {
    issuer: partyLabel('Contract', 'CON'),
    counterparty: partyLabel('Contract', 'CON'),
    issuedStatus: 'sent',
    createdBy: 'api',
    payer: payers.contract,
    hasDueDate: false,
    canExpire: true,
    validDays: null,
    transitions: rulesOf([
      ...offerRules.slice(0, 6),
      ['sent', 'expired', 'system'],
      ...offerRules.slice(6),
      ['acknowledged', 'expired', 'system'],
      ['accepted', 'closed', 'issuer'],
      ['accepted', 'closed', 'counterparty'],
    ]),
  },
  delivery_note: {
    issuer: partyLabel('Delivery Note', 'DN'),
    counterparty: partyLabel('Inbound Delivery', 'IBD'),
    issuedStatus: 'sent',
    createdBy: 'api',
    payer: payers.delivery_note,
    hasDueDate: false,
    canExpire: false,
    validDays: null,
    transitions: noticeRules,
  },
  goods_receipt: {
    issuer: partyLabel('Goods Receipt', 'GRN'),
    counterparty: partyLabel('Delivery Confirmation', 'DCN'),
    issuedStatus: 'sent',
    createdBy: 'api',
    payer: payers.goods_receipt,
    hasDueDate: false,
    canExpire: false,
    validDays: null,
    transitions: noticeRules,
  },
  statement: {
    issuer: partyLabel('Statement', 'STM'),
    counterparty: partyLabel('Supplier Statement', 'SST'),
    issuedStatus: 'sent',
    createdBy: 'api',
    payer: payers.statement,
    hasDueDate: false,
    canExpire: false,
    validDays: null,
    transitions: noticeRules,
  },
  agreement: {
    issuer: partyLabel('Loan Agreement', 'FIN'),
    counterparty: partyLabel('Loan Agreement', 'FIN'),
    issuedStatus: 'accepted',
    createdBy: 'finance',
    payer: payers.agreement,
    hasDueDate: false,
    canExpire: false,
    validDays: null,
    transitions: rulesOf([
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
    issuer: partyLabel('Loan Proceeds', 'DSB'),
    counterparty: partyLabel('Disbursement', 'DSB'),
    issuedStatus: 'approved',
    createdBy: 'finance',
    payer: payers.disbursement,
    hasDueDate: true,
    canExpire: false,
    validDays: null,
    transitions: rulesOf([
      ['(new)', 'approved', 'system'],
      ...paymentRules('counterparty'),
      ['approved', 'cancelled', 'system'],
    ]),
  },
  repayment: {
    issuer: partyLabel('Loan Receivable', 'RPY'),
    counterparty: partyLabel('Repayment', 'RPY'),
    issuedStatus: 'submitted',
    createdBy: 'finance',
    payer: payers.repayment,
    hasDueDate: true,
    canExpire: false,
    validDays: null,
    transitions: rulesOf([
      ['(new)', 'submitted', 'system'],
      ['submitted', 'approved', 'system', { cause: 'funded' }],
      ['submitted', 'cancelled', 'system'],
      ...paymentRules('counterparty'),
      // Of a loan whose disbursement was returned.
      ['approved', 'cancelled', 'system'],
      ['approved', 'payment_scheduled', 'system', { cause: 'sweep in flight' }],
    ]),
  },
} as const satisfies Record<string, DocumentType>

export type DocumentTypeName = keyof typeof documentTypes

export const documentTypeNames = Object.keys(documentTypes) as readonly DocumentTypeName[]

/** What is owed to the reader of a document, and what the reader owes. */
export const owedGroups = ['receivable', 'payable'] as const

export type OwedGroup = (typeof owedGroups)[number]

/** The side of a reader for whom what the payer of a type owes is of this group. */
export const owedSideOf = (payer: Side, group: OwedGroup): Side =>
  (group === 'payable') === (payer === 'issuer') ? 'issuer' : 'counterparty'

/** Targets that execute a payment; the required scope is checked before the state is read. */
export const paymentTargets: readonly string[] = ['payment_scheduled', 'paid']
