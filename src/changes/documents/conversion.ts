/** Converts a document into a new draft with its lines, currency and terms (domain 1). */
import {
  conversionRelation,
  conversionsOf,
  convertibleStates,
  convertibleTo,
} from '../../contract/conversions.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import { type Refusal, refuse, refuseProblems } from '../../contract/errors.ts'
import type { DocumentConvert, DocumentCreate } from '../../contract/shapes/documents.ts'
import type { LineItem } from '../../contract/shapes/line-items.ts'
import { type DocumentContent, parseContent } from '../../core/documents/content.ts'
import { encodeId } from '../../core/ids.ts'
import { deriveTerms, namesDueDate } from '../../core/documents/payment-terms.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import { joinedByOr } from '../../core/listed-words.ts'
import type { ChangeContext, NewDocumentRow, DocumentRow } from '../change-context.ts'
import { todayOf } from '../organization-clock.ts'
import { createDraft, problemsBesideLines } from './create-draft.ts'
import { typeName, typeWithArticle } from '../../core/documents/type-names.ts'

export interface ConversionSource {
  source: DocumentRow
  /** The caller's side of the source. */
  side: Side
  /** The calling organization, which issues the new document. */
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
  const priced = computeTotals(draft.line_items)
  const problems = [
    ...(priced.ok ? [] : priced.problems),
    ...problemsBesideLines(draft, todayOf(change.unit, issuer)),
  ]
  refuseProblems(problems)
  checkConversion(source, side, body.document_type)
  const documentDate = body.document_date ?? todayOf(change.unit, issuer)
  const inheritsTerms = body.payment_terms === undefined && body.due_date == null
  if (inheritsTerms && !deriveTerms({ ...draft, document_date: documentDate }).ok) {
    throw refuse(
      'conflict',
      `The source's payment terms, ${draft.payment_terms}, cannot be kept on ${documentDate}: send payment_terms.`,
      { reason: 'terms_date_past' },
    )
  }
  return createDraft(change, issuer, draft, { origin, priced })
}

/** Fields of the request take precedence; the source supplies the rest. */
const draftFrom = (
  source: DocumentRow,
  content: DocumentContent,
  body: DocumentConvert,
): DocumentCreate => {
  const { references = [], ...overrides } = body
  return {
    connection_id: encodeId('con', source.connection_id),
    line_items: content.line_items.map(inputLineOf),
    currency: source.currency as NonNullable<DocumentCreate['currency']>,
    ...inheritedTerms(content, body),
    ...overrides,
    references: [
      { rel: conversionRelation(body.document_type), document_id: encodeId('doc', source.id) },
      ...references,
    ],
  }
}

/** The text of the source, unless the request has its own or a due date that takes its place. */
const inheritedTerms = (
  { payment_terms: text }: DocumentContent,
  { payment_terms: own, due_date: due }: DocumentConvert,
): Pick<DocumentCreate, 'payment_terms'> =>
  own !== undefined || (due != null && namesDueDate(text)) ? {} : { payment_terms: text }

/** A stored line in the form of a request. */
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

const checkConversion = (source: DocumentRow, side: Side, to: DocumentTypeName): void => {
  const possible = conversionsOf(source.type, side)
  if (source.status === 'converted' || possible.includes(to)) {
    const obstacle = conversionObstacle(source, { side, to })
    if (obstacle !== undefined) throw obstacle
    return
  }
  const limit =
    possible.length === 0
      ? 'cannot convert it'
      : `can only convert it to ${joinedByOr(possible.map(typeWithArticle))}`
  const cause = `cannot become ${typeWithArticle(to)}: the ${side} of ${typeWithArticle(source.type)} ${limit}.`
  throw notConvertible(source, { side, to, cause })
}

type ConvertedDocument = Pick<DocumentRow, 'id' | 'type' | 'status'>

interface RequestedConversion {
  side: Side
  to: string
  /** What to do instead, as a sentence. */
  remedy?: string
}

/** Checked at conversion and again at issue: the source's state must allow it (domain 1). */
export const conversionObstacle = (
  source: ConvertedDocument,
  { side, to, remedy = '' }: RequestedConversion,
): Refusal | undefined => {
  if (source.status === 'converted') return alreadyConverted(source, remedy)
  const states = convertibleStates[source.type as DocumentTypeName] ?? []
  if (states.includes(source.status)) return undefined
  const only = `${typeWithArticle(source.type)} becomes ${typeWithArticle(to)} only while it is ${joinedByOr(states)}`
  const cause = `is ${source.status}: ${only}.${remedy}`
  return notConvertible(source, { side, to, cause })
}

const alreadyConverted = ({ type }: ConvertedDocument, remedy: string): Refusal =>
  refuse(
    'conflict',
    `The ${typeName(type)} has already been converted: a quote can be converted only once.${remedy}`,
    { reason: 'already_converted', allowed: [] },
  )

const notConvertible = (
  document: ConvertedDocument,
  { side, to, cause }: { side: Side; to: string; cause: string },
): Refusal =>
  refuse('conflict', `The ${typeName(document.type)} ${cause}`, {
    reason: 'not_convertible',
    document_id: encodeId('doc', document.id),
    status: document.status,
    to,
    allowed: convertibleTo(document, side),
    convertible_to: conversionsOf(document.type, side),
    convertible_in: convertibleStates[document.type as DocumentTypeName] ?? [],
  })
