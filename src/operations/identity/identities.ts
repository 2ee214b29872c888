/** The identities of providers with which the signed-in person can sign in (console 2.5). */
import type { Call } from '../../context.ts'
import { notFound } from '../../contract/errors.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  BegunConnection,
  ConnectedIdentities,
  ConnectedIdentity,
  IdentityConnection,
} from '../../contract/shapes/identities.ts'
import { recentSignInMinutes } from '../../core/identity/recent-sign-in.ts'
import { isReturnPath } from '../../core/identity/oidc-attempts.ts'
import {
  type UserIdentity,
  identitiesOf,
  removeIdentity,
} from '../../store/identity/user-identities.ts'
import { operation } from '../operation.ts'
import { begin } from './oidc.ts'
import { checkRecentSignIn } from './proof-of-identity.ts'
import { writeFor } from './sessions.ts'
import { sessionOf, signInOf } from './current-session.ts'

const defaults = { since: '1.16.0', isUnversioned: true, allowed: 'any' } as const

const providersOf = ({ context }: Call) => context.config.oidcProviders

const shown = (
  { email, created_at }: UserIdentity,
  { id, name }: { id: string; name: string },
): ConnectedIdentity => ({ provider: { id, name }, email, connected_at: created_at })

export const list = operation({
  ...defaults,
  id: 'identities.list',
  method: 'GET',
  path: '/auth/identities',
  summary: 'List your identities at providers',
  response: ConnectedIdentities,
  errors: ['insufficient_scope'],
}).reads(async (call) => {
  const own = await identitiesOf(call.read, sessionOf(call).user.id)
  const data = own.flatMap((identity) => {
    const provider = providersOf(call).find(({ issuer }) => issuer === identity.issuer)
    return provider === undefined ? [] : [shown(identity, provider)]
  })
  return { body: { data } }
})

const providerNamed = (call: Call, id: string) => {
  const provider = providersOf(call).find((one) => one.id === id)
  if (provider === undefined) throw notFound('provider', id)
  return provider
}

export const connect = operation({
  ...defaults,
  id: 'identities.connect',
  workClass: 'credentials',
  method: 'POST',
  path: '/auth/identities',
  summary: 'Connect an identity of a provider',
  description: `Returns where the browser goes, and sets the cookie with which it comes back. Whoever signs in there can sign in here as this user from then on. Needs a sign-in of the last ${recentSignInMinutes} minutes.`,
  body: IdentityConnection,
  response: BegunConnection,
  errors: ['insufficient_scope', 'forbidden', 'not_found'],
}).callsOut(async (call, { body }) => {
  const { id: provider } = providerNamed(call, body.provider)
  await checkRecentSignIn(call)
  const { to = '' } = body
  const { user, signIn } = await signInOf(call)
  const connecting = { user, signIn, organization: call.organization.id }
  const attempt = { provider, to: isReturnPath(to) ? to : '', connecting }
  const { location: url, cookie } = await begin(call.context, attempt, writeFor(call.context, call))
  const isKept = cookie !== undefined && !call.dryRun
  return async () => ({ body: { url }, ...(isKept ? { headers: { 'Set-Cookie': cookie } } : {}) })
})

export const remove = operation({
  ...defaults,
  id: 'identities.remove',
  workClass: 'credentials',
  method: 'DELETE',
  path: '/auth/identities/{provider}',
  summary: 'Disconnect an identity of a provider',
  description: `It signs nobody in any more. Needs a sign-in of the last ${recentSignInMinutes} minutes. Returns its last record.`,
  body: NoBody,
  response: ConnectedIdentity,
  errors: ['insufficient_scope', 'forbidden', 'not_found'],
}).transacts(async (tx, call, { params }) => {
  const provider = providerNamed(call, params.provider)
  await checkRecentSignIn({ ...call, read: tx })
  const removed = await removeIdentity(tx, sessionOf(call).user.id, provider.issuer)
  if (removed === undefined) throw notFound('identity', params.provider)
  return { body: shown(removed, provider) }
})
