/**
 * What issuing a document does to those that it refers to (domain 1 and 2): a quote is converted,
 * an order is invoiced and at last fulfilled, an invoice is credited. Every link is written into
 * both histories, and pins the other one (provenance 3).
 */
import {
  type Relation,
  conversionsOf,
  convertibleStates,
  convertibleTo,
  linkRelation,
  withdrawnStates,
} from '../../contract/conversions.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import { refuse } from '../../contract/errors.ts'
import { automaticTargetOf } from '../../core/documents/automatic-transitions.ts'
import type { DocumentContent } from '../../core/documents/content.ts'
import { streamOf } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import { fromMinor, minorText } from '../../core/money.ts'
import { parsePayment } from '../../core/payments/payment-record.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext } from '../change-context.ts'
import { type SourceDocument, allocationOf } from './source-allocations.ts'
import {
  type DocumentChange,
  typeWithArticle,
  applyDocumentChange,
  systemCauseOf,
} from './transitions.ts'
import { onHold } from './document-access.ts'

type Document = Rows['documents']

/** Refuses when one of the sources does not allow it now. */
export const checkSources = (
  child: Document,
  content: DocumentContent,
  sources: readonly SourceDocument[],
): void => {
  for (const source of sources) {
    const { document } = source
    if (document.integrity_hold) throw onHold(`Document ${encodedIdOf(document)}`)
    if (document.issued_at === null) throw notIssued(document)
    if (source.rel === 'credits') checkCreditable(child, content, source)
    else if (isMadeFrom(child, source)) {
      checkConvertible(document, issuingSide(child, document), child.type)
    }
  }
}

/** Not only pointed at: a conversion, even of a contract, which takes no notice of it. */
const isMadeFrom = (child: Document, { rel, document, effect }: SourceDocument): boolean =>
  effect !== undefined ||
  (rel === 'converts' &&
    conversionsOf(document.type, issuingSide(child, document)).includes(
      child.type as DocumentTypeName,
    ))

const issuingSide = (child: Document, source: Document): Side =>
  child.issuer_id === source.issuer_id ? 'issuer' : 'counterparty'

/** The states are those in which the draft could be made (domain 1): they must hold still. */
export const checkConvertible = (source: Document, side: Side, to: string): void => {
  if (source.status === 'converted') throw alreadyConverted(source)
  const states = convertibleStates[source.type as DocumentTypeName] ?? []
  if (states.includes(source.status)) return
  const only = `${typeWithArticle(source.type)} becomes ${typeWithArticle(to)} only while it is ${joinWithOr(states)}`
  throw notConvertible(source, { side, to, cause: `is ${source.status}: ${only}` })
}

const alreadyConverted = (document: Document): Error =>
  refuse(
    'conflict',
    `${document.issuer_number} was converted before: a quote makes one document.`,
    { reason: 'already_converted', allowed: [] },
  )

export const notConvertible = (
  document: Document,
  { side, to, cause }: { side: Side; to: string; cause: string },
): Error =>
  refuse('conflict', `${document.issuer_number} ${cause}.`, {
    reason: 'not_convertible',
    document_id: encodedIdOf(document),
    status: document.status,
    to,
    allowed: convertibleTo(document, side),
    convertible_to: conversionsOf(document.type, side),
    convertible_in: convertibleStates[document.type as DocumentTypeName] ?? [],
  })

/** One of them, in words. */
export const joinWithOr = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ')

const notIssued = (document: Document): Error =>
  refuse(
    'conflict',
    `Document ${encodedIdOf(document)}, to which this one refers, is a draft that the other side cannot see: issue that one first, or leave the reference out.`,
    { reason: 'reference_not_issued', document_id: encodedIdOf(document) },
  )

