/**
 * The passkeys of a user (console 2.5): adding and removing them. A user with a passkey has a
 * second factor, so a password alone signs in no more.
 *
 * Invariants: a challenge names the version of its user, which adding counts up, so it works once;
 * certificates of authenticators are refused, since checking them would call others.
 */
import { type Refusal, invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { NewPasskeyAnswer, PasskeyCreation } from '../../contract/shapes/passkeys.ts'
import { type PasskeySite, isCrossOrigin } from '../../core/identity/passkey-challenges.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { countUserChange } from '../../store/identity/access-versions.ts'
import * as store from '../../store/identity/passkeys.ts'
import {
  changeFactor,
  deleteFactor,
  isConfirmed,
  lockUserWithFactor,
  noCodes,
  replaceFactor,
} from '../../store/identity/second-factors.ts'
import type { UserRow } from '../../store/identity/users.ts'
import {
  type ChallengePurpose,
  challengeIn,
  createChallenge,
  timeOfChallenge,
  userHandleOf,
} from './passkey-answers.ts'

/** COSE: EdDSA, ES256 and RS256, which between them all authenticators know. */
const algorithms = [-8, -7, -257]

const purposeOf = ({ id, version }: UserRow): ChallengePurpose => `passkey of ${id} at ${version}`

export const startPasskey = async (
  db: Queryable,
  site: PasskeySite,
  user: UserRow,
): Promise<PasskeyCreation> => {
  const passkeys = await store.passkeysOf(db, user.id)
  if (passkeys.length >= limits.passkeysMax) throw tooManyPasskeys()
  const type = 'public-key' as const
  return {
    challenge: await createChallenge(db, purposeOf(user)),
    rp: { id: site.domain, name: 'Document Exchange' },
    user: { id: userHandleOf(user.id), name: user.email, displayName: user.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type, alg })),
    timeout: limits.passkeyChallengeLifetimeMs,
    excludeCredentials: passkeys.map(({ credential_id: id, transports }) => ({
      type,
      id,
      transports,
    })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}

export interface NewPasskey {
  user: string
  site: PasskeySite
  name: string
  answer: NewPasskeyAnswer
}

export const addPasskey = async (
  tx: Queryable,
  { user: id, site, name, answer }: NewPasskey,
): Promise<store.PasskeyRow> => {
  const { user, factor } = await lockUserWithFactor(tx, id)
  const now = await databaseNow(tx)
  const { clientDataJSON, transports = [] } = answer.response
  const isOpen = timeOfChallenge(tx, purposeOf(user), { clientDataJSON, now }) !== undefined
  const credential = isOpen ? await credentialIn(answer, site) : undefined
  if (credential === undefined) throw wrongRegistration()
  const { length: count } = await store.passkeysOf(tx, id)
  if (count >= limits.passkeysMax) throw tooManyPasskeys()
  if ((await store.passkeyByCredential(tx, credential.id)) !== undefined) throw knownPasskey()

  // From here the change must succeed.
  const passkey: store.PasskeyRow = {
    id: newId(Date.parse(now)),
    user_id: id,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: BigInt(credential.counter),
    transports,
    name,
    created_at: now,
    last_used_at: null,
    last_challenge_at: null,
    user_version: user.version,
  }
  await store.insertPasskey(tx, passkey)
  await (factor === undefined
    ? replaceFactor(tx, {
        user_id: id,
        ...noCodes,
        created_at: now,
        passkeys: 1,
        user_version: user.version,
      })
    : changeFactor(tx, id, { passkeys: count + 1 }))
  await countUserChange(tx, user, { second_factor_since: user.second_factor_since ?? now })
  return passkey
}

/** Undefined unless the answer is right. */
const credentialIn = async ({ id, rawId, response }: NewPasskeyAnswer, site: PasskeySite) => {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  const { clientDataJSON, attestationObject } = response
  const verify = async () => {
    const bytes = Uint8Array.from(Buffer.from(attestationObject, 'base64url'))
    const attested = decodeAttestationObject(bytes)
    if (attested.get('attStmt').get('x5c') !== undefined) return undefined
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challengeIn(clientDataJSON),
      expectedOrigin: site.origin,
      expectedRPID: site.domain,
      supportedAlgorithmIDs: algorithms,
    })
    return verified && !isCrossOrigin(clientDataJSON) ? registrationInfo.credential : undefined
  }
  // The package says what is wrong with an answer by throwing.
  return verify().catch(() => undefined)
}

/** Whoever calls has checked who asks. Undefined if the user has no such passkey. */
export const removePasskey = async (
  tx: Queryable,
  user: string,
  id: string,
): Promise<store.PasskeyRow | undefined> => {
  const owner = await lockUserWithFactor(tx, user)
  const passkeys = await store.passkeysOf(tx, user)
  const passkey = passkeys.find((one) => one.id === id)
  if (passkey === undefined) return undefined

  // From here the change must succeed.
  await store.deletePasskey(tx, id)
  const left = passkeys.length - 1
  const isLastFactor = left === 0 && !isConfirmed(owner.factor)
  await (isLastFactor
    ? deleteFactor(tx, user)
    : changeFactor(tx, user, { passkeys: left === 0 ? null : left }))
  await countUserChange(tx, owner.user, isLastFactor ? { second_factor_since: null } : {})
  return passkey
}

const wrongRegistration = (): Refusal =>
  invalidRequest({
    param: '/passkey',
    code: 'invalid_value',
    message: 'This is no answer to options that are open, or the device has not checked you.',
    fix: 'ask for new options with POST /auth/passkeys/register/options',
  })

const tooManyPasskeys = (): Refusal =>
  refuse('conflict', `You have ${limits.passkeysMax} passkeys already: remove one first.`, {
    reason: 'too_many_passkeys',
  })

const knownPasskey = (): Refusal =>
  refuse('conflict', 'This passkey has been added already.', { reason: 'passkey_known' })
