/**
 * What issuing a document does to the documents it refers to (domain 1 and 2): a quote is
 * converted, an order is invoiced and finally fulfilled, an invoice is credited. Both histories
 * record every link, and each pins the other (provenance 3).
 */
import {
  type Relation,
  conversionsOf,
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
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { type SourceDocument, allocationOf } from './source-allocations.ts'
import { type DocumentChange, applyDocumentChange, systemCauseOf } from './transitions.ts'
import { onHold } from './document-access.ts'
import { checkConvertible } from './conversion.ts'

/** Refuses if the current state of a source does not allow the child to be issued. */
export const checkSources = (
  child: DocumentRow,
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

/** Whether the child was converted from the source; a contract's children have no effect on it. */
const isMadeFrom = (child: DocumentRow, { rel, document, effect }: SourceDocument): boolean =>
  effect !== undefined ||
  (rel === 'converts' &&
    conversionsOf(document.type, issuingSide(child, document)).includes(
      child.type as DocumentTypeName,
    ))

const issuingSide = (child: DocumentRow, source: DocumentRow): Side =>
  child.issuer_id === source.issuer_id ? 'issuer' : 'counterparty'

const notIssued = (document: DocumentRow): Error =>
  refuse(
    'conflict',
    `The referenced document ${encodedIdOf(document)} is a draft that the other side cannot see: issue it first, or leave the reference out.`,
    { reason: 'reference_not_issued', document_id: encodedIdOf(document) },
  )

/** Domain 2.2: an issued invoice of the same issuer, with enough left to credit. */
const checkCreditable = (
  child: DocumentRow,
  content: DocumentContent,
  source: SourceDocument,
): void => {
  const { document: invoice, effect } = source
  const left = invoice.total - invoice.derived_amount
  const obstacle =
    effect !== 'credit'
      ? 'is not an invoice of yours: a credit note credits an invoice of the same issuer'
      : withdrawnStates.includes(invoice.status)
        ? `is ${invoice.status}: nothing is left to credit`
        : invoice.status === 'payment_scheduled'
          ? paymentObstacle(invoice)
          : invoice.currency !== content.currency
            ? `is in ${invoice.currency}: a credit note must use the currency of its invoice`
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

/** Why an invoice that is being paid cannot be credited, and when it can. */
const paymentObstacle = ({ payment }: DocumentRow): string => {
  const { status, scheduled_for, amount, currency } = parsePayment(payment!)
  const described = `a payment of ${minorText(amount)} ${currency}`
  if (status === 'settled')
    return `has ${described} that has just settled: credit it once it is paid`
  return status === 'scheduled'
    ? `has ${described} scheduled for ${scheduled_for}: credit it once that has settled or its payer calls it off`
    : `has ${described} under way: credit it once that has settled or failed`
}

/** The part of a credit note that reduces the balance; the rest is to be refunded. */
export const creditedAmount = (child: DocumentRow, sources: readonly SourceDocument[]): bigint => {
  const credited = sources.find(({ effect }) => effect === 'credit')
  return credited === undefined ? child.amount_credited : creditAppliedTo(credited.document, child)
}

const creditAppliedTo = (invoice: DocumentRow, note: DocumentRow): bigint => {
  const balance = balanceDue(invoice)
  return note.total < balance ? note.total : balance
}

/** The links in the issuing event; each pins its source as it was before. */
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

const peerOf = (document: DocumentRow) => ({
  stream: streamOf(document.stream_salt, encodedIdOf(document)),
  seq: document.head_seq,
  hash: document.head_hash.toString('hex'),
})

export const applyToSource = (
  change: ChangeContext,
  source: SourceDocument,
  issued: DocumentRow,
): void => {
  // Read again, because another reference of the same document may have changed it.
  const before = change.unit.get('documents', source.document.id)!
  applyDocumentChange(change, before, {
    ...sourceChangeOf(before, source, issued),
    reason: { link: linkTo(source.rel, issued) },
  })
}

const linkTo = (rel: Relation, issued: DocumentRow) => ({
  relation: linkRelation(rel, issued.type),
  direction: 'to',
  peer: peerOf(issued),
})

const sourceChangeOf = (
  before: DocumentRow,
  source: SourceDocument,
  issued: DocumentRow,
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

const encodedIdOf = (document: DocumentRow): string => encodeId('doc', document.id)
