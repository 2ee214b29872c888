/** Signing in by a link that is sent to one's own address (console 2.5). */
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { OpenedSession } from '../../contract/shapes/sessions.ts'
import { LinkRedemption, LinkRequest, RequestedLink } from '../../contract/shapes/sign-in-links.ts'
import { requestLink } from '../../changes/identity/link-requests.ts'
import { signInByLink } from '../../changes/identity/sessions.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { cookieValueOf, linkCookie, setCookieOf } from '../../core/identity/browser-cookies.ts'
import { operation } from '../operation.ts'
import { choiceOf, countFailures, openedReply, toolsFor, writeFor } from './sessions.ts'

const unversioned = { since: '1.16.0', isUnversioned: true, allowed: 'public' } as const
const lifetimeMinutes = limits.requestedLinkLifetimeMs / 60_000
const knownDays = limits.signInNetworkKnownMs / 86_400_000

export const ask = operation({
  ...unversioned,
  id: 'links.create',
  method: 'POST',
  path: '/auth/links',
  summary: 'Ask for a sign-in link',
  description: `If there is a user with this address, a link goes there, for one sign-in within ${lifetimeMinutes} minutes. The answer, and the time it takes, is the same if there is none. The response sets a cookie: the link works only together with it. A network may ask ${limits.linkRequestsPerNetworkMax} times in an hour; an address is sent ${limits.linkRequestsPerEmailMax} links in an hour at most. Where its user has signed in during the last ${knownDays} days, with a password or a link, only those count that were asked for there.`,
  body: LinkRequest,
  response: RequestedLink,
  status: 202,
  errors: ['conflict'],
}).answersPublic(async (context, { body }, from) => {
  const { magicLink: delivery, baseUrl } = context.config
  if (delivery === null) throw noDelivery()
  const email = normalizeEmail(body.email)
  const kept = cookieValueOf(baseUrl, from.headers.cookie, linkCookie)
  const { address } = from
  const secret = await writeFor(context, from)((tx) => requestLink(tx, { email, address, kept }))
  const cookie = { 'Set-Cookie': setCookieOf(baseUrl, secret, linkCookie) }
  return {
    body: { delivery, expires_in: limits.requestedLinkLifetimeMs / 1000 },
    ...(from.dryRun ? {} : { headers: cookie }),
  }
})

const noDelivery = () =>
  refuse(
    'conflict',
    'This deployment sends no sign-in links: GET /auth/methods lists the ways to sign in.',
    { reason: 'method_unavailable' },
  )

export const redeem = operation({
  ...unversioned,
  id: 'links.redeem',
  method: 'POST',
  path: '/auth/links/redeem',
  summary: 'Sign in by a link',
  description:
    'Takes the token of a link that was asked for, with the cookie of the browser that asked, or that of an operator’s link. It works once. A user with a second factor sends `totp` as well; without it, the link is used up, and `details.mfa_token` goes on from there.',
  body: LinkRedemption,
  response: OpenedSession,
  status: 201,
  errors: ['unauthorized', 'not_found', 'capability_unavailable'],
  showsSecret: true,
}).answersPublic(async (context, { body }, from) => {
  const { token: link, totp } = body
  const browser = cookieValueOf(context.config.baseUrl, from.headers.cookie, linkCookie)
  const choice = choiceOf(body, from)
  const signedIn = await countFailures(context, () =>
    signInByLink(toolsFor(context, from), { link, browser, totp }, choice),
  )
  return openedReply(context, signedIn, from)
})
