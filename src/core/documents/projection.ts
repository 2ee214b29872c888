/**
 * The one home of projection: the shared record and a viewer → that viewer's document, as JSON
 * text (specification 2.1). `content` is spliced in as it is stored; everything that differs per
 * viewer, per caller or per day is written around it.
 */
import { encodeId } from '../ids.ts'
import {
  type DocumentTypeName,
  type Side,
  documentTypes,
  phaseOf,
} from '../../contract/document-types.ts'
import { type TransitionFacts, legalTargets } from './state-machine.ts'
import { fromMinor } from '../money.ts'
import { projectPayment, parsePayment } from '../payments/payment-record.ts'

/** The columns of `documents` that a projection needs. */
export interface DocumentRecord {
  id: string
  connection_id: string
  issuer_id: string
  counterparty_id: string
  type: string
  status: string
  origin: string
  revision: number
  issuer_number: string
  counterparty_number: string | null
  due_date: string | null
  valid_until: string | null
  total: bigint
  amount_paid: bigint
  amount_credited: bigint
  derived_count: number
  content: string
  metadata: string
  dispute: string | null
  /** The latest payment, as text (payments.ts). */
  payment: string | null
  issued_at: string | null
  created_at: string
  updated_at: string
  /** The other party has started its sandbox over: nothing happens to it any more. */
  is_frozen: boolean
}

export interface Viewer {
  side: Side
  /** Effective payments:write: payment moves are hidden from a caller without it. */
  canPay: boolean
  /** The organization's date today (its own clock, UTC). */
  today: string
  /** A dry run has no number yet. */
  hidesNumber?: boolean
}

/** The side an organization is on, or undefined when it must not know of the document. */
export const sideOf = (
  document: Pick<DocumentRecord, 'issuer_id' | 'counterparty_id' | 'issued_at'>,
  organization: string,
): Side | undefined => {
  if (document.issuer_id === organization) return 'issuer'
  if (document.counterparty_id === organization && document.issued_at !== null)
    return 'counterparty'
  return undefined
}

/** Who may see documents, and up to where in its feed it has begun anew (docs/decisions/0018). */
export interface ViewerOrganization {
  id: string
  resetPosition: bigint
}

/** The side on which an organization sees the document: none of what was before its last reset. */
export const visibleSideOf = (
  document: Pick<DocumentRecord, 'issuer_id' | 'counterparty_id' | 'issued_at'> & FeedPositions,
  { id, resetPosition }: ViewerOrganization,
): Side | undefined => {
  const side = sideOf(document, id)
  const { issuer_position: issuer, counterparty_position: counterparty } = document
  return side === undefined ||
    isBeforeReset(side === 'issuer' ? issuer : counterparty, resetPosition)
    ? undefined
    : side
}

/** Where the document stands in the feeds of its parties; null while only the issuer sees it. */
export interface FeedPositions {
  issuer_position: bigint
  counterparty_position: bigint | null
}

export const isBeforeReset = (position: bigint | null, resetPosition: bigint): boolean =>
  position !== null && position <= resetPosition

export const balanceDue = (
  document: Pick<DocumentRecord, 'total' | 'amount_paid' | 'amount_credited'>,
): bigint => document.total - document.amount_paid - document.amount_credited

export const transitionFactsOf = (
  document: Pick<
    DocumentRecord,
    | 'type'
    | 'status'
    | 'amount_credited'
    | 'dispute'
    | 'derived_count'
    | 'payment'
    | 'valid_until'
    | 'is_frozen'
  >,
  today: string,
): TransitionFacts => ({
  type: document.type as DocumentTypeName,
  status: document.status,
  amountCredited: document.amount_credited,
  disputeRaisedBy:
    document.dispute === null
      ? null
      : (JSON.parse(document.dispute) as { raised_by: Side }).raised_by,
  isPledged: false,
  hasIssuedChild: document.derived_count > 0,
  isPastLastDay: document.valid_until !== null && document.valid_until < today,
  paymentStatus: document.payment === null ? null : parsePayment(document.payment).status,
  isFrozen: document.is_frozen,
})

export const projectDocument = (document: DocumentRecord, viewer: Viewer): string => {
  const [before, content, after] = projectionParts(document, viewer)
  return before + content + after
}

