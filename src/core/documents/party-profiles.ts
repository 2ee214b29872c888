/** The profiles that the parties of a document had when it was issued, by their digests. */
import type { Side } from '../../contract/document-types.ts'

export type PartyProfiles = Partial<Record<Side, string>>

export const partyProfilesOf = ({
  party_profiles: text,
}: {
  party_profiles: string | null
}): PartyProfiles => (text === null ? {} : (JSON.parse(text) as PartyProfiles))

/** The stored form. */
export const serializePartyProfiles = (
  issuer: string | null,
  counterparty: string | null,
): string | null => {
  if (issuer === null && counterparty === null) return null
  const profiles: PartyProfiles = {
    ...(counterparty === null ? {} : { counterparty }),
    ...(issuer === null ? {} : { issuer }),
  }
  return JSON.stringify(profiles)
}
