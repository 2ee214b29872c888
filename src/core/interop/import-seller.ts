/** Whose invoice may be imported: the caller's own. */
import type { Problem } from '../../contract/problem.ts'
import { brokenRule } from './import-rules.ts'
import type { ImportedParty } from './imported-document.ts'
import { type KnownParty, type PartyDifference, partyDifference } from './party-comparison.ts'

const names: Readonly<Record<PartyDifference['field'], string>> = {
  vat_id: 'VAT number',
  company_id: 'company number',
  electronic_address: 'electronic address',
  name: 'name',
}

/** A file without a seller is nobody's. */
export const sellerProblem = (seller: ImportedParty, caller: KnownParty): Problem | undefined => {
  const difference = partyDifference(seller, caller)
  if (difference === undefined) return undefined
  const { field, file, record } = difference
  if (file === null) return brokenRule('BG-4', unnamed(seller), `name ${record} as the seller`)
  const who = seller.name === null ? '' : `, ${seller.name.slice(0, 100)},`
  const ours = field === 'name' ? 'yours is' : 'your profile has'
  const compared = `its ${names[field]} is ${file.slice(0, 100)}, and ${ours} ${record}`
  return brokenRule(
    'BG-4',
    `The seller of the file${who} is not your organization: ${compared}.`,
    'send a file of your own, or correct your profile with PATCH /v1/organization',
  )
}

const unnamed = (seller: ImportedParty): string =>
  Object.values(seller).every((value) => value === null)
    ? 'The file names no seller.'
    : 'The file names its seller without a name, and by no identifier that your profile has.'
