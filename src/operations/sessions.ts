/**
 * Sign-in and admin sessions (contract 3). They are outside /v1 and the OpenAPI document, so that
 * within /v1 a Bearer credential is the only way in. A session belongs to one user and acts for one
 * organization.
 */
import { type Static, Type } from 'typebox'
import type { Call, Context } from '../context.ts'
import type { RequestDatabase } from '../database/pool.ts'
import { Refusal, invalidRequest, notFound, refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import { roleNames, scopesOfRole } from '../contract/roles.ts'
import { scopeNames, effectiveScopes } from '../contract/scopes.ts'
import { NoBody } from '../contract/shapes/documents.ts'
import {
  type SignedIn,
  endSession,
  signInByLink,
  signInByPassword,
  switchSession,
} from '../changes/identity/sessions.ts'
import { normalizeEmail } from '../changes/identity/users.ts'
import { InputObject, OutputObject } from '../contract/shapes/objects.ts'
import { Id, Nullable, StringEnum, Text, Timestamp } from '../contract/shapes/field-types.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { type SessionRow, sessionById } from '../store/identity/sessions.ts'
import { operation } from './operation.ts'

const SignIn = InputObject(
  {
    email: Type.Optional(
      Text(limits.emailMaxLength, 'The e-mail address of the user, together with password.', 1),
    ),
    password: Type.Optional(Text(limits.passwordMaxLength, 'The password of the user.', 1)),
    link: Type.Optional(
      Text(limits.passwordMaxLength, 'The token of a one-time link, instead of a password.', 1),
    ),
    organization_id: Type.Optional(
      Id('org', 'The organization; by default the one last used, else a sandbox.'),
    ),
  },
  'An e-mail address and a password, or a one-time link.',
)
type SignIn = Static<typeof SignIn>

const session = {
  id: Id('ses', 'The session.'),
  expires_at: Timestamp('When the session ends.'),
  organization: OutputObject(
    {
      id: Id('org', 'The organization.'),
      name: Type.String(),
      mode: StringEnum(['live', 'sandbox'], 'Live or sandbox.'),
    },
    'The organization that the session acts for.',
  ),
  user: OutputObject(
    { id: Id('usr', 'The user.'), email: Type.String(), name: Type.String() },
    'The user who signed in.',
  ),
  role: StringEnum(roleNames, 'The role of the user in the organization.'),
  scopes: Type.Array(StringEnum(scopeNames, 'A scope.')),
}

const AdminSession = OutputObject(session, 'A session, without its token.')
type AdminSession = Static<typeof AdminSession>

export const OpenedSession = OutputObject(
  {
    ...session,
    token: Nullable(Type.String({ description: 'Returned only once. Null in a dry run.' })),
    token_type: StringEnum(['Bearer'], 'The authentication scheme.'),
  },
  'A session with its token.',
)

export const create = operation({
  id: 'sessions.create',
  method: 'POST',
  path: '/auth/sessions',
  summary: 'Sign in',
  since: '1.15.0',
  allowed: 'public',
  body: SignIn,
  response: OpenedSession,
  status: 201,
  errors: ['unauthorized', 'not_found', 'capability_unavailable'],
  showsSecret: true,
  isUnversioned: true,
}).answersPublic(async (context, { body }, { address, requester, dryRun }) => {
  const organization =
    body.organization_id === undefined ? undefined : organizationOf(body.organization_id)
  const credentials = credentialsOf(body)
  const { database } = context
  const write: RequestDatabase['transaction'] = (work) =>
    database.perform('credentials', requester, (own) =>
      dryRun ? own.rolledBack(work) : own.transaction(work),
    )
  const signedIn = await countFailures(context, () =>
    credentials.link !== undefined
      ? write((tx) => signInByLink(tx, credentials.link, organization))
      : signInByPassword(
          { read: database.read, write },
          {
            ...{ password: credentials.password, email: normalizeEmail(credentials.email) },
            ...{ address, requester, organization },
          },
        ),
  )
  const opened = toOpenedSession(signedIn)
  return { body: { ...opened, token: dryRun ? null : opened.token } }
})

/** Exactly one kind of credentials: an e-mail address with a password, or a link. */
const credentialsOf = ({ email, password, link }: SignIn) => {
  if (link !== undefined && email === undefined && password === undefined) return { link }
  if (link === undefined && email !== undefined && password !== undefined) {
    return { email, password }
  }
  const problem = (param: string, code: Problem['code']): Problem => ({
    param,
    code,
    message: 'Sign in with email and password, or with link alone.',
    fix: 'send email and password, or only link',
  })
  if (link !== undefined) throw invalidRequest(problem('/link', 'invalid_value'))
  throw invalidRequest([
    ...(email === undefined ? [problem('/email', 'required')] : []),
    ...(password === undefined ? [problem('/password', 'required')] : []),
  ])
}

const organizationOf = (id: string): string => {
  const decoded = decodeId('org', id)
  if (decoded === undefined) throw notFound('organization', id)
  return decoded
}

export const countFailures = async <T>(context: Context, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) {
      context.metrics.count('docex_sign_in_failures_total', `code="${error.code}"`)
    }
    throw error
  }
}

