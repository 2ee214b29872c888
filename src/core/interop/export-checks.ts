/**
 * What would keep receivers from accepting an export, before it is made (domain 7): the rules of
 * EN 16931, and of Peppol for all but plain CII, that a document can break. The rules about
 * amounts, such as BR-CO-15, are no part of it: our own arithmetic keeps them.
 */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import type { RenderFormat } from '../../contract/render-formats.ts'
import type { ExportProblem } from '../../contract/shapes/render.ts'
import { type ExportRule, countryOf, fieldIf } from './export-rule.ts'
import { type ExportedDocument, hasCategory, isInvoice } from './exported-document.ts'
import { type AnswerObstacle, answerObstacles } from './invoice-answer.ts'
import { type Standard, profileRules } from './missing-fields.ts'
import { nationalRules } from './national-rules.ts'
import { charactersArePrinted } from './printed-characters.ts'
import type { Clarification } from './response-clarifications.ts'
import { taxCategoryRules } from './tax-category-rules.ts'

const standards: Readonly<Partial<Record<RenderFormat, Standard>>> = {
  ubl: 'ubl',
  cii: 'cii',
  facturx: 'cii',
  peppol_cii: 'peppol_cii',
  invoice_response: 'invoice_response',
}

/** What we name and nobody's rules do. */
export const isOnlyOurs = (rule: string): boolean =>
  ['BT-72', 'BT-80', 'BT-151', 'PDF-FONT'].includes(rule)

/** What the profiles need comes first, as it also refuses the export. */
const rulesOf = (format: RenderFormat, document: ExportedDocument): readonly ExportRule[] => [
  ...standardRules(standards[format], document),
  ...(format === 'pdf' || format === 'facturx' ? [charactersArePrinted] : []),
]

const standardRules = (
  standard: Standard | undefined,
  document: ExportedDocument,
): readonly ExportRule[] =>
  standard === undefined
    ? []
    : [
        ...profileRules(standard, document),
        ...(standard === 'invoice_response' ? answerRules : contentRules(standard, document)),
      ]

const contentRules = (
  standard: 'ubl' | 'cii' | 'peppol_cii',
  document: ExportedDocument,
): readonly ExportRule[] =>
  isInvoice(document)
    ? [
        ...taxCategoryRules,
        ...(standard === 'cii' ? [] : nationalRules[standard]),
        ...deliveryIsImplied,
        zeroIsRated,
      ]
    : [itemsAreIdentified, zeroIsRated]

/** A supply within the Union says when and where (BR-IC-11, BR-IC-12), and documents do not. */
const deliveryIsImplied: readonly ExportRule[] = [
  {
    rule: 'BT-72',
    isWarning: true,
    message:
      'A supply within the EU (K) leaves with the document date as the day of its delivery. If it was another day, set `document_date` to it while it is a draft.',
    brokenBy: (document) => fieldIf(hasCategory(document, 'K'), 'document_date'),
  },
  {
    rule: 'BT-80',
    isWarning: true,
    message:
      'A supply within the EU (K) leaves with the country of the buyer as that of its delivery. If it was another country, say so to the buyer: an export cannot.',
    brokenBy: (document) =>
      fieldIf(
        hasCategory(document, 'K') && countryOf(document, 'counterparty') !== undefined,
        'counterparty.address.country',
      ),
  },
]

/** No rule of others: receivers take the line as it is, and the issuer may have meant another. */
const zeroIsRated: ExportRule = {
  rule: 'BT-151',
  isWarning: true,
  message:
    'A rate of 0 without a `tax_category` leaves as Z (zero rated). Set Z, or E (exempt), AE (reverse charge), K (within the EU), G (export) or O (not subject to VAT), while it is a draft.',
  brokenBy: ({ type, content }) =>
    untaxedTypes.includes(type)
      ? []
      : content.line_items.flatMap(({ tax_category, tax_rate }, i) =>
          fieldIf(tax_category === null && tax_rate === 0, `line_items.${i}.tax_category`),
        ),
}

/** Their exports say nothing about tax. */
const untaxedTypes: readonly DocumentTypeName[] = ['delivery_note', 'goods_receipt']

const itemsAreIdentified: ExportRule = {
  rule: 'PEPPOL-T16-R003',
  message: 'Each line of a delivery needs the number of its item.',
  brokenBy: ({ type, content }) =>
    type === 'delivery_note'
      ? content.line_items.flatMap(({ sku }, i) => fieldIf(sku === null, `line_items.${i}.sku`))
      : [],
}

/** What keeps an invoice from having a response, and what its response does not say. */
const answerRules: readonly ExportRule[] = [
  ...(Object.keys(answerObstacles) as AnswerObstacle[]).map((rule): ExportRule => ({
    rule,
    message: answerObstacles[rule],
    brokenBy: ({ answer }) => fieldIf(answer?.obstacle === rule, 'status'),
  })),
  {
    rule: 'PEPPOL-T111-R002',
    isWarning: true,
    message: 'The code OTH has no text: the transition had no `note`, nor a better `reason_code`.',
    brokenBy: ({ answer }) =>
      fieldIf(answer?.response?.clarifications.some(isUnexplained) === true, 'note'),
  },
]

const isUnexplained = ({ code, text }: Clarification): boolean =>
  code?.value === 'OTH' && text === null

/** None for a format that can be sent as it is. */
export const exportProblems = (document: ExportedDocument, format: RenderFormat): ExportProblem[] =>
  rulesOf(format, document).flatMap(({ rule, message, isWarning, brokenBy }) =>
    brokenBy(document).map((field) => ({ rule, field, message, fatal: isWarning !== true })),
  )