/** The same in three pieces: the one in the middle, the longest, is as it is stored. */
export const projectionParts = (
  document: DocumentRecord,
  viewer: Viewer,
): [before: string, content: string, after: string] => {
  const { side } = viewer
  const type = documentTypes[document.type as DocumentTypeName]
  const number = side === 'issuer' ? document.issuer_number : document.counterparty_number
  const numberJson = (value: string | null) =>
    viewer.hidesNumber || value === null ? 'null' : `"${value}"`
  const fragment = cachedFragmentOf(document, viewer)
  const balance = balanceDue(document)
  const isPayer = type.payer === side
  const isPayable = isPayer && document.status === 'approved' && balance > 0n && !document.is_frozen
  const isOverdue =
    type.payer !== null &&
    document.issued_at !== null &&
    balance > 0n &&
    document.due_date !== null &&
    document.due_date < viewer.today &&
    !document.is_frozen &&
    !isSettledOrClosed(document.status)
  const before =
    `{"id":"${encodeId('doc', document.id)}","connection_id":"${encodeId('con', document.connection_id)}",` +
    `"document_type":"${document.type}","number":${numberJson(number)},"issuer_number":${numberJson(document.issuer_number)},` +
    `${fragment.lifecycleJson}"origin":"${document.origin}",`
  const after =
    `,"amount_paid":${fromMinor(document.amount_paid)},"amount_credited":${fromMinor(document.amount_credited)},` +
    (document.type === 'credit_note'
      ? `"amount_applied":${fromMinor(document.amount_credited)},`
      : '') +
    `"balance_due":${fromMinor(balance)},"overdue":${isOverdue},"payable":${isPayable},` +
    `"payment":${paymentJson(document, side)},"dispute":${document.dispute ?? 'null'},` +
    (side === 'issuer' ? `"pledge":null,"metadata":${document.metadata},` : '') +
    `"allowed_transitions":${allowedTransitionsJson(document, viewer, fragment)},` +
    `"issued_at":${textOrNullJson(document.issued_at)},"created_at":"${document.created_at}",` +
    `"updated_at":"${document.updated_at}","revision":${document.revision}}`
  return [before, document.content.slice(1, -1), after]
}

const paymentJson = ({ payment, issuer_id, counterparty_id }: DocumentRecord, side: Side) =>
  payment === null
    ? 'null'
    : JSON.stringify(
        projectPayment(parsePayment(payment), side === 'issuer' ? issuer_id : counterparty_id),
      )

/** What follows from a few words alone, so that it is written once for all documents. */
interface CachedFragment {
  /** From the direction to the phase. */
  lifecycleJson: string
  /** The allowed targets where no guard looks further. */
  allowedJson: string
}

type FragmentCache = Map<string, Map<string, CachedFragment>>
/** By type, then by status; for callers without and with payments:write. */
const fragmentCaches: Record<Side, [FragmentCache, FragmentCache]> = {
  issuer: [new Map(), new Map()],
  counterparty: [new Map(), new Map()],
}

const cachedFragmentOf = (
  document: DocumentRecord,
  { side, canPay, today }: Viewer,
): CachedFragment => {
  const { type, status } = document
  const byType = fragmentCaches[side][canPay ? 1 : 0]
  let byStatus = byType.get(type)
  if (byStatus === undefined) byType.set(type, (byStatus = new Map()))
  let fragment = byStatus.get(status)
  if (fragment === undefined) {
    const direction = side === 'issuer' ? 'issued' : 'received'
    const { label } = documentTypes[type as DocumentTypeName][side]
    const plain = {
      type,
      status,
      amount_credited: 0n,
      dispute: null,
      derived_count: 0,
      payment: null,
    }
    const facts = transitionFactsOf({ ...plain, valid_until: null, is_frozen: false }, today)
    fragment = {
      lifecycleJson: `"direction":"${direction}","label":"${label}","status":"${status}","phase":"${phaseOf(status)}",`,
      allowedJson: JSON.stringify(legalTargets(facts, side, canPay)),
    }
    byStatus.set(status, fragment)
  }
  return fragment
}

const allowedTransitionsJson = (
  document: DocumentRecord,
  { side, canPay, today }: Viewer,
  fragment: CachedFragment,
) => {
  if (document.is_frozen) return '[]'
  const { dispute, payment, derived_count, amount_credited: credited, valid_until: last } = document
  const isPlain = dispute === null && payment === null && derived_count === 0 && credited === 0n
  if (isPlain && (last === null || last >= today)) return fragment.allowedJson
  return JSON.stringify(legalTargets(transitionFactsOf(document, today), side, canPay))
}

const textOrNullJson = (value: string | null): string => (value === null ? 'null' : `"${value}"`)

const isSettledOrClosed = (status: string): boolean => {
  const phase = phaseOf(status)
  return phase === 'settled' || phase === 'closed'
}
