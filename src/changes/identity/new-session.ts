/** Opens a session: inserts its row under the lock of the membership. */
import { randomBytes } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { type Mode, mintSessionToken, sessionRandomBytes } from '../../core/identity/credentials.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Rows } from '../../database/rows.ts'
import type { Queryable } from '../../database/sql.ts'
import { insertSession } from '../../store/identity/sessions.ts'
import {
  type Membership,
  lockMemberships,
  membershipOf,
  setLastUsed,
} from '../../store/identity/users.ts'
import { later } from '../../core/dates.ts'

export interface NewSession {
  user: string
  organization: string
  mode: Mode
  /** Undefined means a whole lifetime from now. */
  expiresAt?: string
  /** The sign-in of the browser, if the session is one of its tokens. */
  signInId?: string | undefined
  /** By default `browser` with a sign-in, and else `cli`. */
  client?: 'device'
  /** When the user last proved their identity; undefined means now. */
  authenticatedAt?: string
  origin?: SessionOrigin
}

/** From where a user signed in, as the list of sessions shows it. */
export type SessionOrigin = Pick<Rows['sessions'], 'address' | 'user_agent'>

export const unknownOrigin: SessionOrigin = { address: null, user_agent: null }

export interface OpenedSession {
  id: string
  /** The secret, shown once. */
  token: string
  expires_at: string
}

export const openSession = async (
  tx: Queryable,
  { user, organization, mode, ...session }: NewSession,
): Promise<OpenedSession> => {
  const { expiresAt, signInId, client, authenticatedAt, origin = unknownOrigin } = session
  // Locked, so that the session has the version of its member when it is committed.
  await lockMemberships(tx, user, [organization])
  const { session_version } = (await membershipOf(tx, user, organization))!
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const token = mintSessionToken(mode, randomBytes(sessionRandomBytes))
  const expires_at = expiresAt ?? later(now, limits.sessionLifetimeMs)
  await insertSession(tx, {
    id,
    user_id: user,
    organization_id: organization,
    mode,
    hash: tx.seals.credentialMac(token),
    created_at: now,
    expires_at,
    revoked_at: null,
    client: client ?? (signInId === undefined ? 'cli' : 'browser'),
    sign_in_id: signInId ?? null,
    refresh_hash: null,
    authenticated_at: authenticatedAt ?? now,
    refreshed_at: null,
    ...origin,
    session_version,
  })
  return { id, token, expires_at }
}

/**
 * For a user who came in person: the next sign-in without an organization opens this one again
 * (contract 11). A token that the service mints in advance says nothing about what its user uses.
 */
export const openMemberSession = async (
  tx: Queryable,
  { user_id: user, organization_id: organization, mode }: Membership,
  more: Omit<NewSession, 'user' | 'organization' | 'mode'>,
): Promise<OpenedSession> => {
  const opened = await openSession(tx, { user, organization, mode, ...more })
  await setLastUsed(tx, { user, organization }, await databaseNow(tx))
  return opened
}
