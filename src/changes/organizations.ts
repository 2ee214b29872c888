/**
 * Organizations, the people who act for them, and what joins them, each in one call. Sign-in,
 * provisioning and operators make these rows here and nowhere else.
 *
 * Invariants: an organization never exists without its head; one mode goes through everything that
 * joins two rows; e-mails are kept in lower case; a token exists in the answer and nowhere else.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { type Mode, mintSessionToken, sessionRandomBytes } from '../core/credentials.ts'
import { encodeId } from '../core/ids.ts'
import { newId } from '../randomness.ts'
import { openAccounts } from './treasury.ts'
import type { Session } from '../sql.ts'
import { insertConnection, openConnectionBetween } from '../store/connections.ts'
import { databaseNow } from '../store/keys.ts'
import { insertSession } from '../store/sessions.ts'
import {
  type OrganizationRow,
  type UserRow,
  insertHead,
  insertMembership,
  insertOrganization,
  insertUser,
  membershipsOf,
  setPasswordHash,
  setRole,
  userByEmail,
} from '../store/users.ts'

export interface NewOrganization {
  name: string
  mode: Mode
  verified: boolean
  currency: string
  /** The live organization whose practice this one is. */
  sandboxOf?: string
  /** Played by the service (domain 6). */
  isDemo?: boolean
}

/** The id of a new organization; it has its accounts, and in the sandbox money on them. */
export const createOrganization = async (
  tx: Session,
  { name, mode, verified, currency, sandboxOf, isDemo = false }: NewOrganization,
): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  await insertOrganization(tx, {
    id,
    mode,
    name,
    sandbox_of: sandboxOf ?? null,
    default_currency: currency,
    clock_offset_seconds: 0n,
    verified_at: verified ? now : null,
    suspended_at: null,
    reset_position: 0n,
    reset_at: null,
    is_demo: isDemo,
    created_at: now,
  })
  await insertHead(tx, id, now)
  await openAccounts(tx, { organization: id, mode, now })
  return id
}

export interface NewConnection {
  a: string
  b: string
  mode: Mode
  /** `a` or `b`. */
  invitedBy: string
  terms: string | null
  currency: string
  status: 'invited' | 'active'
}

/** Two organizations as the table wants them: the smaller id first. */
export const ordered = (one: string, other: string): { a: string; b: string } =>
  one < other ? { a: one, b: other } : { a: other, b: one }

/** The id of a new connection; the parties may be given in either order. */
export const connect = async (tx: Session, wanted: NewConnection): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const { a, b } = ordered(wanted.a, wanted.b)
  const inserted = await insertConnection(tx, {
    id,
    mode: wanted.mode,
    a_id: a,
    b_id: b,
    invited_by: wanted.invitedBy,
    status: wanted.status,
    default_payment_terms: wanted.terms,
    currency: wanted.currency,
    created_at: now,
    updated_at: now,
  })
  assert.equal(inserted, 1, 'the two had no open connection')
  return id
}

/** An active connection that nobody had to accept: an operator vouches for both. */
export const connectAtOnce = async (
  tx: Session,
  inviting: OrganizationRow,
  invited: OrganizationRow,
  { terms, currency }: Pick<NewConnection, 'terms' | 'currency'>,
): Promise<string> => {
  if (inviting.id === invited.id) {
    throw refuse('conflict', 'An organization cannot be connected to itself.')
  }
  if (inviting.mode !== invited.mode) {
    throw refuse('sandbox_isolation', 'One of the two is live and the other a sandbox.')
  }
  const { a, b } = ordered(inviting.id, invited.id)
  const known = await openConnectionBetween(tx, a, b)
  if (known !== undefined) {
    const id = encodeId('con', known.id)
    throw refuse('conflict', `The two have connection ${id} already, ${known.status}.`)
  }

  // From here the change must succeed.
  const mode = inviting.mode === 'live' ? 'live' : 'test'
  return connect(tx, { a, b, mode, invitedBy: inviting.id, terms, currency, status: 'active' })
}

/** An e-mail as it is kept and looked up. */
export const keptEmail = (email: string): string => email.trim().toLowerCase()

/** The id of a new user; without a password hash only one-time links let it in. */
export const createUser = async (
  tx: Session,
  user: { email: string; name: string; passwordHash: string | null },
): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  await insertUser(tx, {
    id,
    email: keptEmail(user.email),
    name: user.name,
    password_hash: user.passwordHash,
    created_at: now,
  })
  return id
}

export type Role = 'owner' | 'admin' | 'member'

export const addMember = async (
  tx: Session,
  { user, organization, role }: { user: string; organization: string; role: Role },
): Promise<void> => {
  const now = await databaseNow(tx)
  await insertMembership(tx, {
    user_id: user,
    organization_id: organization,
    role,
    created_at: now,
  })
}

export interface Appointment {
  email: string
  /** Only for a user who is not known yet. */
  name: string | undefined
  organization: string
  role: Role
  /** Null: what the user has stays. */
  passwordHash: string | null
}

/** Makes somebody a member, whether or not the user and the membership exist. */
export const appoint = async (
  tx: Session,
  { email, name, organization, role, passwordHash }: Appointment,
): Promise<{ user: UserRow; isNew: boolean; roleBefore: Role | undefined }> => {
  if (!/^[^\s@]+@[^\s@]+$/.test(keptEmail(email)) || email.length > limits.emailMaxLength) {
    throw refuse('conflict', `${email} is no e-mail address.`)
  }
  const known = await userByEmail(tx, keptEmail(email))
  if (known === undefined && name === undefined) {
    throw refuse('conflict', `${email} is not known yet: a new user needs a name.`)
  }
  const memberships = known === undefined ? [] : await membershipsOf(tx, known.id)
  const roleBefore = memberships.find((one) => one.organization_id === organization)?.role

  // From here the change must succeed.
  if (known === undefined) await createUser(tx, { email, name: name ?? '', passwordHash })
  else if (passwordHash !== null) await setPasswordHash(tx, known.id, passwordHash)
  const user = await userByEmail(tx, keptEmail(email))
  assert(user, 'a user who was just made can be read')
  if (roleBefore === undefined) await addMember(tx, { user: user.id, organization, role })
  else await setRole(tx, user.id, organization, role)
  return { user, isNew: known === undefined, roleBefore }
}

export interface NewSession {
  user: string
  organization: string
  mode: Mode
  /** Absent: a whole lifetime from now. */
  expiresAt?: string
}

export interface OpenedSession {
  id: string
  /** The secret, shown once. */
  token: string
  expires_at: string
}

export const openSession = async (
  tx: Session,
  { user, organization, mode, expiresAt }: NewSession,
): Promise<OpenedSession> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const { token, hash } = mintSessionToken(mode, randomBytes(sessionRandomBytes))
  const expires_at = expiresAt ?? new Date(Date.parse(now) + limits.sessionLifetimeMs).toISOString()
  await insertSession(tx, {
    id,
    user_id: user,
    organization_id: organization,
    mode,
    hash,
    created_at: now,
    expires_at,
    revoked_at: null,
  })
  return { id, token, expires_at }
}
