/**
 * Projection (specification 2.1): the shared record and a viewer → that viewer's document, as JSON
 * text. The stored `content` is spliced in unchanged; fields that depend on viewer, caller or day
 * are written around it.
 */
import { encodeId } from '../ids.ts'
import { phaseOf } from '../../contract/document-phases.ts'
import { type DocumentTypeName, type Side, documentTypes } from '../../contract/document-types.ts'
import type { DocumentRecord } from './document-record.ts'
import { hasChangedTooOften, legalTargets, transitionFactsOf } from './state-machine.ts'
import {
  awaitsFunding,
  isUnfundedRepayment,
  pledgeForDebtor,
  pledgeForIssuer,
} from '../finance/document-finance.ts'
import { fromMinor } from '../money.ts'
import { shownPayment } from '../payments/payment-record.ts'

export interface Viewer {
  side: Side
  /** Whether the caller has payments:write; otherwise payment transitions are hidden. */
  canPay: boolean
  /** Nobody can pay in a deployment without the family. */
  isWithoutPayments?: boolean
  /** Today's date by the viewer's clock, which decides what is overdue. */
  today: string
  /** Today's date by the issuer's clock, which decides whether an offer is past its last day. */
  issuerToday: string
  /** A dry run has no number yet. */
  hidesNumber?: boolean
  /** Why a draft cannot be issued now; undefined where that is not shown. */
  blockers?: readonly string[] | undefined
}

/**
 * What is owed now (contract 11): nothing for a type that nobody pays, and nothing once the
 * document is settled or closed.
 */
export const balanceDue = ({
  type,
  status,
  total,
  amount_paid: paid,
  amount_credited: credited,
}: Pick<DocumentRecord, 'type' | 'status' | 'total' | 'amount_paid' | 'amount_credited'>): bigint =>
  documentTypes[type as DocumentTypeName].payer === null || isSettledOrClosed(status)
    ? 0n
    : total - paid - credited

/** Whether something of it is owed after its due date. */
export const isOverdue = (document: DocumentRecord, today: string): boolean =>
  isOverdueWith(document, balanceDue(document), today)

const isOverdueWith = (document: DocumentRecord, balance: bigint, today: string): boolean => {
  const { issued_at, due_date, is_frozen } = document
  const isLate = issued_at !== null && due_date !== null && due_date < today
  return isLate && balance > 0n && !is_frozen && !isUnfundedRepayment(document)
}

export const projectDocument = (document: DocumentRecord, viewer: Viewer): string => {
  const [before, content, after] = projectionParts(document, viewer)
  return before + content + after
}

/** The projection in three pieces; the middle one, the longest, is the stored content. */
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
  const isPayable =
    isPayer &&
    document.status === 'approved' &&
    balance > 0n &&
    !document.is_frozen &&
    !awaitsFunding(document) &&
    viewer.isWithoutPayments !== true
  const before =
    `{"id":"${encodeId('doc', document.id)}","connection_id":"${encodeId('con', document.connection_id)}",` +
    `"document_type":"${document.type}","number":${numberJson(number)},"issuer_number":${numberJson(document.issuer_number)},` +
    `${fragment.lifecycleJson}"origin":"${document.origin}",`
  const after =
    `,"amount_paid":${fromMinor(document.amount_paid)},"amount_credited":${fromMinor(document.amount_credited)},` +
    (document.type === 'credit_note'
      ? `"amount_applied":${fromMinor(document.amount_credited)},`
      : '') +
    `"balance_due":${fromMinor(balance)},"overdue":${isOverdueWith(document, balance, viewer.today)},"payable":${isPayable},` +
    `"payment":${paymentJson(document, side)},"dispute":${document.dispute ?? 'null'},` +
    pledgeJson(document, side) +
    (side === 'issuer' ? `"metadata":${document.metadata},` : '') +
    `"allowed_transitions":${allowedTransitionsJson(document, viewer, fragment)},` +
    (viewer.blockers === undefined ? '' : issuableJson(viewer.blockers)) +
    `"issued_at":${textOrNullJson(document.issued_at)},"created_at":"${document.created_at}",` +
    `"updated_at":"${document.updated_at}","revision":${document.revision}}`
  return [before, document.content.slice(1, -1), after]
}

const issuableJson = (blockers: readonly string[]): string =>
  `"issuable":${blockers.length === 0},"blockers":${JSON.stringify(blockers)},`

const paymentJson = ({ payment, issuer_id, counterparty_id }: DocumentRecord, side: Side) =>
  payment === null ? 'null' : shownPayment(payment, side === 'issuer' ? issuer_id : counterparty_id)

/** The issuer always has the field; the debtor, once it is told of the assignment. */
const pledgeJson = (document: DocumentRecord, side: Side): string => {
  if (document.finance === null) return side === 'issuer' ? '"pledge":null,' : ''
  if (side === 'issuer') return `"pledge":${JSON.stringify(pledgeForIssuer(document))},`
  const pledge = pledgeForDebtor(document)
  return pledge === null ? '' : `"pledge":${JSON.stringify(pledge)},`
}

/** JSON that depends only on type, status, side and scope, so it is cached across documents. */
interface CachedFragment {
  /** The fields from `direction` to `phase`. */
  lifecycleJson: string
  /** The targets without payment, dispute, credits, issued child, pledge or many changes. */
  allowedJson: string
}

type FragmentCache = Map<string, Map<string, CachedFragment>>
/** By type, then by status; one pair per side, without and with payments:write. */
const fragmentCaches: Record<Side, [FragmentCache, FragmentCache]> = {
  issuer: [new Map(), new Map()],
  counterparty: [new Map(), new Map()],
}

const cachedFragmentOf = (
  document: DocumentRecord,
  { side, canPay, issuerToday }: Viewer,
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
      finance: null,
      issued_at: null,
      head_seq: 0,
      counterparty_events: 0,
    }
    const facts = transitionFactsOf({ ...plain, valid_until: null, is_frozen: false }, issuerToday)
    fragment = {
      lifecycleJson: `"direction":"${direction}","label":"${label}","status":"${status}","phase":"${phaseOf(status)}",`,
      allowedJson: JSON.stringify(legalTargets(facts, { side, canPay })),
    }
    byStatus.set(status, fragment)
  }
  return fragment
}

const allowedTransitionsJson = (
  document: DocumentRecord,
  { side, canPay, issuerToday }: Viewer,
  fragment: CachedFragment,
) => {
  if (document.is_frozen) return '[]'
  const { dispute, payment, finance, derived_count, amount_credited, valid_until: last } = document
  const isUntouched =
    dispute === null && payment === null && finance === null && !hasChangedTooOften(document)
  const isPlain = isUntouched && derived_count === 0 && amount_credited === 0n
  if (isPlain && (last === null || last >= issuerToday)) return fragment.allowedJson
  return JSON.stringify(legalTargets(transitionFactsOf(document, issuerToday), { side, canPay }))
}

const textOrNullJson = (value: string | null): string => (value === null ? 'null' : `"${value}"`)

const isSettledOrClosed = (status: string): boolean => {
  const phase = phaseOf(status)
  return phase === 'settled' || phase === 'closed'
}
