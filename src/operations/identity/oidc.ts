/**
 * Signing in through an identity provider (console 2.5), as a browser goes through it: to the
 * provider and back. What went wrong is said by a page of the console.
 */
import type { Context } from '../../context.ts'
import { isRefusal } from '../../contract/errors.ts'
import type { RequestDatabase } from '../../database/pool.ts'
import {
  type IdentityProblem,
  type ShownIdentity,
  beginAttempt,
  connectOwnIdentity,
  endAttempt,
  userOfIdentity,
} from '../../changes/identity/oidc-sign-ins.ts'
import { createMfaToken, factorMethodsOf } from '../../changes/identity/second-factor-check.ts'
import { signIn } from '../../changes/identity/sessions.ts'
import {
  attemptCookieKind,
  cookieValueOf,
  setCookieOf,
} from '../../core/identity/browser-cookies.ts'
import {
  type Attempt,
  isReturnPath,
  parseAttemptCookie,
  secretsOf,
} from '../../core/identity/oidc-attempts.ts'
import type { IdentityProvider, ProviderFailure } from '../../oidc/identity-provider.ts'
import type { AnonymousCaller } from '../operation.ts'
import { choiceOf, toolsFor, writeFor } from './sessions.ts'

/** Where a browser goes, and the header Set-Cookie, if any. */
export interface Redirect {
  location: string
  cookie?: string
}

export type SignInProblem =
  | IdentityProblem
  | ProviderFailure
  | 'unknown_provider'
  | 'no_organization'

const callbackOf = ({ config }: Context, provider: string): string =>
  `${config.baseUrl}/auth/oidc/${provider}/callback`

/** To the page of the console that goes on, or says what went wrong. */
const resultPage = ({ config }: Context, to: string, more: Record<string, string> = {}): string => {
  const query = new URLSearchParams({ ...(to === '' ? {} : { to }), ...more })
  return `${config.baseUrl}/app/signed-in${query.size === 0 ? '' : `?${query}`}`
}

const problemPage = (
  context: Context,
  { to, provider }: Pick<Attempt, 'to' | 'provider'>,
  { problem, reason }: { problem: SignInProblem; reason?: string },
): Redirect => {
  context.metrics.count('docex_sign_in_failures_total', `code="${problem}"`)
  context.log.warn({ provider, problem, reason }, 'oidc_sign_in_failed')
  return { location: resultPage(context, to, { problem }) }
}

/** Begins an attempt, and sends the browser to the provider. */
export const begin = async (
  context: Context,
  attempt: Attempt,
  write: RequestDatabase['transaction'],
): Promise<Redirect> => {
  const provider = context.identityProviders.get(attempt.provider)
  if (provider === undefined) return problemPage(context, attempt, { problem: 'unknown_provider' })
  const { secret, cookie } = await write((tx) => beginAttempt(tx, attempt))
  const callback = callbackOf(context, attempt.provider)
  const url = await provider.authorizationUrl(callback, secretsOf(secret))
  if ('failure' in url) {
    return problemPage(context, attempt, { problem: url.failure, reason: url.reason })
  }
  const { baseUrl } = context.config
  return { location: url.value, cookie: setCookieOf(baseUrl, cookie, attemptCookieKind) }
}

export const start = (
  context: Context,
  { provider, to }: { provider: string; to: string },
  from: AnonymousCaller,
): Promise<Redirect> => {
  const attempt = { provider, to: isReturnPath(to) ? to : '', connecting: null }
  return begin(context, attempt, writeFor(context, from))
}

/** The browser comes back: signs its user in, or connects the identity to their account. */
export const callback = async (
  context: Context,
  { provider: id, search }: { provider: string; search: string },
  from: AnonymousCaller,
): Promise<Redirect> => {
  const provider = context.identityProviders.get(id)
  const nowhere = { to: '', provider: id }
  if (provider === undefined) return problemPage(context, nowhere, { problem: 'unknown_provider' })
  const cookie = cookieValueOf(context.config.baseUrl, from.headers.cookie, attemptCookieKind)
  const kept = parseAttemptCookie(cookie, id)
  const write = writeFor(context, from)
  const isOwn = kept !== undefined && isAnswerTo(kept.secret, search)
  // Ended before anything else, so that it is used up whatever follows.
  const isOpen = isOwn && (await write((tx) => endAttempt(tx, kept.secret, kept.attempt)))
  if (!isOpen) return problemPage(context, nowhere, { problem: 'not_begun' })
  const { attempt, secret } = kept
  const url = new URL(`${callbackOf(context, id)}?${search}`)
  const identity = await provider.identityOf(url, secretsOf(secret))
  if ('failure' in identity) {
    return problemPage(context, attempt, { problem: identity.failure, reason: identity.reason })
  }
  return attempt.connecting === null
    ? enter(context, { provider, attempt, identity: identity.value }, from)
    : connect(context, { provider, attempt, identity: identity.value }, from)
}

/** Not that of a tab that began earlier, which leaves the attempt of the later one alone. */
const isAnswerTo = (secret: string, search: string): boolean =>
  new URLSearchParams(search).get('state') === secretsOf(secret).state

interface Returned {
  provider: IdentityProvider
  attempt: Attempt
  identity: ShownIdentity
}

const enter = async (
  context: Context,
  { provider, attempt, identity }: Returned,
  from: AnonymousCaller,
): Promise<Redirect> => {
  const { read, isDryRun } = toolsFor(context, from)
  const { allowedDomains } = provider.settings
  const write = writeFor(context, from)
  const found = await write((tx) => userOfIdentity(tx, identity, allowedDomains))
  if ('problem' in found) return problemPage(context, attempt, found)
  if (found.user.second_factor_since !== null) {
    const token = await createMfaToken({ read, isDryRun }, found.user)
    const methods = await factorMethodsOf(read, found.user)
    // In the fragment, which no log shows; it is worth nothing without the second factor.
    return { location: `${resultPage(context, attempt.to)}#t=${token}&methods=${methods.join()}` }
  }
  try {
    const choice = choiceOf({ client: 'browser' }, from)
    const { cookie } = await write((tx) => signIn(tx, found.user.id, choice))
    const { baseUrl } = context.config
    return { location: resultPage(context, attempt.to), cookie: setCookieOf(baseUrl, cookie!) }
  } catch (error) {
    if (!isRefusal(error, 'capability_unavailable')) throw error
    return problemPage(context, attempt, { problem: 'no_organization' })
  }
}

const connect = async (
  context: Context,
  { provider, attempt, identity }: Returned,
  from: AnonymousCaller,
): Promise<Redirect> => {
  const { requestId, address } = from
  const connecting = { ...attempt.connecting!, provider: provider.settings.id, requestId, address }
  const { allowedDomains } = provider.settings
  const done = await writeFor(
    context,
    from,
  )((tx) => connectOwnIdentity(tx, connecting, identity, allowedDomains))
  if ('problem' in done) return problemPage(context, attempt, done)
  return { location: resultPage(context, attempt.to) }
}
