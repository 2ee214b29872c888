/** How a document and its other party are called. */
import type { DocumentRecord } from '../api/types.ts'

export const otherPartyOf = ({ direction, issuer, counterparty }: DocumentRecord) =>
  direction === 'issued' ? counterparty : issuer

export const sideOf = ({ direction }: Pick<DocumentRecord, 'direction'>) =>
  direction === 'issued' ? 'issuer' : 'counterparty'

export const partyOf = (document: DocumentRecord): string => otherPartyOf(document).name

export const titleOf = ({ label, number }: DocumentRecord): string =>
  number === null ? `${label} draft` : `${label} ${number}`

export const referenceOf = ({ external_refs, issuer_number, number }: DocumentRecord): string =>
  external_refs['issuer_ref'] ?? (issuer_number === number ? '' : (issuer_number ?? ''))
