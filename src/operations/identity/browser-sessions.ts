/**
 * Signed-in browsers (contract 3), and the list of a user's sessions. A browser keeps its token in
 * memory; the cookie that gets the next one is sent to /auth only.
 */
import { notFound, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  IdentityProof,
  ListedSession,
  OpenedSession,
  SessionFilters,
  SessionPage,
  SessionRefresh,
  SignInMethods,
  CurrentSession,
} from '../../contract/shapes/sessions.ts'
import { notSignedIn, refreshBrowser } from '../../changes/identity/browser-sign-ins.ts'
import { markAuthenticated, revokeSession } from '../../changes/identity/sessions.ts'
import { recentSignInMinutes } from '../../core/identity/recent-sign-in.ts'
import { cookieValueOf, isOwnOrigin } from '../../core/identity/browser-cookies.ts'
import { passkeySiteOf } from '../../core/identity/passkey-challenges.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { hasOwnerOfItsOwn } from '../../store/deployment.ts'
import * as store from '../../store/identity/sessions.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'
import { checkProofOfIdentity } from './proof-of-identity.ts'
import {
  countFailures,
  openedReply,
  optionalOrganization,
  toOrganization,
  writeFor,
} from './sessions.ts'
import { clientOf, currentSession, sessionOf } from './current-session.ts'

const unversioned = { since: '1.16.0', isUnversioned: true } as const

export const methods = operation({
  ...unversioned,
  id: 'auth.methods',
  method: 'GET',
  path: '/auth/methods',
  summary: 'Retrieve the ways to sign in',
  allowed: 'public',
  response: SignInMethods,
}).answersPublic(async ({ database, config }) => {
  const setup_required = !(await hasOwnerOfItsOwn(database.read))
  const { baseUrl, magicLink: magic_link, oidcProviders } = config
  const passkey = passkeySiteOf(baseUrl) !== undefined
  const oidc = oidcProviders.map(({ id, name }) => ({ id, name }))
  return { body: { setup_required, password: true, magic_link, passkey, oidc } }
})

export const refresh = operation({
  ...unversioned,
  id: 'sessions.refresh',
  method: 'POST',
  path: '/auth/sessions/refresh',
  summary: 'Get the next token of a browser',
  description: `For a browser that signed in with \`client: "browser"\`: takes its cookie, which works once, and sets the next one. Only pages of this deployment may ask. A cookie whose response was lost may be sent again within ${limits.browserRepeatMs / 1000} seconds. Later, or once a cookie that it was exchanged for has been used, it ends the sign-in with all of its tokens, since somebody may have copied it.`,
  allowed: 'public',
  body: SessionRefresh,
  response: OpenedSession,
  errors: ['unauthorized', 'forbidden', 'not_found', 'capability_unavailable'],
  showsSecret: true,
}).answersPublic(async (context, { body }, from) => {
  const { baseUrl } = context.config
  const { address, headers } = from
  if (!isOwnOrigin(baseUrl, headers.origin)) {
    const message = `Only pages of ${baseUrl} may ask for this: send their Origin.`
    throw refuse('forbidden', message, { address })
  }
  const organization = optionalOrganization(body.organization_id)
  const cookie = cookieValueOf(baseUrl, headers.cookie)
  const refreshed = await countFailures(context, async () => {
    const opened = await writeFor(context, from)((tx) => refreshBrowser(tx, cookie, organization))
    if (opened !== undefined) return opened
    context.log.warn({ address }, 'browser_cookie_used_twice')
    throw notSignedIn()
  })
  return openedReply(context, refreshed, from)
})

const toListedSession = (row: store.ListedSession, current: string): ListedSession => ({
  id: encodeId('ses', row.id),
  client: clientOf(row),
  is_current: row.id === current,
  organization: toOrganization({ ...row, mode: row.mode as 'live' | 'test' }),
  address: row.address,
  user_agent: row.user_agent,
  created_at: row.created_at,
  authenticated_at: row.authenticated_at,
  refreshed_at: row.refreshed_at,
  expires_at: row.expires_at,
})

export const list = operation({
  ...unversioned,
  id: 'sessions.list',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'List your sessions',
  description: 'The sessions of the user that go on, in all organizations, newest first.',
  allowed: 'any',
  query: SessionFilters,
  response: SessionPage,
  errors: ['insufficient_scope'],
}).reads(async (call, { query }) => {
  const { id, user } = sessionOf(call)
  const page = openPage(call, 'sessions', { ...query, user: user.id })
  const { sign_in_id } = (await store.sessionById(call.read, id))!
  const { before, limit } = page
  const rows = await store.openSessionsOf(call.read, user.id, { before, limit })
  return {
    body: page.of(
      rows,
      (row) => toListedSession(row, sign_in_id ?? id),
      (row) => row.id,
    ),
  }
})

export const stepUp = operation({
  ...unversioned,
  id: 'session.step_up',
  workClass: 'credentials',
  method: 'POST',
  path: '/auth/session/step-up',
  summary: 'Show again who you are',
  description: `For a browser: with the password, or with a code or passkey of a user who has a second factor, live money, keys, members and the profile can be changed for ${recentSignInMinutes} minutes. Until then they are refused with \`step_up_required\`.`,
  allowed: 'any',
  body: IdentityProof,
  response: CurrentSession,
  errors: ['insufficient_scope', 'unauthorized', 'conflict'],
}).callsOut(async (call, { body }) => {
  const { id, user } = sessionOf(call)
  await checkProofOfIdentity(call, body, { factorOnly: true })
  return async (tx) => {
    await markAuthenticated(tx, user.id, id)
    return { body: await currentSession({ ...call, read: tx }) }
  }
})

export const revoke = operation({
  ...unversioned,
  id: 'sessions.revoke',
  workClass: 'credentials',
  method: 'DELETE',
  path: '/auth/sessions/{id}',
  summary: 'End one of your sessions',
  description:
    'Ends it immediately, on every process; of a browser, with all of its tokens. Returns its last record.',
  allowed: 'any',
  body: NoBody,
  response: ListedSession,
  errors: ['insufficient_scope', 'not_found'],
}).transacts(async (tx, call, { params }) => {
  const { id, user } = sessionOf(call)
  const { sign_in_id } = (await store.sessionById(tx, id))!
  const named = decodeId('ses', params.id)
  const ended = named === undefined ? undefined : await revokeSession(tx, user.id, named)
  if (ended === undefined) throw notFound('session', params.id)
  return { body: toListedSession(ended, sign_in_id ?? id) }
})
