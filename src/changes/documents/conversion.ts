/** Making a draft from another document (domain 1): its lines, currency and terms go over. */
import { conversionRelation, conversionsOf } from '../../contract/conversions.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import type { DocumentConvert, DocumentCreate } from '../../contract/shapes/documents.ts'
import type { LineItem } from '../../contract/shapes/line-items.ts'
import { type DocumentContent, parseContent } from '../../core/documents/content.ts'
import { encodeId } from '../../core/ids.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext } from '../change-context.ts'
import { createDraft, createProblems } from './create-draft.ts'
import { type NewDocumentRow, todayOf } from '../history-and-events.ts'
import { typeWithArticle } from './transitions.ts'
import { checkConvertible, notConvertible, joinWithOr } from './source-documents.ts'

type Document = Rows['documents']

export interface ConversionSource {
  source: Document
  /** The caller's side of the source. */
  side: Side
  /** The calling organization: issuer of the new document. */
  issuer: string
  origin: 'api' | 'app'
}

export const convertDocument = (
  change: ChangeContext,
  { source, side, issuer, origin }: ConversionSource,
  body: DocumentConvert,
): NewDocumentRow => {
  const content = parseContent(source.content)
  const draft = draftFrom(source, content, body)
  const problems = createProblems(draft, todayOf(change.unit, issuer))
  if (problems.length > 0) throw invalidRequest(problems)
  checkConversion(source, side, body.document_type)
  const documentDate = body.document_date ?? todayOf(change.unit, issuer)
  const inheritsTerms = body.payment_terms === undefined && body.due_date === undefined
  if (inheritsTerms && !deriveTerms({ ...draft, document_date: documentDate }).ok) {
    throw refuse(
      'conflict',
      `The terms of the source, ${draft.payment_terms}, are past on ${documentDate}: send payment_terms.`,
      { reason: 'terms_date_past' },
    )
  }
  return createDraft(change, issuer, origin, draft)
}

/** What is sent counts; the rest is taken from the source. */
const draftFrom = (
  source: Document,
  content: DocumentContent,
  body: DocumentConvert,
): DocumentCreate => {
  const { references = [], ...given } = body
  const inheritsTerms = body.payment_terms === undefined && body.due_date === undefined
  return {
    connection_id: encodeId('con', source.connection_id),
    line_items: content.line_items.map(inputLineOf),
    currency: source.currency as NonNullable<DocumentCreate['currency']>,
    ...(inheritsTerms ? { payment_terms: content.payment_terms } : {}),
    ...given,
    references: [
      { rel: conversionRelation(body.document_type), document_id: encodeId('doc', source.id) },
      ...references,
    ],
  }
}

/** A stored line as it was sent. */
const inputLineOf = (line: DocumentContent['line_items'][number]): LineItem => ({
  description: line.description,
  quantity: line.quantity,
  unit_price: line.unit_price,
  tax_rate: line.tax_rate,
  sku: line.sku,
  discount_type: line.discount_type,
  ...(line.discount_value === null ? {} : { discount_value: line.discount_value }),
  tax_category: line.tax_category,
})

const checkConversion = (source: Document, side: Side, to: DocumentTypeName): void => {
  const possible = conversionsOf(source.type, side)
  if (source.status === 'converted' || possible.includes(to)) {
    return checkConvertible(source, side, to)
  }
  const others = possible.length === 0 ? 'nothing' : joinWithOr(possible.map(typeWithArticle))
  const cause = `cannot become ${typeWithArticle(to)}: of ${typeWithArticle(source.type)} its ${side} makes ${others}`
  throw notConvertible(source, { side, to, cause })
}
