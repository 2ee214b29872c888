/** What files of payments and postings say of the document that is paid, and of its other party. */
import type { Call } from '../../context.ts'
import { parseContent } from '../../core/documents/content.ts'
import { visibleSideOf } from '../../core/documents/document-visibility.ts'
import { documentOf } from '../documents/document-lookup.ts'
import { otherSideOf } from '../../contract/document-types.ts'

export interface PaidDocument {
  /** As the caller knows the document. */
  document_number: string | null
  /** By the name that it has in the document. */
  counterparty: { name: string | null }
}

const unknown: PaidDocument = { document_number: null, counterparty: { name: null } }

/** Nothing of a document that the caller does not see. */
export const paidDocument = async (call: Call, id: string | null): Promise<PaidDocument> => {
  if (id === null) return unknown
  const document = await documentOf(call, id)
  const side = document === undefined ? undefined : visibleSideOf(document, call.organization)
  if (document === undefined || side === undefined) return unknown
  const { name } = parseContent(document.content)[otherSideOf(side)]
  return { document_number: document[`${side}_number`], counterparty: { name } }
}
