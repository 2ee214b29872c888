/** The moves that a person can make with a document, and why one is not possible now. */
import { convertibleTo } from '../../../src/contract/conversions.ts'
import {
  type DocumentType,
  type TransitionGuard,
  documentTypes,
} from '../../../src/contract/document-types.ts'
import type { Session } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { wordsOf } from '../design/format.tsx'
import { sideOf } from './document-names.ts'

export interface Move {
  to: string
  verb: string
  key?: string
  isDanger?: boolean
  /** It makes another document, and moves none. */
  isConversion?: boolean
  /** The other side reads why. */
  takesReason?: boolean
  /** Undefined when it can be made now. */
  refusal: string | undefined
}

type MoveText = Omit<Move, 'to' | 'refusal'>

const texts: Record<string, MoveText> = {
  approved: { verb: 'Approve', key: 'a' },
  accepted: { verb: 'Accept', key: 'a' },
  acknowledged: { verb: 'Acknowledge' },
  disputed: { verb: 'Dispute', key: 'd', takesReason: true },
  rejected: { verb: 'Reject', isDanger: true, takesReason: true },
  cancelled: { verb: 'Cancel', isDanger: true, takesReason: true },
  fulfilled: { verb: 'Mark as fulfilled' },
  closed: { verb: 'Close', isDanger: true },
}

const cancelPayment: MoveText = { verb: 'Cancel the payment', isDanger: true }

/** Paying has a dialog of its own. */
export const paymentTargets = ['paid', 'payment_scheduled']

const guardTexts: Record<TransitionGuard, string> = {
  free_of_credits_and_pledges: 'It has been credited, or it secures a loan.',
  nothing_of_it_applied: 'Part of it has been applied already.',
  payment_is_scheduled: 'The payment is on its way already.',
  payment_is_scheduled_or_settled: 'The payment is on its way already.',
  no_issued_child: 'A document that follows from it has been issued.',
  not_past_its_last_day: 'Its last day has passed.',
}

/** Nothing else stops a move that is legal from here and has no condition. */
const frozenText = 'The other side has reset its sandbox: this can only be read.'

/** The documents that can be made from it now. */
export const conversionsOf = (document: DocumentRecord): Move[] =>
  convertibleTo({ type: document.document_type, status: document.status }, sideOf(document)).map(
    (to) => ({ to, verb: wordsOf(to), isConversion: true, refusal: undefined }),
  )

export const movesOf = (document: DocumentRecord): Move[] => {
  const type: DocumentType = documentTypes[document.document_type]
  const side = sideOf(document)
  const rules = type.transitions.filter(
    (rule) =>
      (rule.by === side || rule.by === 'raiser') &&
      rule.isIssue !== true &&
      !paymentTargets.includes(rule.to),
  )
  return [...new Set(rules.map((rule) => rule.to))].flatMap((to) => {
    const stopsPayment = to === 'approved' && document.status === 'payment_scheduled'
    const text = stopsPayment ? cancelPayment : texts[to]
    if (text === undefined) return []
    const refusal = document.allowed_transitions.includes(to)
      ? undefined
      : reasonAgainst(
          document,
          rules.filter((rule) => rule.to === to),
        )
    return [{ to, ...text, refusal }]
  })
}

const reasonAgainst = (document: DocumentRecord, rules: DocumentType['transitions']): string => {
  const here = rules.find((rule) => rule.from === document.status)
  if (here === undefined) {
    const from = [...new Set(rules.map((rule) => wordsOf(rule.from).toLowerCase()))]
    return `Possible while it is ${from.join(' or ')}; it is ${wordsOf(document.status).toLowerCase()}.`
  }
  if (here.by === 'raiser') return 'Only the side that raised the dispute can do this.'
  if (here.guard !== undefined) return guardTexts[here.guard]
  return frozenText
}

/** Why the person changes no document at all; undefined when they may. */
export const writeRefusal = ({ scopes }: Session): string | undefined =>
  scopes.includes('documents:write')
    ? undefined
    : 'Your role reads documents and does not change them.'

/** Why it cannot be paid now; undefined when it can. */
export const payRefusal = (document: DocumentRecord, { scopes }: Session): string | undefined => {
  if (document.payable)
    return scopes.includes('payments:write') ? undefined : 'Your role does not include payments.'
  if (
    document.payment !== null &&
    ['created', 'processing', 'scheduled'].includes(document.payment.status)
  )
    return `A payment is ${document.payment.status} already.`
  if (document.balance_due === 0) return 'Nothing is owed on it.'
  if (document.status !== 'approved') return 'It can be paid once it is approved.'
  const isFrozen = movesOf(document).some(({ refusal }) => refusal === frozenText)
  return isFrozen ? frozenText : 'It cannot be paid now.'
}

export const issueRefusal = ({ blockers = [] }: DocumentRecord): string | undefined =>
  blockers.length === 0 ? undefined : blockers.map((blocker) => `${wordsOf(blocker)}.`).join(' ')
