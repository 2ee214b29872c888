/**
 * The place of a party's signature in a history event: with what both parties see of it, of a draft
 * with what its issuer sees; the body that was signed is for the party that signed it.
 */
import {
  type Body,
  type Role,
  type SignatureChecker,
  checkParties,
  isRequestFor,
  signatureChecker,
} from '../../../verifier/verify-bundle.mjs'
import { encodeId } from '../ids.ts'
import type { PartySignature } from '../identity/request-signature.ts'
import type { EventSlots } from './history-event.ts'
import type { VerifiedHistory } from './history-verification.ts'
import { openTo } from './proof-bundle.ts'

export interface RequestSignature extends PartySignature {
  /** The signed body; null if it was empty or a form with a file. */
  request: string | null
}

/** The signature of a request for something else, such as a loan, proves nothing to a verifier. */
export const signedSlots = (
  slots: EventSlots,
  { id, side }: { id: string; side: Role },
  signed: RequestSignature | null,
): EventSlots => {
  if (signed === null) return slots
  const { base, value, request } = signed
  const place = slots.shared === null ? 'issuer' : 'shared'
  const { type } = (slots[place] ?? {}) as Body
  if (!isRequestFor(base, type, encodeId('doc', id))) return slots
  const proven = { ...slots, [place]: { ...slots[place], signature: { base, value } } }
  if (request === null) return proven
  return { ...proven, [side]: { ...proven[side], request } }
}

/** PARTY: both bundles have the signatures in a form that the published verifier accepts. */
export const checkSignedSlots = (id: string, { events, states }: VerifiedHistory): void => {
  const isSignedBy = checkOnce(signatureChecker())
  for (const role of ['issuer', 'counterparty'] as const) {
    const shown = events.map((event) => ({ header: event.header, open: openTo(role, event) }))
    const document = { id: encodeId('doc', id), state: states[role] }
    checkParties(shown, { document, viewer: { role }, isSignedBy })
  }
}

/** Both bundles have the signatures that both parties see. */
const checkOnce = (isSignedBy: SignatureChecker): SignatureChecker => {
  const checked = new Map<string, boolean>()
  return (keyid, base, value) => {
    const signature = `${keyid} ${value} ${base}`
    const isSigned = checked.get(signature) ?? isSignedBy(keyid, base, value)
    checked.set(signature, isSigned)
    return isSigned
  }
}
