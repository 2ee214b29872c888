/**
 * The session that calls (contract 3): what it is, its end, and its switch to another organization.
 * Like sign-in, it is outside /v1 and the OpenAPI document.
 */
import type { Call } from '../../context.ts'
import { refuse } from '../../contract/errors.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import { endSession, switchSession } from '../../changes/identity/sessions.ts'
import { InputObject } from '../../contract/shapes/objects.ts'
import { Id } from '../../contract/shapes/field-types.ts'
import { AdminSession, CurrentSession, OpenedSession } from '../../contract/shapes/sessions.ts'
import { setCookieOf } from '../../core/identity/browser-cookies.ts'
import { encodeId } from '../../core/ids.ts'
import { type SessionRow, sessionById } from '../../store/identity/sessions.ts'
import { membershipsOf } from '../../store/identity/users.ts'
import { operation } from '../operation.ts'
import { openedReply, organizationOf, toOrganization } from './sessions.ts'

export const get = operation({
  id: 'session.get',
  method: 'GET',
  path: '/auth/session',
  summary: 'Retrieve the current session',
  since: '1.15.0',
  allowed: 'any',
  response: CurrentSession,
  errors: ['insufficient_scope'],
  isUnversioned: true,
}).reads(async (call) => ({ body: await currentSession(call) }))

export const currentSession = async (call: Call): Promise<CurrentSession> => {
  const { id, user } = sessionOf(call)
  const row = (await sessionById(call.read, id))!
  const { authenticated_at } = row
  const memberships = await membershipsOf(call.read, user.id)
  return {
    ...toAdminSession(call, user, row),
    client: clientOf(row),
    authenticated_at,
    organizations: memberships
      .filter((one) => !one.is_suspended)
      .map((one) => ({ ...toOrganization(one), role: one.role })),
  }
}

type User = NonNullable<Call['credential']['user']>

/** Refuses API keys, which have no session. */
export const sessionOf = ({ credential }: Call): { id: string; user: User } => {
  if (credential.kind === 'session' && credential.user !== null) {
    return { id: credential.id, user: credential.user }
  }
  throw refuse('insufficient_scope', 'This operation requires a session; an API key has none.', {
    required_scopes: ['session'],
    key_scopes: credential.grantedScopes,
  })
}

/** What a session is for; that of an approved program is used as any other of a program is. */
export const clientOf = ({ client }: SessionRow): 'browser' | 'cli' =>
  client === 'browser' ? 'browser' : 'cli'

/**
 * Refuses a program that was approved, or has the session of a new practice pair: its user has
 * chosen one organization for it, and what it can do ends with its session (docs/decisions/0120).
 */
export const checkIsPerson = ({ client }: SessionRow, { address }: Call): void => {
  if (client !== 'device') return
  throw refuse(
    'forbidden',
    'This session is of a program, for one organization: it enters no other one, approves no program and adds no way to sign in. Do that in the console.',
    { address, reason: 'approved_program' },
  )
}

/** Who calls, by the sign-in and not by one of its tokens, which a browser replaces. */
export const signInOf = async (
  call: Call,
): Promise<{ user: string; signIn: string; authenticatedAt: string }> => {
  const { id, user } = sessionOf(call)
  const row = (await sessionById(call.read, id))!
  return { user: user.id, signIn: row.sign_in_id ?? row.id, authenticatedAt: row.authenticated_at }
}

const toAdminSession = (call: Call, user: User, row: SessionRow): AdminSession => ({
  id: encodeId('ses', row.sign_in_id ?? row.id),
  expires_at: row.expires_at,
  organization: {
    id: encodeId('org', call.organization.id),
    name: call.organization.name,
    mode: call.organization.mode === 'live' ? 'live' : 'sandbox',
  },
  user: { id: encodeId('usr', user.id), email: user.email, name: user.name },
  role: user.role,
  scopes: [...call.scopes],
})

export const end = operation({
  id: 'session.end',
  workClass: 'credentials',
  method: 'DELETE',
  path: '/auth/session',
  summary: 'Sign out',
  description:
    'Ends the session immediately, on every process, with all tokens and the cookie of a browser. Returns its last record.',
  since: '1.15.0',
  allowed: 'any',
  body: NoBody,
  response: AdminSession,
  errors: ['insufficient_scope'],
  isUnversioned: true,
}).transacts(async (tx, call) => {
  const { id, user } = sessionOf(call)
  const { baseUrl } = call.context.config
  const row = await endSession(tx, id)
  const isBrowser = row.sign_in_id !== null && !call.dryRun
  return {
    body: toAdminSession(call, user, row),
    ...(isBrowser ? { headers: { 'Set-Cookie': setCookieOf(baseUrl, null) } } : {}),
  }
})

export const switchOrganization = operation({
  id: 'session.switch',
  workClass: 'credentials',
  method: 'POST',
  path: '/auth/session/switch',
  summary: 'Switch to another organization',
  description:
    'Returns a new session for the other organization and ends the current one. The new session expires when the current one would have. A program that was approved by a code stays in its organization.',
  since: '1.15.0',
  allowed: 'any',
  body: InputObject({ organization_id: Id('org', 'The organization.') }, 'Where to switch to.'),
  response: OpenedSession,
  errors: ['forbidden', 'insufficient_scope', 'not_found', 'capability_unavailable'],
  showsSecret: true,
  isUnversioned: true,
}).transacts(async (tx, call, { body }) => {
  const { id, user } = sessionOf(call)
  const organization = organizationOf(body.organization_id)
  const old = await sessionById(tx, id)
  if (old !== undefined) checkIsPerson(old, call)
  const signedIn = await switchSession(tx, { id, user: user.id }, organization)
  return openedReply(call.context, signedIn, call)
})
