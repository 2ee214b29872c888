/** Making a draft from another document (domain 1): its lines, currency and terms go over. */
import { conversionRelation, conversionsOf } from '../../contract/conversions.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import { invalid, refuse } from '../../contract/errors.ts'
import type { DocumentConvert, DocumentCreate } from '../../contract/shapes/documents.ts'
import type { LineItem } from '../../contract/shapes/line-items.ts'
import { type Content, readContent } from '../../core/documents/content.ts'
import { encodeId } from '../../core/ids.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import type { Rows } from '../../database/rows.ts'
import type { Change } from '../acting-caller.ts'
import { createDraft, createProblems } from './create-draft.ts'
import { type DocumentRow, todayOf } from '../history-and-events.ts'
import { aKind } from './transitions.ts'
import { checkConvertible, notConvertible, orOf } from './source-documents.ts'

type Document = Rows['documents']

export interface Converting {
  source: Document
  /** The caller's side of the source. */
  side: Side
  /** The calling organization: issuer of the new document. */
  issuer: string
  origin: 'api' | 'app'
}

export const convertDocument = (
  change: Change,
  { source, side, issuer, origin }: Converting,
  body: DocumentConvert,
): DocumentRow => {
  const content = readContent(source.content)
  const draft = draftFrom(source, content, body)
  const problems = createProblems(draft, todayOf(change.world, issuer))
  if (problems.length > 0) throw invalid(problems)
  checkConversion(source, side, body.document_type)
  const documentDate = body.document_date ?? todayOf(change.world, issuer)
  const takesTerms = body.payment_terms === undefined && body.due_date === undefined
  if (takesTerms && !deriveTerms({ ...draft, document_date: documentDate }).ok) {
    throw refuse(
      'conflict',
      `The terms of the source, ${draft.payment_terms}, are past on ${documentDate}: send payment_terms.`,
      { reason: 'terms_date_past' },
    )
  }
  return createDraft(change, issuer, origin, draft)
}

/** What is sent counts; the rest is taken from the source. */
const draftFrom = (source: Document, content: Content, body: DocumentConvert): DocumentCreate => {
  const { references = [], ...given } = body
  const takesTerms = body.payment_terms === undefined && body.due_date === undefined
  return {
    connection_id: encodeId('con', source.connection_id),
    line_items: content.line_items.map(givenLine),
    currency: source.currency as NonNullable<DocumentCreate['currency']>,
    ...(takesTerms ? { payment_terms: content.payment_terms } : {}),
    ...given,
    references: [
      { rel: conversionRelation(body.document_type), document_id: encodeId('doc', source.id) },
      ...references,
    ],
  }
}

/** A stored line as it was sent. */
const givenLine = (line: Content['line_items'][number]): LineItem => ({
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
  const others = possible.length === 0 ? 'nothing' : orOf(possible.map(aKind))
  const cause = `cannot become ${aKind(to)}: of ${aKind(source.type)} its ${side} makes ${others}`
  throw notConvertible(source, { side, to, cause })
}
