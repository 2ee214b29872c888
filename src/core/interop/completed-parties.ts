/**
 * What a format needs and a party's profile lacked at issue comes from the first later version of
 * the profile that has it, so that what was filled once never changes (docs/decisions/0152).
 */
import type { Side } from '../../contract/document-types.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import type { ExportedDocument } from './exported-document.ts'

type Member = 'legal_name' | 'address' | 'vat_id' | 'company_id' | 'electronic_address'

/** What may fill a field, the best first: a company number may do for a VAT number (BR-AE-02). */
const membersFor: Readonly<Record<string, readonly Member[]>> = {
  'address.country': ['address'],
  vat_id: ['vat_id', 'company_id'],
}

/** Later versions of the profiles, the oldest first. */
export type LaterProfiles = Readonly<Record<Side, readonly Profile[]>>

/** `gapsIn` names what is missing, as `issuer.vat_id`. A profile is never filled beyond that. */
export const withGapsFilled = (
  document: ExportedDocument,
  later: LaterProfiles,
  gapsIn: (document: ExportedDocument) => readonly string[],
): ExportedDocument => {
  let filled = document
  for (const side of ['issuer', 'counterparty'] as const) {
    for (const profile of later[side]) {
      const gaps = gapsIn(filled).filter((gap) => gap.startsWith(`${side}.`))
      if (gaps.length === 0) break
      for (const gap of gaps) {
        const field = gap.slice(side.length + 1)
        const candidates = (membersFor[field] ?? [field as Member])
          .filter((member) => profile[member] !== null)
          .map((member) => withMember(filled, side, { [member]: profile[member] }))
        filled = candidates.find((one) => !gapsIn(one).includes(gap)) ?? filled
      }
    }
  }
  return filled
}

const withMember = (
  document: ExportedDocument,
  side: Side,
  member: Partial<Profile>,
): ExportedDocument => ({
  ...document,
  parties: { ...document.parties, [side]: { ...document.parties[side], ...member } },
})
