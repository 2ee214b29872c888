/** What can be proven offline, and the published verifier of each kind of proof. */
import {
  type Trust,
  verifyBundle,
  verifyPledge,
  verifyReceipt,
} from '../../verifier/verify-bundle.mjs'

const verifierOf = { bundle: verifyBundle, pledge: verifyPledge, receipt: verifyReceipt } as const

export interface Proof {
  kind: keyof typeof verifierOf
  text: string
  trust: Trust
}

/** Throws the Failure of the verifier. */
export const verifyProof = ({ kind, text, trust }: Proof): void => {
  verifierOf[kind](Buffer.from(text), { trust: [trust] })
}

/** What a thread says of a proof; null if it is valid. */
export type ProofFailure = {
  check: string
  message: string
  place: { seq?: number; slot?: string }
} | null
