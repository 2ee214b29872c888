/**
 * The first owner: whoever reads the output of the start opens its link, and becomes the owner of
 * the first live organization of its own.
 *
 * Invariants: a token names its end, under a MAC of the server key, so nothing of it is stored; all
 * tokens are dead as soon as there is such an owner, and of two that are used at the same time
 * one makes it.
 */
import { refuse, unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { hasOwnerOfItsOwn } from '../../store/deployment.ts'
import { userByEmail } from '../../store/identity/users.ts'
import { type PracticePair, createPair } from '../sandbox/practice-pairs.ts'
import { createOrganization } from './organizations.ts'
import { type SignInChoice, type SignedIn, signIn } from './sessions.ts'
import { isSignatureOf, signatureOf } from './signed-tokens.ts'
import { addMembership, createUser } from './users.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'

const setupLock = 4_216_773
const tokenPattern = /^st_([0-9a-z]{1,12})_([0-9A-Za-z_-]{16,64})$/

const signedText = (endsAt: string): string => `setup until ${endsAt}`

/** Undefined once there is an owner. */
export const createSetupToken = async (db: Queryable): Promise<string | undefined> => {
  if (await hasOwnerOfItsOwn(db)) return undefined
  const endsAt = (Date.parse(await databaseNow(db)) + limits.setupTokenLifetimeMs).toString(36)
  return `st_${endsAt}_${signatureOf(db.seals, signedText(endsAt))}`
}

const isValid = (seals: RowSeals, token: string, now: string): boolean => {
  const [, endsAt = '', mac = ''] = tokenPattern.exec(token) ?? []
  if (endsAt === '' || Number.parseInt(endsAt, 36) <= Date.parse(now)) return false
  return isSignatureOf(seals, signedText(endsAt), mac)
}

export const checkSetupToken = async (db: Queryable, token: string): Promise<void> => {
  const isOpen = isValid(db.seals, token, await databaseNow(db)) && !(await hasOwnerOfItsOwn(db))
  if (isOpen) return
  const message =
    'The setup token is unknown, used or expired. A start of the service prints another one while there is no owner.'
  throw unauthorized(message)
}

export interface NewOwner extends Omit<SignInChoice, 'organization'> {
  token: string
  email: string
  name: string
  passwordHash: string
  organizationName: string
}

/** Creates the owner, the live organization and its practice pair, and signs in to the first. */
export const setUp = async (
  tx: Queryable,
  { token, email, name, passwordHash, organizationName, ...choice }: NewOwner,
): Promise<SignedIn & { pair: PracticePair }> => {
  await tx.rows(sql`select pg_advisory_xact_lock(${setupLock})`)
  // A later statement than the lock: somebody else may have been first.
  await checkSetupToken(tx, token)
  if ((await userByEmail(tx, normalizeEmail(email))) !== undefined) throw alreadyUser()

  // From here the change must succeed.
  const user = await createUser(tx, { email, name, passwordHash })
  const draft = { name: organizationName, mode: 'live' as const, verified: false, currency: 'USD' }
  const organization = await createOrganization(tx, draft)
  await addMembership(tx, { user, organization, role: 'owner' })
  const pair = await createPair(tx, {
    owner: { id: organization, isLive: true },
    names: { organization: `${organizationName} Sandbox`, demo: 'Demo Counterparty' },
    verified: true,
    admin: user,
    demoAdmin: user,
  })
  return { ...(await signIn(tx, user, { ...choice, organization })), pair }
}

const alreadyUser = () =>
  refuse('conflict', 'Somebody with this e-mail address is a user already: take another one.', {
    reason: 'already_user',
  })
