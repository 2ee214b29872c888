/** What exports need of the profiles of both parties, and what is missing (domain 7). */
import { type Refusal, refuse } from '../../contract/errors.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import { type ExportRule, fieldIf } from './export-rule.ts'
import { type ExportedDocument, hasCategory, isOutsideVat } from './exported-document.ts'
import { rulePrefixes } from './tax-category-rules.ts'

/** Whose rules an export follows: `ubl` those of Peppol too. */
export type Standard = 'ubl' | 'cii'

interface Need {
  rule: string
  /** Invoices and credit notes without it. */
  type?: DocumentTypeName
  side: Side
  field: string
  isThere(profile: Profile): boolean
  applies?(document: ExportedDocument): boolean
  /** Without it, in every format. */
  onlyIn?: 'ubl'
}

const country = ({ address }: Profile): boolean => address?.country != null
const endpoint = ({ electronic_address: address }: Profile): boolean => address !== null
const vatId = ({ vat_id }: Profile): boolean => vat_id !== null

const invoiceNeeds: readonly Need[] = [
  { rule: 'BR-09', side: 'issuer', field: 'address.country', isThere: country },
  {
    ...{ rule: 'PEPPOL-EN16931-R020', side: 'issuer', field: 'electronic_address' },
    ...{ isThere: endpoint, onlyIn: 'ubl' },
  },
  { rule: 'BR-11', side: 'counterparty', field: 'address.country', isThere: country },
  {
    ...{ rule: 'PEPPOL-EN16931-R010', side: 'counterparty', field: 'electronic_address' },
    ...{ isThere: endpoint, onlyIn: 'ubl' },
  },
  {
    ...{ rule: 'BR-06', side: 'issuer', field: 'legal_name' },
    isThere: ({ legal_name: name }) => name !== null,
  },
  ...Object.entries(rulePrefixes).map(([category, prefix]): Need => ({
    ...{ rule: `${prefix}-02`, side: 'issuer', field: 'vat_id', isThere: vatId },
    applies: (document) => hasCategory(document, category),
  })),
  {
    ...{ rule: 'BR-CO-26', side: 'issuer', field: 'company_id' },
    isThere: ({ company_id }) => company_id !== null,
    applies: isOutsideVat,
  },
  ...(['AE', 'K'] as const).map((category): Need => ({
    ...{ rule: `${rulePrefixes[category]}-02`, side: 'counterparty', field: 'vat_id' },
    isThere: vatId,
    applies: (document) => hasCategory(document, category),
  })),
]

/** Of Peppol's orders (T01) and despatch advices (T16). */
const tradeNeeds = [
  ['PEPPOL-T01-B03701', 'purchase_order', 'issuer', 'electronic_address', endpoint],
  ['PEPPOL-T01-B05301', 'purchase_order', 'issuer', 'address.country', country],
  ['PEPPOL-T01-B07201', 'purchase_order', 'counterparty', 'electronic_address', endpoint],
  ['PEPPOL-T01-B08801', 'purchase_order', 'counterparty', 'address.country', country],
  ['PEPPOL-T16-B02001', 'delivery_note', 'issuer', 'electronic_address', endpoint],
  ['PEPPOL-T16-B03401', 'delivery_note', 'issuer', 'address.country', country],
  ['PEPPOL-T16-B04301', 'delivery_note', 'counterparty', 'electronic_address', endpoint],
  ['PEPPOL-T16-B05701', 'delivery_note', 'counterparty', 'address.country', country],
] as const

const needs: readonly Need[] = [
  ...invoiceNeeds,
  ...tradeNeeds.map(([rule, type, side, field, isThere]): Need => ({
    ...{ rule, type, side, field, isThere, onlyIn: 'ubl' },
  })),
]

const isAbout = ({ type }: Need, document: ExportedDocument): boolean =>
  type === undefined
    ? document.type === 'invoice' || document.type === 'credit_note'
    : document.type === type

/** The same needs as rules. */
export const profileRules = (standard: Standard): ExportRule[] =>
  needs
    .filter(({ onlyIn }) => (onlyIn ?? standard) === standard)
    .map((need) => {
      const { rule, type, side, field, applies, isThere } = need
      return {
        rule,
        message: `The ${nameOf(side, type)} needs ${field} in its profile for this format.`,
        brokenBy: (document) =>
          fieldIf(
            isAbout(need, document) &&
              applies?.(document) !== false &&
              !isThere(document.parties[side]),
            `${side}.${field}`,
          ),
      }
    })

/** An order comes from the buyer, all else from the seller. */
const nameOf = (side: Side, type: DocumentTypeName | undefined): string =>
  (side === 'issuer') === (type !== 'purchase_order') ? 'seller' : 'buyer'

/** The names of the fields, as `issuer.vat_id`, each once. */
export const missingFields = (document: ExportedDocument, standard: Standard): string[] => [
  ...new Set(profileRules(standard).flatMap(({ brokenBy }) => brokenBy(document))),
]

export const profileIncomplete = (fields: readonly string[]): Refusal =>
  refuse(
    'conflict',
    `The profiles of the parties lack what this format needs: ${fields.join(', ')}. Each party completes its own with PATCH /v1/organization.`,
    { reason: 'profile_incomplete', fields },
  )
