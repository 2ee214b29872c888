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
  linkName,
  withdrawnStates,
} from '../../contract/conversions.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import { refuse } from '../../contract/errors.ts'
import { consequenceOf } from '../../core/documents/automatic-transitions.ts'
import type { Content } from '../../core/documents/content.ts'
import { streamOf } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import { fromMinor, minorText } from '../../core/money.ts'
import { readPayment } from '../../core/payments/payment-record.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import type { Rows } from '../../database/rows.ts'
import type { Change } from '../acting-caller.ts'
import { type Source, claimOf } from './source-allocations.ts'
import { type Applied, aKind, applyChange, causeOf } from './transitions.ts'
import { onHold } from './document-access.ts'

type Document = Rows['documents']

/** Refuses when one of the sources does not allow it now. */
export const checkSources = (
  child: Document,
  content: Content,
  sources: readonly Source[],
): void => {
  for (const source of sources) {
    const { document } = source
    if (document.integrity_hold) throw onHold(`Document ${idOf(document)}`)
    if (document.issued_at === null) throw notIssued(document)
    if (source.rel === 'credits') checkCreditable(child, content, source)
    else if (isMadeFrom(child, source)) {
      checkConvertible(document, issuingSide(child, document), child.type)
    }
  }
}

/** Not only pointed at: a conversion, even of a contract, which takes no notice of it. */
const isMadeFrom = (child: Document, { rel, document, effect }: Source): boolean =>
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
  const only = `${aKind(source.type)} becomes ${aKind(to)} only while it is ${orOf(states)}`
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
    document_id: idOf(document),
    status: document.status,
    to,
    allowed: convertibleTo(document, side),
    convertible_to: conversionsOf(document.type, side),
    convertible_in: convertibleStates[document.type as DocumentTypeName] ?? [],
  })

/** One of them, in words. */
export const orOf = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ')

const notIssued = (document: Document): Error =>
  refuse(
    'conflict',
    `Document ${idOf(document)}, to which this one refers, is a draft that the other side cannot see: issue that one first, or leave the reference out.`,
    { reason: 'reference_not_issued', document_id: idOf(document) },
  )

/** Domain 2.2: an issued invoice of the same issuer, of which so much is left. */
const checkCreditable = (child: Document, content: Content, source: Source): void => {
  const { document: invoice, effect } = source
  const left = invoice.total - invoice.claimed
  const obstacle =
    effect !== 'credit'
      ? 'is no invoice of yours: a credit note credits an invoice of the same issuer'
      : withdrawnStates.includes(invoice.status)
        ? `is ${invoice.status}: nothing of it is left to credit`
        : invoice.status === 'payment_scheduled'
          ? `${paymentOf(invoice)}: credit it then`
          : invoice.currency !== content.currency
            ? `is in ${invoice.currency}: a credit note has the currency of its invoice`
            : child.total > left
              ? `has ${minorText(left)} ${invoice.currency} left to credit: credit at most that much`
              : undefined
  if (obstacle === undefined) return
  throw refuse('conflict', `${invoice.issuer_number} ${obstacle}.`, {
    reason: 'not_creditable',
    document_id: idOf(invoice),
    ...(effect === 'credit'
      ? { creditable: fromMinor(invoice.status === 'payment_scheduled' ? 0n : left) }
      : {}),
  })
}

/** Until when an invoice that is being paid takes no credit. */
const paymentOf = ({ payment }: Document): string => {
  const { status, scheduled_for, amount, currency } = readPayment(payment!)
  const of = `a payment of ${minorText(amount)} ${currency}`
  if (status === 'settled') return `has just had ${of}, and is paid in a moment`
  return status === 'scheduled'
    ? `has ${of} scheduled for ${scheduled_for}, until that has settled or its payer calls it off`
    : `has ${of} under way, until that has settled or failed`
}

/** What a credit note is applied to at once; the rest of it is to be refunded. */
export const creditOf = (child: Document, sources: readonly Source[]): bigint => {
  const credited = sources.find(({ effect }) => effect === 'credit')
  return credited === undefined ? child.amount_credited : appliedTo(credited.document, child)
}

const appliedTo = (invoice: Document, note: Document): bigint => {
  const balance = balanceDue(invoice)
  return note.total < balance ? note.total : balance
}

/** What the issuing event holds of the links: each pins its source as it was before. */
export const linksFrom = (type: string, sources: readonly Source[]): object =>
  sources.length === 0
    ? {}
    : {
        links: sources.map(({ rel, document }) => ({
          relation: linkName(rel, type),
          direction: 'from',
          peer: peerOf(document),
        })),
      }

const peerOf = (document: Document) => ({
  stream: streamOf(document.stream_salt, idOf(document)),
  seq: document.head_seq,
  hash: document.head_hash.toString('hex'),
})

/** Lets the source take notice of the issued document. */
export const takeFrom = (change: Change, source: Source, issued: Document): void => {
  // As it is now: another reference of the same document may have changed it.
  const before = change.world.get('documents', source.document.id)!
  applyChange(change, before, {
    ...effectOn(before, source, issued),
    reason: { link: linkTo(source.rel, issued) },
  })
}

const linkTo = (rel: Relation, issued: Document) => ({
  relation: linkName(rel, issued.type),
  direction: 'to',
  peer: peerOf(issued),
})

const effectOn = (before: Document, source: Source, issued: Document): Applied => {
  if (source.effect === undefined) return { set: {}, cause: 'linked' }
  const set: Applied['set'] = {
    children: before.children + 1,
    claimed: before.claimed + claimOf(issued, source),
    ...(source.effect === 'credit'
      ? { amount_credited: before.amount_credited + issued.amount_credited }
      : {}),
  }
  const to = source.effect === 'convert' ? 'converted' : consequenceOf({ ...before, ...set })
  if (to === undefined)
    return { set, cause: source.effect === 'credit' ? 'credited' : 'child issued' }
  const cause = causeOf(before, to)
  return { set: { ...set, status: to, dispute: null }, ...(cause === undefined ? {} : { cause }) }
}

const idOf = (document: Document): string => encodeId('doc', document.id)
