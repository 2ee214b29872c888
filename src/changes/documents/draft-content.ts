/** The derived parts of a draft's content, shared by creating, editing and issuing. */
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import type { ContentTerms, DocumentContent } from '../../core/documents/content.ts'
import { addDays } from '../../core/dates.ts'

export const contentColumns = (content: DocumentContent) => ({
  currency: content.currency,
  document_date: content.document_date,
  due_date: content.due_date,
  valid_until: content.valid_until,
})

/** The last day of an offer for which the issuer chose none. */
export const defaultValidUntil = (type: DocumentTypeName, from: string): string | null => {
  const { validDays } = documentTypes[type]
  return validDays === null ? null : addDays(from, validDays)
}

/** A type without a due date keeps the wording of its terms but no dates. */
export const termsForType = (
  terms: Omit<ContentTerms, 'document_date' | 'valid_until'>,
  hasDueDate: boolean,
) => ({
  payment_terms: terms.payment_terms,
  net_days: hasDueDate ? terms.net_days : null,
  due_date: hasDueDate ? terms.due_date : null,
  early_payment: hasDueDate ? terms.early_payment : null,
})
