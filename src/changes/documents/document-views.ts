/** A document's row in the list of one of its viewers. */
import type { Side } from '../../contract/document-types.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { NewDocumentRow } from '../change-context.ts'

/** Makes the document visible to one side, at its position in that side's feed. */
export const insertView = (unit: UnitOfWork, document: NewDocumentRow, side: Side): void => {
  const isIssuer = side === 'issuer'
  unit.insert('document_views', {
    organization_id: isIssuer ? document.issuer_id : document.counterparty_id,
    position: isIssuer ? document.issuer_position : document.counterparty_position!,
    document_id: document.id,
    side,
    number: isIssuer ? document.issuer_number : document.counterparty_number!,
    type: document.type,
    status: document.status,
    connection_id: document.connection_id,
    document_date: document.document_date,
    updated_at: document.updated_at,
    currency: document.currency,
    due_date: document.due_date,
  })
}

export const updateView = (unit: UnitOfWork, document: NewDocumentRow, side: Side): void => {
  const isIssuer = side === 'issuer'
  unit.updateView({
    organization_id: isIssuer ? document.issuer_id : document.counterparty_id,
    position: isIssuer ? document.issuer_position : document.counterparty_position!,
    status: document.status,
    document_date: document.document_date,
    updated_at: document.updated_at,
    currency: document.currency,
    due_date: document.due_date,
  })
}
