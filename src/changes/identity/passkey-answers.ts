/**
 * What a passkey answers to a challenge. Nothing is stored of a challenge: it says when it was
 * made, under a MAC of the server key, and the passkey remembers the newest one that it has
 * answered. So an answer works once, as a code of an app does (second-factors.ts).
 *
 * Invariants: the authenticator has checked the person; a counter that does not rise is refused;
 * unknown passkeys, other sites and their frames, and old answers are refused alike; an old row
 * revives no answer.
 */
import { randomBytes } from 'node:crypto'
import { type Refusal, unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { PasskeyAnswer, PasskeyRequest } from '../../contract/shapes/passkeys.ts'
import {
  type PasskeySite,
  formatChallenge,
  isChallengeOpen,
  isCrossOrigin,
  readChallenge,
} from '../../core/identity/passkey-challenges.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import { countUserChange } from '../../store/identity/access-versions.ts'
import * as store from '../../store/identity/passkeys.ts'
import { lockUserWithFactor } from '../../store/identity/second-factors.ts'
import type { UserRow } from '../../store/identity/users.ts'
import { isSignatureOf, signatureOf } from './signed-tokens.ts'

/** What the MAC of a challenge covers beside its time; it differs from every credential. */
export type ChallengePurpose = `passkey ${string}`

const signedText = (purpose: ChallengePurpose, madeAtMs: number, nonce: string): string =>
  `${purpose} since ${madeAtMs} ${nonce}`

export const createChallenge = async (
  db: Queryable,
  purpose: ChallengePurpose,
): Promise<string> => {
  const madeAtMs = Date.parse(await databaseNow(db))
  const nonce = randomBytes(limits.passkeyChallengeBytes).toString('hex')
  const mac = signatureOf(db.seals, signedText(purpose, madeAtMs, nonce))
  return formatChallenge({ madeAtMs, nonce, mac })
}

/** When the challenge in the answer was made; undefined unless it is ours, and open at `now`. */
export const timeOfChallenge = (
  { seals }: Queryable,
  purpose: ChallengePurpose,
  { clientDataJSON, now }: { clientDataJSON: string; now: string },
): string | undefined => {
  const challenge = readChallenge(challengeIn(clientDataJSON))
  if (challenge === undefined || !isChallengeOpen(challenge, Date.parse(now))) return undefined
  const { madeAtMs, nonce, mac } = challenge
  if (!isSignatureOf(seals, signedText(purpose, madeAtMs, nonce), mac)) return undefined
  return new Date(madeAtMs).toISOString()
}

/** Empty if what the browser says has another form. */
export const challengeIn = (clientDataJSON: string): string => {
  const text = Buffer.from(clientDataJSON, 'base64url').toString()
  return /"challenge":"([0-9A-Za-z_-]{1,400})"/.exec(text)?.[1] ?? ''
}

/** The id of the user, as an authenticator keeps it. */
export const userHandleOf = (user: string): string =>
  Buffer.from(user.replaceAll('-', ''), 'hex').toString('base64url')

const purposeOfUse = 'passkey sign-in'

export const passkeyRequest = async (
  db: Queryable,
  site: PasskeySite,
): Promise<PasskeyRequest> => ({
  challenge: await createChallenge(db, purposeOfUse),
  rpId: site.domain,
  timeout: limits.passkeyChallengeLifetimeMs,
  userVerification: 'required',
  allowCredentials: [],
})

/** An answer of this site, as the pipeline received it. */
export interface ShownPasskey {
  site: PasskeySite
  answer: PasskeyAnswer
}

/** An answer that is right, and that may have been used already. */
export interface CheckedAnswer {
  passkey: store.PasskeyRow
  counter: bigint
  challengeMadeAt: string
}

export const checkAnswer = async (
  db: Queryable,
  { site, answer }: ShownPasskey,
): Promise<CheckedAnswer> => {
  const passkey = await store.passkeyByCredential(db, answer.id)
  const { clientDataJSON, userHandle } = answer.response
  const now = await databaseNow(db)
  const challengeMadeAt = timeOfChallenge(db, purposeOfUse, { clientDataJSON, now })
  if (passkey === undefined || challengeMadeAt === undefined) throw wrongPasskey()
  if ((userHandle ?? userHandleOf(passkey.user_id)) !== userHandleOf(passkey.user_id)) {
    throw wrongPasskey()
  }
  const counter = await counterOf(passkey, { site, answer })
  return { passkey, counter, challengeMadeAt }
}

/** Loaded by the first answer: few deployments have passkeys, and it takes 29 MB. */
const counterOf = async (
  { credential_id: id, public_key, counter }: store.PasskeyRow,
  { site, answer }: ShownPasskey,
): Promise<bigint> => {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { userHandle, ...response } = answer.response
  const result = await verifyAuthenticationResponse({
    response: {
      id: answer.id,
      rawId: answer.rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { ...response, ...(userHandle == null ? {} : { userHandle }) },
    },
    expectedChallenge: challengeIn(response.clientDataJSON),
    expectedOrigin: site.origin,
    expectedRPID: site.domain,
    credential: { id, publicKey: Uint8Array.from(public_key), counter: Number(counter) },
    // The package says what is wrong with an answer by throwing.
  }).catch((error: unknown) => {
    throw wrongPasskey(error)
  })
  if (!result.verified || isCrossOrigin(response.clientDataJSON)) throw wrongPasskey()
  return BigInt(result.authenticationInfo.newCounter)
}

/** Uses the answer up: refuses one that is not newer than the last. Returns whose it is. */
export const useAnswer = async (
  tx: Queryable,
  { passkey, counter, challengeMadeAt }: CheckedAnswer,
): Promise<UserRow> => {
  const { user } = await lockUserWithFactor(tx, passkey.user_id)
  // A later statement than the lock: it may have been used or removed meanwhile.
  const current = await store.passkeyByCredential(tx, passkey.credential_id)
  if (current === undefined) throw wrongPasskey()
  const last = current.last_challenge_at
  const isUsed = last !== null && last >= challengeMadeAt
  const counts = counter > 0n || current.counter > 0n
  if (isUsed || (counts && counter <= current.counter)) throw wrongPasskey()

  // From here the change must succeed.
  await store.changePasskey(tx, current.id, {
    counter,
    last_challenge_at: challengeMadeAt,
    last_used_at: await databaseNow(tx),
  })
  await countUserChange(tx, user)
  return user
}

export const wrongPasskey = (cause?: unknown): Refusal => {
  const message =
    'The passkey is unknown here, or its answer is wrong, used or expired. Ask for new options and try again.'
  const refusal = unauthorized(message)
  refusal.cause = cause
  return refusal
}
