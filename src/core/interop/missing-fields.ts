/** What exports need of the profiles of both parties, and what is missing (domain 7). */
import { type Refusal, refuse } from '../../contract/errors.ts'
import type { Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import { type ExportedDocument, hasCategory, isOutsideVat } from './exported-document.ts'

interface Need {
  side: Side
  field: string
  isThere(profile: Profile): boolean
  applies?(document: ExportedDocument): boolean
  /** Without it, in every format. */
  onlyIn?: 'ubl'
}

const needs: readonly Need[] = [
  ...(['issuer', 'counterparty'] as const).flatMap((side): Need[] => [
    { side, field: 'address.country', isThere: ({ address }) => address?.country != null },
    {
      ...{ side, field: 'electronic_address', onlyIn: 'ubl' },
      isThere: ({ electronic_address: address }) => address !== null,
    },
  ]),
  { side: 'issuer', field: 'legal_name', isThere: ({ legal_name: name }) => name !== null },
  {
    ...{ side: 'issuer', field: 'vat_id', isThere: ({ vat_id }) => vat_id !== null },
    applies: (document) => !isOutsideVat(document),
  },
  {
    ...{ side: 'issuer', field: 'company_id', isThere: ({ company_id }) => company_id !== null },
    applies: isOutsideVat,
  },
  {
    ...{ side: 'counterparty', field: 'vat_id', isThere: ({ vat_id }) => vat_id !== null },
    applies: (document) => hasCategory(document, 'AE', 'K'),
  },
]

/** The names of the fields, as `issuer.vat_id`. */
export const missingFields = (document: ExportedDocument, format: 'ubl' | 'cii'): string[] =>
  needs
    .filter(({ applies, onlyIn }) => applies?.(document) !== false && (onlyIn ?? format) === format)
    .filter(({ side, isThere }) => !isThere(document.parties[side]))
    .map(({ side, field }) => `${side}.${field}`)

export const profileIncomplete = (fields: readonly string[]): Refusal =>
  refuse(
    'conflict',
    `The profiles of the parties lack what this format needs: ${fields.join(', ')}. Each party completes its own with PATCH /v1/organization.`,
    { reason: 'profile_incomplete', fields },
  )
