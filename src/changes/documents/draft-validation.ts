/** Validates the body of a draft without reading any record (domain 1). */
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { DocumentEdit } from '../../contract/shapes/documents.ts'
import { addDays } from '../../core/dates.ts'
import type { DocumentReference } from '../../core/documents/content.ts'
import { computeTotals } from '../../core/documents/totals.ts'

export const lineProblems = (body: Pick<DocumentEdit, 'line_items'>): Problem[] => {
  if (body.line_items === undefined) return []
  const result = computeTotals(body.line_items)
  return result.ok ? [] : result.problems
}

export interface DraftFacts {
  type: DocumentTypeName
  today: string
  /** The resulting document date. */
  documentDate: string
  /** The resulting last day of the offer, if the issuer chose one. */
  validUntil: string | null
  /** The resulting references. */
  references: readonly DocumentReference[]
  /** The draft's own id; null for a new draft. */
  id: string | null
}

/** All problems except those of the lines. */
export const draftProblems = (body: DocumentEdit, facts: DraftFacts): Problem[] => [
  ...typeProblems(body, facts),
  ...dateProblems(body, facts),
  ...referenceProblems(facts),
]

const typeProblems = (body: DocumentEdit, { type }: DraftFacts): Problem[] => {
  const { createdBy, hasDueDate, canExpire } = documentTypes[type]
  const problems: Problem[] = []
  if (createdBy === 'finance') {
    problems.push({
      param: '/document_type',
      code: 'invalid_value',
      message: `Documents of type ${type} are created by accepting a finance offer.`,
      fix: 'send POST /v1/finance/offers/{id}/accept',
    })
  }
  if (body.due_date != null && !hasDueDate) {
    problems.push({
      param: '/due_date',
      code: 'invalid_value',
      message: `A ${type} has no due date.`,
      fix: 'leave due_date out',
    })
  }
  if (body.valid_until != null && !canExpire) {
    problems.push({
      param: '/valid_until',
      code: 'invalid_value',
      message: 'Only quotes and contracts have this field.',
      fix: 'leave valid_until out',
    })
  }
  return problems
}

const dateProblems = (body: DocumentEdit, facts: DraftFacts): Problem[] => {
  const { today, documentDate, validUntil } = facts
  const problems: Problem[] = []
  if (body.document_date !== undefined) {
    const first = limits.documentDateMin
    const last = addDays(today, limits.documentDateMaxDaysAhead)
    if (documentDate < first || documentDate > last) {
      problems.push({
        param: '/document_date',
        code: 'out_of_range',
        message: `Must be between ${first} and ten years from today.`,
        fix: `send a date from ${first} to ${last}`,
      })
    }
  }
  if (validUntil !== null && validUntil < documentDate) {
    problems.push({
      param: body.valid_until == null ? '/document_date' : '/valid_until',
      code: 'out_of_range',
      message: `The offer would expire on ${validUntil}, before its document date ${documentDate}.`,
      fix: 'send a later valid_until',
    })
  }
  return problems
}

const referenceProblems = ({ type, references, id }: DraftFacts): Problem[] => {
  const problems: Problem[] = []
  const credits = references.filter(({ rel }) => rel === 'credits').length
  if (type === 'credit_note' && credits !== 1) {
    problems.push({
      param: '/references',
      code: credits === 0 ? 'required' : 'invalid_value',
      message: `A credit note credits exactly one invoice (got ${credits}).`,
      fix: 'send references: [{"rel": "credits", "document_id": "doc_…"}]',
    })
  }
  if (references.length > limits.referencesMax) {
    problems.push({
      param: '/references',
      code: 'out_of_range',
      message: `A document has at most ${limits.referencesMax} references.`,
      fix: `send at most ${limits.referencesMax}`,
    })
  }
  const seen = new Set<string>()
  references.forEach(({ rel, document_id }, i) => {
    const add = (field: string, message: string, fix: string) =>
      problems.push({ param: `/references/${i}${field}`, code: 'invalid_value', message, fix })
    if (type !== 'credit_note' && rel === 'credits') {
      add(
        '/rel',
        'Only a credit note can credit another document.',
        'create a credit_note, or send relates_to',
      )
    }
    if (document_id === id) {
      add('/document_id', 'A document cannot refer to itself.', 'leave this reference out')
    }
    const key = `${rel} ${document_id}`
    if (seen.has(key)) add('', 'The reference is given twice.', 'send it once')
    seen.add(key)
  })
  return problems
}
