/** Whose invoice may be imported: the caller's own. */
import type { Problem } from '../../contract/problem.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import { compactIdentifier } from '../identity/business-identifiers.ts'
import { brokenRule } from './import-rules.ts'
import type { ImportedParty } from './imported-document.ts'

/**
 * The seller of the file must be the caller. Identifiers decide where both have one, a VAT number
 * before all others; else it is the name, without which a file is nobody's.
 */
export const sellerProblem = (
  { name, vatId, companyId, electronicAddress }: ImportedParty,
  caller: { name: string; profile: Profile },
): Problem | undefined => {
  const { vat_id, company_id, electronic_address, legal_name } = caller.profile
  const pairs = [
    [vatId, vat_id],
    [companyId, company_id],
    [electronicAddress, electronic_address?.id ?? null],
  ] as const
  const known = pairs.filter(([theirs, ours]) => theirs !== null && ours !== null)
  const same = (theirs: string, ours: string) =>
    compactIdentifier(theirs) === compactIdentifier(ours)
  const [first] = known
  const isCaller =
    first === undefined
      ? name !== null && [legal_name, caller.name].some((ours) => isSameName(name, ours))
      : same(first[0]!, first[1]!)
  if (isCaller) return undefined
  return brokenRule(
    'BG-4',
    `The seller of the file, ${(name ?? 'who has no name').slice(0, 100)}, is not your organization.`,
    'send a file of your own, or complete your profile with PATCH /v1/organization',
  )
}

const isSameName = (theirs: string, ours: string | null): boolean =>
  theirs.toLowerCase() === ours?.toLowerCase()
