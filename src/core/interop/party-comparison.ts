/** Whether a party in a file is an organization of the record. */
import type { Profile } from '../../contract/shapes/organization.ts'
import { compactIdentifier } from '../identity/business-identifiers.ts'
import type { ImportedParty } from './imported-document.ts'

export interface KnownParty {
  name: string
  profile: Profile
}

/** What decided, by its name in a profile, with both values. */
export interface PartyDifference {
  field: 'vat_id' | 'company_id' | 'electronic_address' | 'name'
  file: string | null
  record: string
}

/**
 * Identifiers decide where both have one, a VAT number before all others; else it is the name.
 * Undefined if it is the same party.
 */
export const partyDifference = (
  { name, vatId, companyId, electronicAddress }: ImportedParty,
  known: KnownParty,
): PartyDifference | undefined => {
  const { vat_id, company_id, electronic_address, legal_name } = known.profile
  const pairs = [
    ['vat_id', vatId, vat_id],
    ['company_id', companyId, company_id],
    ['electronic_address', electronicAddress, electronic_address?.id ?? null],
  ] as const
  for (const [field, file, record] of pairs) {
    if (file === null || record === null) continue
    const isSame = compactIdentifier(file) === compactIdentifier(record)
    return isSame ? undefined : { field, file, record }
  }
  const isSame = name !== null && [legal_name, known.name].some((ours) => isSameName(name, ours))
  return isSame ? undefined : { field: 'name', file: name, record: legal_name ?? known.name }
}

const isSameName = (theirs: string, ours: string | null): boolean =>
  ours !== null && comparableName(theirs) === comparableName(ours)

/** Case and the number of spaces tell no two parties apart. */
const comparableName = (name: string): string =>
  name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
