/** The derived parts of a draft's content, shared by creating, editing and issuing. */
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import type { ContentTerms, DocumentContent } from '../../core/documents/content.ts'
import { addDays } from '../../core/dates.ts'
import { encodeId } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { DocumentRow } from '../change-context.ts'

export const contentColumns = (content: DocumentContent) => ({
  currency: content.currency,
  document_date: content.document_date,
  due_date: content.due_date,
  valid_until: content.valid_until,
})

/** A party as the content names it. */
export const partyOf = (unit: UnitOfWork, organization: string) => ({
  organization_id: encodeId('org', organization),
  name: unit.get('organizations', organization)!.name,
})

/** Saves a draft, and keeps its former content, which earlier events and responses show. */
export const saveDraft = (unit: UnitOfWork, before: DocumentRow, after: DocumentRow): void => {
  unit.save('documents', after)
  if (after.content === before.content) return
  unit.insert('replaced_contents', {
    document_id: before.id,
    revision: before.revision,
    content: before.content,
    replaced_at: after.updated_at,
  })
}

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
