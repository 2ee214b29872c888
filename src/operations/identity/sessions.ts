/**
 * Sign-in (contract 3). It is outside /v1 and the OpenAPI document, so that within /v1 a Bearer
 * credential is the only way in. A session belongs to one user and acts for one organization.
 */
import type { Context } from '../../context.ts'
import type { Requester } from '../../database/fair-queue.ts'
import type { RequestDatabase } from '../../database/pool.ts'
import { Refusal, invalidRequest, notFound } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { scopesOfRole } from '../../contract/roles.ts'
import { effectiveScopes } from '../../contract/scopes.ts'
import {
  type SignInChoice,
  type SignedIn,
  type SignInTools,
  signInByLink,
  signInByMfaToken,
  signInByPassword,
} from '../../changes/identity/sessions.ts'
import type { FactorCheck } from '../../changes/identity/second-factor-check.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import type { SessionOrigin } from '../../changes/identity/new-session.ts'
import { OpenedSession, SignIn } from '../../contract/shapes/sessions.ts'
import { setCookieOf, shortUserAgent } from '../../core/identity/browser-cookies.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import type { Membership } from '../../store/identity/users.ts'
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
  const choice = choiceOf(body, from)
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
  read: database.read,
  keys: keyring.secondFactors,
  address,
  isDryRun: dryRun,
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

export const sessionOriginOf = ({ address, headers }: AnonymousCaller): SessionOrigin => ({
  address,
  user_agent: shortUserAgent(headers['user-agent']),
})

/** What a body signs in to, from where it came. */
export const choiceOf = (
  { organization_id, client }: Pick<SignIn, 'organization_id' | 'client'>,
  from: AnonymousCaller,
): SignInChoice => ({
  organization: optionalOrganization(organization_id),
  client,
  origin: sessionOriginOf(from),
  requestId: from.requestId,
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
  param,
  code,
  message: 'Sign in with email and password, with link, or with mfa_token and totp.',
  fix: 'send email and password, link, or mfa_token and totp',
})

export const optionalOrganization = (id: string | undefined): string | undefined =>
  id === undefined ? undefined : organizationOf(id)

export const organizationOf = (id: string): string => {
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

export const toOrganization = (
  of: Pick<Membership, 'organization_id' | 'organization_name' | 'mode'>,
): OpenedSession['organization'] => ({
  id: encodeId('org', of.organization_id),
  name: of.organization_name,
  mode: of.mode === 'live' ? 'live' : 'sandbox',
})
