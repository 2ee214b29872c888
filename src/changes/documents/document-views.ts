/** The row of a document in the list of one of its viewers. */
import type { Side } from '../../contract/document-types.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { DocumentRow } from '../history-and-events.ts'

/** The viewer sees it from now on, at its position in the viewer's feed. */
export const insertView = (world: World, document: DocumentRow, side: Side): void => {
  const isIssuer = side === 'issuer'
  world.insert('document_views', {
    organization_id: isIssuer ? document.issuer_id : document.counterparty_id,
    created: isIssuer ? document.issuer_position : document.counterparty_position!,
    document_id: document.id,
    side,
    number: isIssuer ? document.issuer_number : document.counterparty_number!,
    type: document.type,
    status: document.status,
    connection_id: document.connection_id,
    document_date: document.document_date,
    updated_at: document.updated_at,
  })
}

export const changeView = (world: World, document: DocumentRow, side: Side): void => {
  const isIssuer = side === 'issuer'
  world.changeView({
    organization_id: isIssuer ? document.issuer_id : document.counterparty_id,
    created: isIssuer ? document.issuer_position : document.counterparty_position!,
    status: document.status,
    document_date: document.document_date,
    updated_at: document.updated_at,
  })
}
