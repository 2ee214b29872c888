/** Whether the organization is the one that pays a document. */
import { payers } from '../../../src/contract/payers.ts'
import type { DocumentRecord } from '../api/types.ts'

export const isPayable = ({ document_type, direction }: DocumentRecord): boolean =>
  payers[document_type] === (direction === 'issued' ? 'issuer' : 'counterparty')
