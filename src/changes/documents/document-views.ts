/** A document's row in the list of one of its viewers. */
import type { Side } from '../../contract/document-types.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ViewChange } from '../../engine/working-set.ts'
import type { NewDocumentRow } from '../change-context.ts'

/** Makes the document visible to one side, at its position in that side's feed. */
export const insertView = (unit: UnitOfWork, document: NewDocumentRow, side: Side): void =>
  unit.insert('document_views', {
    ...viewOf(document, side),
    document_id: document.id,
    side,
    number: document[`${side}_number`]!,
    type: document.type,
    connection_id: document.connection_id,
  })

export const updateView = (unit: UnitOfWork, document: NewDocumentRow, side: Side): void =>
  unit.updateView(viewOf(document, side))

/** The key of the row, and the columns that change with the document. */
const viewOf = (document: NewDocumentRow, side: Side): ViewChange => ({
  organization_id: document[`${side}_id`],
  position: document[`${side}_position`]!,
  status: document.status,
  document_date: document.document_date,
  updated_at: document.updated_at,
  currency: document.currency,
  due_date: document.due_date,
})
