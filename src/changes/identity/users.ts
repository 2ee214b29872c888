/**
 * People and the organizations they act for. Provisioning and operators make them here and nowhere
 * else.
 *
 * Invariant: e-mails are kept, and looked up, in lower case.
 */
import assert from 'node:assert/strict'
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { newId } from '../../database/new-ids.ts'
import type { Session } from '../../database/sql.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import {
  type UserRow,
  insertMembership,
  insertUser,
  membershipsOf,
  setPasswordHash,
  setRole,
  userByEmail,
} from '../../store/identity/users.ts'

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