/** Domain 2.2: an issued invoice of the same issuer, of which so much is left. */
const checkCreditable = (
  child: Document,
  content: DocumentContent,
  source: SourceDocument,
): void => {
  const { document: invoice, effect } = source
  const left = invoice.total - invoice.derived_amount
  const obstacle =
    effect !== 'credit'
      ? 'is no invoice of yours: a credit note credits an invoice of the same issuer'
      : withdrawnStates.includes(invoice.status)
        ? `is ${invoice.status}: nothing of it is left to credit`
        : invoice.status === 'payment_scheduled'
          ? `${paymentObstacle(invoice)}: credit it then`
          : invoice.currency !== content.currency
            ? `is in ${invoice.currency}: a credit note has the currency of its invoice`
            : child.total > left
              ? `has ${minorText(left)} ${invoice.currency} left to credit: credit at most that much`
              : undefined
  if (obstacle === undefined) return
  throw refuse('conflict', `${invoice.issuer_number} ${obstacle}.`, {
    reason: 'not_creditable',
    document_id: encodedIdOf(invoice),
    ...(effect === 'credit'
      ? { creditable: fromMinor(invoice.status === 'payment_scheduled' ? 0n : left) }
      : {}),
  })
}

/** Until when an invoice that is being paid takes no credit. */
const paymentObstacle = ({ payment }: Document): string => {
  const { status, scheduled_for, amount, currency } = parsePayment(payment!)
  const of = `a payment of ${minorText(amount)} ${currency}`
  if (status === 'settled') return `has just had ${of}, and is paid in a moment`
  return status === 'scheduled'
    ? `has ${of} scheduled for ${scheduled_for}, until that has settled or its payer calls it off`
    : `has ${of} under way, until that has settled or failed`
}

/** What a credit note is applied to at once; the rest of it is to be refunded. */
export const creditedAmount = (child: Document, sources: readonly SourceDocument[]): bigint => {
  const credited = sources.find(({ effect }) => effect === 'credit')
  return credited === undefined ? child.amount_credited : creditAppliedTo(credited.document, child)
}

const creditAppliedTo = (invoice: Document, note: Document): bigint => {
  const balance = balanceDue(invoice)
  return note.total < balance ? note.total : balance
}

/** What the issuing event holds of the links: each pins its source as it was before. */
export const linksForHistory = (type: string, sources: readonly SourceDocument[]): object =>
  sources.length === 0
    ? {}
    : {
        links: sources.map(({ rel, document }) => ({
          relation: linkRelation(rel, type),
          direction: 'from',
          peer: peerOf(document),
        })),
      }

const peerOf = (document: Document) => ({
  stream: streamOf(document.stream_salt, encodedIdOf(document)),
  seq: document.head_seq,
  hash: document.head_hash.toString('hex'),
})

/** Lets the source take notice of the issued document. */
export const applyToSource = (
  change: ChangeContext,
  source: SourceDocument,
  issued: Document,
): void => {
  // As it is now: another reference of the same document may have changed it.
  const before = change.unit.get('documents', source.document.id)!
  applyDocumentChange(change, before, {
    ...sourceChangeOf(before, source, issued),
    reason: { link: linkTo(source.rel, issued) },
  })
}

const linkTo = (rel: Relation, issued: Document) => ({
  relation: linkRelation(rel, issued.type),
  direction: 'to',
  peer: peerOf(issued),
})

const sourceChangeOf = (
  before: Document,
  source: SourceDocument,
  issued: Document,
): DocumentChange => {
  if (source.effect === undefined) return { set: {}, cause: 'linked' }
  const set: DocumentChange['set'] = {
    derived_count: before.derived_count + 1,
    derived_amount: before.derived_amount + allocationOf(issued, source),
    ...(source.effect === 'credit'
      ? { amount_credited: before.amount_credited + issued.amount_credited }
      : {}),
  }
  const to = source.effect === 'convert' ? 'converted' : automaticTargetOf({ ...before, ...set })
  if (to === undefined)
    return { set, cause: source.effect === 'credit' ? 'credited' : 'child issued' }
  const cause = systemCauseOf(before, to)
  return { set: { ...set, status: to, dispute: null }, ...(cause === undefined ? {} : { cause }) }
}

const encodedIdOf = (document: Document): string => encodeId('doc', document.id)
