/** What exports need of the profiles of both parties, and what is missing (domain 7). */
import { type Refusal, refuse } from '../../contract/errors.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import { type ExportRule, fieldIf } from './export-rule.ts'
import { type ExportedDocument, hasCategory, isInvoice, isOutsideVat } from './exported-document.ts'
import { rulePrefixes } from './tax-category-rules.ts'

/** Whose rules an export follows: all but `cii` those of Peppol, `invoice_response` those alone. */
export type Standard = 'ubl' | 'cii' | 'peppol_cii' | 'invoice_response'

interface Need {
  rule: string
  side: Side
  field: string
  isThere(profile: Profile): boolean
  applies?(document: ExportedDocument): boolean
  /** Not of EN 16931, so that `cii` does without. */
  isOfPeppol?: true
}

const country = ({ address }: Profile): boolean => address?.country != null
const endpoint = ({ electronic_address: address }: Profile): boolean => address !== null
const vatId = ({ vat_id }: Profile): boolean => vat_id !== null

const invoiceNeeds: readonly Need[] = [
  { rule: 'BR-09', side: 'issuer', field: 'address.country', isThere: country },
  {
    rule: 'PEPPOL-EN16931-R020',
    side: 'issuer',
    field: 'electronic_address',
    isThere: endpoint,
    isOfPeppol: true,
  },
  { rule: 'BR-11', side: 'counterparty', field: 'address.country', isThere: country },
  {
    rule: 'PEPPOL-EN16931-R010',
    side: 'counterparty',
    field: 'electronic_address',
    isThere: endpoint,
    isOfPeppol: true,
  },
  {
    rule: 'BR-06',
    side: 'issuer',
    field: 'legal_name',
    isThere: ({ legal_name: name }) => name !== null,
  },
  ...Object.entries(rulePrefixes).map(([category, prefix]): Need => ({
    rule: `${prefix}-02`,
    side: 'issuer',
    field: 'vat_id',
    isThere: vatId,
    applies: (document) => hasCategory(document, category),
  })),
  {
    rule: 'BR-CO-26',
    side: 'issuer',
    field: 'company_id',
    isThere: ({ company_id }) => company_id !== null,
    applies: isOutsideVat,
  },
  {
    rule: 'BR-AE-02',
    side: 'counterparty',
    field: 'vat_id',
    isThere: ({ vat_id, company_id }) => vat_id !== null || company_id !== null,
    applies: (document) => hasCategory(document, 'AE'),
  },
  {
    rule: 'BR-IC-02',
    side: 'counterparty',
    field: 'vat_id',
    isThere: vatId,
    applies: (document) => hasCategory(document, 'K'),
  },
]

/** What Peppol needs of a party, by the rules for its electronic address and its country. */
const partyNeeds = (side: Side, endpointRule: string, countryRule: string): Need[] => [
  { rule: endpointRule, side, field: 'electronic_address', isThere: endpoint, isOfPeppol: true },
  { rule: countryRule, side, field: 'address.country', isThere: country, isOfPeppol: true },
]

/** What Peppol's orders (T01) and despatch advices (T16) need. */
const tradeNeeds: Readonly<Partial<Record<DocumentTypeName, readonly Need[]>>> = {
  purchase_order: [
    ...partyNeeds('issuer', 'PEPPOL-T01-B03701', 'PEPPOL-T01-B05301'),
    ...partyNeeds('counterparty', 'PEPPOL-T01-B07201', 'PEPPOL-T01-B08801'),
  ],
  delivery_note: [
    ...partyNeeds('issuer', 'PEPPOL-T16-B02001', 'PEPPOL-T16-B03401'),
    ...partyNeeds('counterparty', 'PEPPOL-T16-B04301', 'PEPPOL-T16-B05701'),
  ],
}

/** What Peppol's invoice response (T111) needs, which the buyer sends. */
const responseNeeds: readonly Need[] = [
  {
    rule: 'PEPPOL-T111-B00801',
    side: 'counterparty',
    field: 'electronic_address',
    isThere: endpoint,
  },
  { rule: 'PEPPOL-T111-B02001', side: 'issuer', field: 'electronic_address', isThere: endpoint },
]

const needsOf = (standard: Standard, document: ExportedDocument): readonly Need[] => {
  if (standard === 'invoice_response') return responseNeeds
  return isInvoice(document) ? invoiceNeeds : (tradeNeeds[document.type] ?? [])
}

/** The needs of a document as rules. */
export const profileRules = (standard: Standard, document: ExportedDocument): ExportRule[] =>
  needsOf(standard, document)
    .filter(({ isOfPeppol }) => isOfPeppol !== true || standard !== 'cii')
    .map(({ rule, side, field, applies, isThere }) => ({
      rule,
      message: `The ${nameOf(side, document)} needs ${field} in its profile for this format.`,
      brokenBy: (checked) =>
        fieldIf(
          applies?.(checked) !== false && !isThere(checked.parties[side]),
          `${side}.${field}`,
        ),
    }))

/** An order comes from the buyer, all else from the seller. */
const nameOf = (side: Side, { type }: ExportedDocument): string =>
  (side === 'issuer') === (type !== 'purchase_order') ? 'seller' : 'buyer'

/** The names of the fields, as `issuer.vat_id`, each once. */
export const missingFields = (document: ExportedDocument, standard: Standard): string[] => [
  ...new Set(profileRules(standard, document).flatMap(({ brokenBy }) => brokenBy(document))),
]

export const profileIncomplete = (fields: readonly string[]): Refusal =>
  refuse(
    'conflict',
    `The profiles of the parties lack what this format needs: ${fields.join(', ')}. Each party completes its own with PATCH /v1/organization.`,
    { reason: 'profile_incomplete', fields },
  )
