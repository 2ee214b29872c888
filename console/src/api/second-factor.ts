/** The second factor of the signed-in person. */
import { call } from './call.ts'
import type { Passkey } from './passkeys.ts'
import type { PasskeyAnswer } from './sign-in.ts'

export interface FactorState {
  /** Null without a second factor. */
  enabled_at: string | null
  recovery_codes_left: number
}

export interface StartedFactor {
  secret: string
  otpauth_url: string
}

export interface ConfirmedFactor extends FactorState {
  recovery_codes: string[]
}

/** Renews an expired token before, so that a refusal is about the proof, which is sent once. */
const prove = async <Body>(method: string, path: string, body: object): Promise<Body> => {
  await call('GET', '/auth/session')
  return call<Body>(method, path, { body, isProof: true })
}

export const startFactor = (password: string): Promise<StartedFactor> =>
  prove('POST', '/auth/totp', password === '' ? {} : { password })

export const confirmFactor = (code: string): Promise<ConfirmedFactor> =>
  prove('POST', '/auth/totp/confirm', { code })

export type Proof = { password: string } | { totp: string } | { passkey: PasskeyAnswer }

export const stepUp = (proof: Proof): Promise<unknown> =>
  prove('POST', '/auth/session/step-up', proof)

export const removeFactor = (proof: Proof): Promise<FactorState> =>
  prove('DELETE', '/auth/totp', proof)

export const removePasskey = ({ id }: Passkey, proof: Proof): Promise<Passkey> =>
  prove('DELETE', `/auth/passkeys/${id}`, proof)
