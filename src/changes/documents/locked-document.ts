/** A document that is locked for a change outside of the engine. */
import type { Side } from '../../contract/document-types.ts'
import { sideOf } from '../../core/documents/document-visibility.ts'
import { encodeId } from '../../core/ids.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Queryable } from '../../database/sql.ts'
import { isVisibleTo } from '../../store/documents/documents.ts'
import { lockDocument } from '../../store/provenance/changed-documents.ts'
import type { DocumentRow } from '../change-context.ts'
import { notFoundOrIsolated } from '../identity/sandbox-isolation.ts'
import { onHold } from './document-access.ts'

/** The document and the side of the organization; refused unless it can see the document. */
export const lockVisibleDocument = async (
  tx: Queryable,
  organization: string,
  id: string,
): Promise<{ document: DocumentRow; side: Side }> => {
  const isVisible = await isVisibleTo(tx, organization, id)
  const document = isVisible ? await lockDocument(tx, id) : undefined
  const side = document === undefined ? undefined : sideOf(document, organization)
  if (document === undefined || side === undefined) {
    throw await notFoundOrIsolated(tx, organization, 'doc', encodeId('doc', id))
  }
  if (!tx.seals.holds('documents', document)) throw new BrokenSeal('documents', id)
  if (document.integrity_hold) throw onHold('The document')
  return { document, side }
}
