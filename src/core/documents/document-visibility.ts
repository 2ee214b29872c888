/** Which side of a document an organization is on, and whether it may see the document. */
import type { Side } from '../../contract/document-types.ts'
import type { DocumentRecord } from './document-record.ts'

export type DocumentParties = Pick<DocumentRecord, 'issuer_id' | 'counterparty_id' | 'issued_at'>

/** The organization's side; undefined when it must not learn that the document exists. */
export const sideOf = (document: DocumentParties, organization: string): Side | undefined => {
  if (document.issuer_id === organization) return 'issuer'
  if (document.counterparty_id === organization && document.issued_at !== null)
    return 'counterparty'
  return undefined
}

/** An organization, and the feed position of its last sandbox reset (decision 0046). */
export interface ViewerOrganization {
  id: string
  resetPosition: bigint
}

/** The document's positions in its parties' feeds; null while only the issuer sees it. */
export interface FeedPositions {
  issuer_position: bigint
  counterparty_position: bigint | null
}

/** Like `sideOf`, but undefined also for documents from before the organization's last reset. */
export const visibleSideOf = (
  document: DocumentParties & FeedPositions,
  { id, resetPosition }: ViewerOrganization,
): Side | undefined => {
  const side = sideOf(document, id)
  // A composed name would cost more than all the rest, on every read.
  const position =
    side === 'issuer' ? document.issuer_position : (document.counterparty_position ?? 0n)
  return side !== undefined && position > resetPosition ? side : undefined
}
