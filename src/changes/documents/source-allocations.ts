/**
 * What a standing document takes of those that it was made from (domain 1 and 2.2): an invoice of
 * its order, a credit note of its invoice. Counted when it is issued, given back when it is
 * rejected or cancelled. Sources are locked and loaded with the document (`related`).
 */
import { type ConversionEffect, effectOf } from '../../contract/conversions.ts'
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { subtotalOf } from '../../core/documents/automatic-transitions.ts'
import { type DocumentReference, parseContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'

type Document = Rows['documents']

/** A document that another refers to. */
export interface SourceDocument {
  rel: DocumentReference['rel']
  document: Document
  /** What issuing the other does to it; undefined when the reference only points. */
  effect: ConversionEffect | undefined
}

/** Each source has one effect at most, however often it is referred to. */
export const sourcesOf = (
  unit: UnitOfWork,
  child: Document,
  references: readonly DocumentReference[],
): SourceDocument[] => {
  const affected = new Set<string>()
  return references.map(({ rel, document_id }) => {
    const document = unit.get('documents', decodeId('doc', document_id)!)
    if (document === undefined) throw new Error('what a document refers to is loaded with it')
    const by = document.issuer_id === child.issuer_id ? 'issuer' : 'counterparty'
    const effect = affected.has(document.id)
      ? undefined
      : effectOf({ rel, from: document.type, to: child.type as DocumentTypeName, by })
    if (effect !== undefined) affected.add(document.id)
    return { rel, document, effect }
  })
}

/** How much of its source the document takes, in minor units of one currency. */
export const allocationOf = (child: Document, { document, effect }: SourceDocument): bigint => {
  if (child.currency !== document.currency) return 0n
  if (effect === 'bill') return subtotalOf(child.content)
  return effect === 'credit' ? child.total : 0n
}

/**
 * The document no longer stands. What is counted of its sources is not part of their record, so
 * that this is no change of theirs.
 */
export const releaseAllocations = (unit: UnitOfWork, child: Document): void => {
  if (child.issued_at === null) return
  for (const source of sourcesOf(unit, child, parseContent(child.content).references)) {
    if (source.effect === undefined) continue
    const { document } = source
    unit.save('documents', {
      ...document,
      derived_count: document.derived_count - 1,
      derived_amount: document.derived_amount - allocationOf(child, source),
    })
  }
}
