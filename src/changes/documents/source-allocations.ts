/**
 * What a standing document takes of those that it was made from (domain 1 and 2.2): an invoice of
 * its order, a credit note of its invoice. Counted when it is issued, given back when it is
 * rejected or cancelled. Sources are locked and loaded with the document (`related`).
 */
import { type Effect, effectOf } from '../../contract/conversions.ts'
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { subtotalOf } from '../../core/documents/automatic-transitions.ts'
import { type Reference, readContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'

type Document = Rows['documents']

/** A document that another refers to. */
export interface Source {
  rel: Reference['rel']
  document: Document
  /** What issuing the other does to it; undefined when the reference only points. */
  effect: Effect | undefined
}

/** Each source has one effect at most, however often it is referred to. */
export const sourcesOf = (
  world: World,
  child: Document,
  references: readonly Reference[],
): Source[] => {
  const affected = new Set<string>()
  return references.map(({ rel, document_id }) => {
    const document = world.get('documents', decodeId('doc', document_id)!)
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
export const claimOf = (child: Document, { document, effect }: Source): bigint => {
  if (child.currency !== document.currency) return 0n
  if (effect === 'bill') return subtotalOf(child.content)
  return effect === 'credit' ? child.total : 0n
}

/**
 * The document no longer stands. What is counted of its sources is not part of their record, so
 * that this is no change of theirs.
 */
export const giveBack = (world: World, child: Document): void => {
  if (child.issued_at === null) return
  for (const source of sourcesOf(world, child, readContent(child.content).references)) {
    if (source.effect === undefined) continue
    const { document } = source
    world.save('documents', {
      ...document,
      children: document.children - 1,
      claimed: document.claimed - claimOf(child, source),
    })
  }
}
