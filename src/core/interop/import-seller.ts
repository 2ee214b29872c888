/** Whose invoice may be imported: the caller's own. */
import type { Problem } from '../../contract/problem.ts'
import { brokenRule } from './import-rules.ts'
import type { ImportedParty } from './imported-document.ts'
import { type KnownParty, partyDifference } from './party-comparison.ts'

/** A file without a seller is nobody's. */
export const sellerProblem = (seller: ImportedParty, caller: KnownParty): Problem | undefined => {
  if (partyDifference(seller, caller) === undefined) return undefined
  const name = (seller.name ?? 'who has no name').slice(0, 100)
  return brokenRule(
    'BG-4',
    `The seller of the file, ${name}, is not your organization.`,
    'send a file of your own, or complete your profile with PATCH /v1/organization',
  )
}
