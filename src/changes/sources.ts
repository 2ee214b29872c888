/**
 * What issuing a document does to those that it refers to (domain 1 and 2): a quote is converted,
 * an order is invoiced and at last fulfilled, an invoice is credited. Every link is written into
 * both histories, and pins the other one (provenance 3).
 */
import { type Relation, linkName, withdrawnStates } from '../contract/conversions.ts'
import { refuse } from '../contract/errors.ts'
import { consequenceOf } from '../core/consequences.ts'
import type { Content } from '../core/content.ts'
import { streamOf } from '../core/history.ts'
import { encodeId } from '../core/ids.ts'
import { fromMinor, minorText } from '../core/money.ts'
import { balanceDue } from '../core/project.ts'
import type { Rows } from '../store/rows.ts'
import type { Change } from './caller.ts'
import { type Source, claimOf } from './claims.ts'
import { type Applied, applyChange, causeOf, onHold } from './documents.ts'

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
    else if (source.effect !== undefined) checkConvertible(source)
  }
}

const checkConvertible = ({ document, effect }: Source): void => {
  if (effect === 'convert') checkQuote(document)
  else if (withdrawnStates.includes(document.status)) throw notConvertible(document)
}

/** A quote makes one document, and only while it is accepted. */
const checkQuote = (quote: Document): void => {
  if (quote.status === 'converted') throw alreadyConverted(quote)
  if (quote.status !== 'accepted') throw notConvertible(quote)
}

export const alreadyConverted = (document: Document): Error =>
  refuse(
    'conflict',
    `${document.issuer_number} was converted before: a quote makes one document.`,
    {
      reason: 'already_converted',
    },
  )

export const notConvertible = (document: Document, more: object = {}): Error =>
  refuse(
    'conflict',
    `${document.issuer_number} is a ${document.status} ${document.type.replaceAll('_', ' ')}: this cannot be made from it.`,
    { reason: 'not_convertible', document_id: idOf(document), status: document.status, ...more },
  )

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
      ? 'is no invoice of yours'
      : withdrawnStates.includes(invoice.status)
        ? `is ${invoice.status}`
        : invoice.status === 'payment_scheduled'
          ? 'is being paid'
          : invoice.currency !== content.currency
            ? `is in ${invoice.currency}`
            : child.total > left
              ? `has ${minorText(left)} left to credit`
              : undefined
  if (obstacle === undefined) return
  throw refuse('conflict', `${invoice.issuer_number} ${obstacle}: this cannot be credited.`, {
    reason: 'not_creditable',
    document_id: idOf(invoice),
    ...(effect === 'credit' ? { creditable: fromMinor(left) } : {}),
  })
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
