/**
 * Sign-in and admin sessions (contract 3). They are outside /v1 and the OpenAPI document, so that
 * within /v1 a Bearer credential is the only way in. A session belongs to one user and acts for one
 * organization.
 */
import type { Call, Context } from '../../context.ts'
import type { Requester } from '../../database/fair-queue.ts'
import type { RequestDatabase } from '../../database/pool.ts'
import { Refusal, invalidRequest, notFound, refuse } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { scopesOfRole } from '../../contract/roles.ts'
import { effectiveScopes } from '../../contract/scopes.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  type SignInChoice,
  type SignedIn,
  endSession,
  type SignInTools,
  signInByLink,
  signInByMfaToken,
  signInByPassword,
  switchSession,
} from '../../changes/identity/sessions.ts'
import type { FactorCheck } from '../../changes/identity/second-factor-check.ts'
import { normalizeEmail } from '../../changes/identity/users.ts'
import type { SessionOrigin } from '../../changes/identity/new-session.ts'
import { InputObject } from '../../contract/shapes/objects.ts'
import { Id } from '../../contract/shapes/field-types.ts'
import {
  AdminSession,
  CurrentSession,
  OpenedSession,
  SignIn,
} from '../../contract/shapes/sessions.ts'
import { setCookieOf, shortUserAgent } from '../../core/identity/browser-cookies.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { type SessionRow, sessionById } from '../../store/identity/sessions.ts'
import { type Membership, membershipsOf } from '../../store/identity/users.ts'
import { type AnonymousCaller, operation } from '../operation.ts'

export const create = operation({
  id: 'sessions.create',
  method: 'POST',
  path: '/auth/sessions',
  summary: 'Sign in',
  description:
    'If the user has turned a second factor on, a sign-in without `totp` is refused with 401 and `details.reason: "mfa_required"`. Send the same again with `totp`, or `details.mfa_token` with `totp` within five minutes.',
  since: '1.15.0',
  allowed: 'public',
  body: SignIn,
  response: OpenedSession,
  status: 201,
  errors: ['unauthorized', 'not_found', 'capability_unavailable'],
  showsSecret: true,
  isUnversioned: true,
}).answersPublic(async (context, { body }, from) => {
  const credentials = credentialsOf(body)
  const choice = {
    organization: optionalOrganization(body.organization_id),
    ...{ client: body.client, origin: originOf(from), requestId: from.requestId },
  }
  const signedIn = await countFailures(context, () =>
    signInBy(toolsFor(context, from), credentials, { choice, requester: from.requester }),
  )
  return openedReply(context, signedIn, from)
})

const signInBy = (
  tools: SignInTools,
  credentials: Credentials,
  { choice, requester }: { choice: SignInChoice; requester: Requester },
): Promise<SignedIn> => {
  if ('link' in credentials) return signInByLink(tools, credentials, choice)
  if ('mfa_token' in credentials) return signInByMfaToken(tools, credentials, choice)
  const { address } = tools
  const email = normalizeEmail(credentials.email)
  return signInByPassword(tools, { ...credentials, email, address, requester }, choice)
}

/** Somebody who is not known yet shows a second factor. */
export const factorCheckFor = (
  { database, keyring }: Context,
  { address, requester, dryRun }: Pick<AnonymousCaller, 'address' | 'requester' | 'dryRun'>,
): FactorCheck => ({
  ...{ read: database.read, keys: keyring.secondFactors, address, isDryRun: dryRun },
  transaction: (work) => database.perform('credentials', requester, (own) => own.transaction(work)),
})

export const toolsFor = (context: Context, from: AnonymousCaller): SignInTools => ({
  ...factorCheckFor(context, from),
  write: writeFor(context, from),
})

/** Transactions of somebody who is not known yet; those of a dry run are rolled back. */
export const writeFor =
  (
    { database }: Context,
    { requester, dryRun }: Pick<AnonymousCaller, 'requester' | 'dryRun'>,
  ): RequestDatabase['transaction'] =>
  (work) =>
    database.perform('credentials', requester, (own) =>
      dryRun ? own.rolledBack(work) : own.transaction(work),
    )

export const originOf = ({ address, headers }: AnonymousCaller): SessionOrigin => ({
  address,
  user_agent: shortUserAgent(headers['user-agent']),
})

/** The session, and a browser's cookie. A dry run shows no secret. */
export const openedReply = (
  { config }: Context,
  signedIn: SignedIn,
  { dryRun }: Pick<AnonymousCaller, 'dryRun'>,
) => {
  const opened = toOpenedSession(signedIn)
  const { cookie } = signedIn
  return {
    body: { ...opened, token: dryRun ? null : opened.token },
    ...(cookie === undefined || dryRun
      ? {}
      : { headers: { 'Set-Cookie': setCookieOf(config.baseUrl, cookie) } }),
  }
}

type Credentials =
  | { email: string; password: string; totp: string | undefined }
  | { link: string; totp: string | undefined }
  | { mfa_token: string; totp: string }

/** Exactly one kind of credentials. */
const credentialsOf = ({ email, password, link, mfa_token, totp }: SignIn): Credentials => {
  const hasPassword = email !== undefined || password !== undefined
  if (link !== undefined && mfa_token === undefined && !hasPassword) return { link, totp }
  if (link === undefined && mfa_token !== undefined && !hasPassword) {
    if (totp !== undefined) return { mfa_token, totp }
    throw invalidRequest(problem('/totp', 'required'))
  }
  if (link !== undefined) throw invalidRequest(problem('/link', 'invalid_value'))
  if (mfa_token !== undefined) throw invalidRequest(problem('/mfa_token', 'invalid_value'))
  if (email !== undefined && password !== undefined) return { email, password, totp }
  throw invalidRequest([
    ...(email === undefined ? [problem('/email', 'required')] : []),
    ...(password === undefined ? [problem('/password', 'required')] : []),
  ])
}

const problem = (param: string, code: Problem['code']): Problem => ({
  ...{ param, code },
  message: 'Sign in with email and password, with link, or with mfa_token and totp.',
  fix: 'send email and password, link, or mfa_token and totp',
})

export const optionalOrganization = (id: string | undefined): string | undefined =>
  id === undefined ? undefined : organizationOf(id)

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

const toOpenedSession = ({ session, membership }: SignedIn): OpenedSession => ({
  id: encodeId('ses', session.id),
  token: session.token,
  token_type: 'Bearer',
  expires_at: session.expires_at,
  organization: toOrganization(membership),
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
  response: CurrentSession,
  errors: ['insufficient_scope'],
  isUnversioned: true,
}).reads(async (call) => ({ body: await currentSession(call) }))

export const currentSession = async (call: Call): Promise<CurrentSession> => {
  const { id, user } = sessionOf(call)
  const row = (await sessionById(call.read, id))!
  const { client, authenticated_at } = row
  const memberships = await membershipsOf(call.read, user.id)
  return {
    ...toAdminSession(call, user, row),
    ...{ client: client as CurrentSession['client'], authenticated_at },
    organizations: memberships
      .filter((one) => !one.is_suspended)
      .map((one) => ({ ...toOrganization(one), role: one.role })),
  }
}

type User = NonNullable<Call['credential']['user']>

export const toOrganization = (
  of: Pick<Membership, 'organization_id' | 'organization_name' | 'mode'>,
): OpenedSession['organization'] => ({
  id: encodeId('org', of.organization_id),
  name: of.organization_name,
  mode: of.mode === 'live' ? 'live' : 'sandbox',
})

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
  const signedIn = await switchSession(tx, { id, user: user.id }, organization)
  return openedReply(call.context, signedIn, call)
})