export const toOpenedSession = ({
  session,
  membership,
}: SignedIn): Static<typeof OpenedSession> => ({
  id: encodeId('ses', session.id),
  token: session.token,
  token_type: 'Bearer',
  expires_at: session.expires_at,
  organization: {
    id: encodeId('org', membership.organization_id),
    name: membership.organization_name,
    mode: membership.mode === 'live' ? 'live' : 'sandbox',
  },
  user: {
    id: encodeId('usr', membership.user_id),
    email: membership.email,
    name: membership.user_name,
  },
  role: membership.role,
  scopes: effectiveScopes(scopesOfRole(membership.role), membership.is_verified),
})

export const get = operation({
  id: 'session.get',
  method: 'GET',
  path: '/auth/session',
  summary: 'Retrieve the current session',
  since: '1.15.0',
  allowed: 'any',
  response: AdminSession,
  errors: ['insufficient_scope'],
  isUnversioned: true,
}).reads(async (call) => {
  const { user } = sessionOf(call)
  return { body: toAdminSession(call, user, (await sessionById(call.read, call.credential.id))!) }
})

type User = NonNullable<Call['credential']['user']>

/** Refuses API keys, which have no session. */
const sessionOf = ({ credential }: Call): { id: string; user: User } => {
  if (credential.kind === 'session' && credential.user !== null) {
    return { id: credential.id, user: credential.user }
  }
  throw refuse('insufficient_scope', 'This operation requires a session; an API key has none.', {
    required_scopes: ['session'],
    key_scopes: credential.grantedScopes,
  })
}

const toAdminSession = (call: Call, user: User, row: SessionRow): AdminSession => ({
  id: encodeId('ses', row.id),
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
  description: 'Ends the session immediately, on every process, and returns its last record.',
  since: '1.15.0',
  allowed: 'any',
  body: NoBody,
  response: AdminSession,
  errors: ['insufficient_scope'],
  isUnversioned: true,
}).transacts(async (tx, call) => {
  const { id, user } = sessionOf(call)
  return { body: toAdminSession(call, user, await endSession(tx, id)) }
})

export const switchOrganization = operation({
  id: 'session.switch',
  workClass: 'credentials',
  method: 'POST',
  path: '/auth/session/switch',
  summary: 'Switch to another organization',
  description:
    'Returns a new session for the other organization and ends the current one. The new session expires when the current one would have.',
  since: '1.15.0',
  allowed: 'any',
  body: InputObject({ organization_id: Id('org', 'The organization.') }, 'Where to switch to.'),
  response: OpenedSession,
  errors: ['insufficient_scope', 'not_found', 'capability_unavailable'],
  showsSecret: true,
  isUnversioned: true,
}).transacts(async (tx, call, { body }) => {
  const { id, user } = sessionOf(call)
  const organization = organizationOf(body.organization_id)
  const opened = toOpenedSession(await switchSession(tx, { id, user: user.id }, organization))
  return { body: { ...opened, token: call.dryRun ? null : opened.token } }
})
