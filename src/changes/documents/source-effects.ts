/**
 * What issuing a document does to the documents it refers to (domain 1 and 2): a quote is
 * converted, an order is invoiced and finally fulfilled, an invoice is credited. Both histories
 * record every link, and each pins the other (provenance 3).
 */
import { type Relation, linkRelation } from '../../contract/conversions.ts'
import { automaticTargetOf } from '../../core/documents/automatic-transitions.ts'
import { versionOf } from '../../core/provenance/lineage.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { type SourceDocument, allocationOf } from './source-allocations.ts'
import { type DocumentChange, applyDocumentChange, systemCauseOf } from './transitions.ts'

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
          peer: versionOf(document),
        })),
      }

export const applyToSource = (
  change: ChangeContext,
  source: SourceDocument,
  issued: DocumentRow,
): void => {
  // Read again, because another reference of the same document may have changed it.
  const before = change.unit.get('documents', source.document.id)!
  applyDocumentChange(change, before, {
    ...sourceChangeOf(before, source, issued),
    more: { link: linkTo(source.rel, issued) },
  })
}

const linkTo = (rel: Relation, issued: DocumentRow) => ({
  relation: linkRelation(rel, issued.type),
  direction: 'to',
  peer: versionOf(issued),
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
  return { set: { ...set, status: to, dispute: null }, cause: systemCauseOf(before, to) }
}
