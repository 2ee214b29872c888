/**
 * What an issued document allocates from its sources (domain 1 and 2.2): an invoice from its order,
 * a credit note from its invoice. Allocated at issue, released when the document is rejected or
 * cancelled. Sources are locked and loaded with the document (`referencesOfDocuments`).
 */
import { type ConversionEffect, effectOf } from '../../contract/conversions.ts'
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { subtotalOf } from '../../core/documents/automatic-transitions.ts'
import { type DocumentReference, parseContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { DocumentRow } from '../change-context.ts'

/** What a source needs so that its effect on the child, and the child's on it, can be decided. */
type SourceParties = Pick<DocumentRow, 'id' | 'type' | 'issuer_id'>

export interface SourceDocument<D extends SourceParties = DocumentRow> {
  rel: DocumentReference['rel']
  document: D
  /** The effect of issuing the child; undefined when the reference has none. */
  effect: ConversionEffect | undefined
  /** How many references to it the child's side has issued. */
  taken: number
}

/** The sources of a document that was loaded with the documents that it refers to. */
export const sourcesOf = (
  unit: UnitOfWork,
  child: Pick<DocumentRow, 'type' | 'issuer_id'>,
  references: readonly DocumentReference[],
): SourceDocument[] =>
  sourcesAmong(child, references, {
    find: (id) => unit.get('documents', id),
    takenOf: ({ id }) => unit.referencesTaken(id, child.issuer_id),
  })

/** How sources are found, and the references to them that the child's side has issued. */
interface SourceLookUp<D> {
  find(id: string): D | undefined
  takenOf(source: D): number
}

/** Each source is affected at most once, however often the child refers to it. */
export const sourcesAmong = <D extends SourceParties>(
  child: Pick<DocumentRow, 'type' | 'issuer_id'>,
  references: readonly DocumentReference[],
  { find, takenOf }: SourceLookUp<D>,
): SourceDocument<D>[] => {
  const affected = new Set<string>()
  return references.map(({ rel, document_id }) => {
    const document = find(decodeId('doc', document_id)!)
    if (document === undefined)
      throw new Error('the documents that a document refers to are loaded with it')
    const by = document.issuer_id === child.issuer_id ? 'issuer' : 'counterparty'
    const effect = affected.has(document.id)
      ? undefined
      : effectOf({ rel, from: document.type, to: child.type as DocumentTypeName, by })
    if (effect !== undefined) affected.add(document.id)
    return { rel, document, effect, taken: takenOf(document) }
  })
}

/** The amount the child allocates from the source, in minor units; 0 across currencies. */
export const allocationOf = (child: DocumentRow, { document, effect }: SourceDocument): bigint => {
  if (child.currency !== document.currency) return 0n
  if (effect === 'bill') return subtotalOf(child.content)
  return effect === 'credit' ? child.total : 0n
}

/**
 * Releases the allocations of a withdrawn document. They are not part of the sources' records, so
 * this does not count as a change of the sources.
 */
export const releaseAllocations = (unit: UnitOfWork, child: DocumentRow): void => {
  const { references } = parseContent(child.content)
  if (child.issued_at === null || references.length === 0) return
  // The demo counterparty, for one, withdraws documents by moves that its writes do not name.
  const isNamed = unit.isNamed('referencesOfDocuments', child.id)
  if (!isNamed) unit.needRows({ referencesOfDocuments: [child.id] })
  for (const source of sourcesOf(unit, child, references)) {
    if (source.effect === undefined) continue
    const { document } = source
    unit.save('documents', {
      ...document,
      derived_count: document.derived_count - 1,
      derived_amount: document.derived_amount - allocationOf(child, source),
    })
  }
}
