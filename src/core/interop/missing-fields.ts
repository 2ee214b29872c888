/** What exports need of the profiles of both parties, and what is missing (domain 7). */
import { type Refusal, refuse } from '../../contract/errors.ts'
import type { Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import { type ExportRule, fieldIf } from './export-rule.ts'
import { type ExportedDocument, hasCategory, isOutsideVat } from './exported-document.ts'
import { rulePrefixes } from './tax-category-rules.ts'

/** Whose rules an export follows: `ubl` those of Peppol too. */
export type Standard = 'ubl' | 'cii'

interface Need {
  rule: string
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

const needs: readonly Need[] = [
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

/** The same needs as rules. */
export const profileRules = (standard: Standard): ExportRule[] =>
  needs
    .filter(({ onlyIn }) => (onlyIn ?? standard) === standard)
    .map(({ rule, side, field, applies, isThere }) => ({
      rule,
      message: `The ${nameOf[side]} needs ${field} in its profile for this format.`,
      brokenBy: (document) =>
        fieldIf(
          applies?.(document) !== false && !isThere(document.parties[side]),
          `${side}.${field}`,
        ),
    }))

const nameOf = { issuer: 'seller', counterparty: 'buyer' } as const

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
