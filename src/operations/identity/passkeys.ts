/**
 * Passkeys (console 2.5, WebAuthn): the person's own, and signing in with one. Both take two calls:
 * the first returns the options for the browser, the second takes what the browser answers.
 */
import { type Static, Type } from 'typebox'
import { notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import { Id } from '../../contract/shapes/field-types.ts'
import { InputObject } from '../../contract/shapes/objects.ts'
import {
  Passkey,
  PasskeyAnswer,
  PasskeyCreation,
  PasskeyPage,
  PasskeyRegistration,
  PasskeyRequest,
} from '../../contract/shapes/passkeys.ts'
import { IdentityProof, OpenedSession, clientField } from '../../contract/shapes/sessions.ts'
import { passkeyRequest } from '../../changes/identity/passkey-answers.ts'
import { addPasskey, removePasskey, startPasskey } from '../../changes/identity/passkeys.ts'
import { signInByPasskey } from '../../changes/identity/sessions.ts'
import { recentSignInMinutes } from '../../core/identity/recent-sign-in.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { type PasskeyRow, passkeysOf } from '../../store/identity/passkeys.ts'
import { operation } from '../operation.ts'
import { siteOf } from './passkey-site.ts'
import { checkProofOfIdentity, checkRecentSignIn, ownFactor } from './proof-of-identity.ts'
import { choiceOf, countFailures, openedReply, toolsFor } from './sessions.ts'
import { sessionOf } from './current-session.ts'

const defaults = { since: '1.16.0', isUnversioned: true } as const
const own = { ...defaults, allowed: 'any' } as const
const minutes = limits.passkeyChallengeLifetimeMs / 60_000

const toPasskey = ({ id, name, transports, created_at, last_used_at }: PasskeyRow): Passkey => ({
  id: encodeId('psk', id),
  name,
  transports,
  created_at,
  last_used_at,
})

export const start = operation({
  ...own,
  id: 'passkeys.start',
  method: 'POST',
  path: '/auth/passkeys/register/options',
  summary: 'Begin to add a passkey',
  description: `Returns the options of \`navigator.credentials.create\`, which last ${minutes} minutes. Needs a sign-in of the last ${recentSignInMinutes} minutes (\`POST /auth/session/step-up\`).`,
  body: NoBody,
  response: PasskeyCreation,
  errors: ['insufficient_scope', 'conflict', 'capability_unavailable'],
}).callsOut(async (call) => {
  sessionOf(call)
  await checkRecentSignIn(call)
  const site = siteOf(call.context)
  const { user } = await ownFactor(call)
  return async (tx) => ({ body: await startPasskey(tx, site, user) })
})

export const add = operation({
  ...own,
  id: 'passkeys.add',
  workClass: 'credentials',
  method: 'POST',
  path: '/auth/passkeys/register/verify',
  summary: 'Add a passkey',
  description:
    'Takes what `navigator.credentials.create` answered. A user with a passkey has a second factor: from then on the password signs in only together with a code of an app, and the passkey signs in alone.',
  body: PasskeyRegistration,
  response: Passkey,
  errors: ['insufficient_scope', 'conflict', 'capability_unavailable'],
}).transacts(async (tx, call, { body }) => {
  const { user } = sessionOf(call)
  const { name, passkey: answer } = body
  const site = siteOf(call.context)
  return { body: toPasskey(await addPasskey(tx, { user: user.id, site, name, answer })) }
})

export const list = operation({
  ...own,
  id: 'passkeys.list',
  method: 'GET',
  path: '/auth/passkeys',
  summary: 'List your passkeys',
  response: PasskeyPage,
  errors: ['insufficient_scope'],
}).reads(async (call) => {
  const rows = await passkeysOf(call.read, sessionOf(call).user.id)
  return { body: { data: rows.map(toPasskey), next_cursor: null, has_more: false } }
})

export const remove = operation({
  ...own,
  id: 'passkeys.remove',
  workClass: 'credentials',
  method: 'DELETE',
  path: '/auth/passkeys/{id}',
  summary: 'Remove a passkey',
  description:
    'Takes a passkey, a code of the app, a recovery code or the password. Without any passkey and without an app, the password signs in alone. Returns its last record.',
  body: IdentityProof,
  response: Passkey,
  errors: ['insufficient_scope', 'not_found', 'conflict'],
}).callsOut(async (call, { params, body }) => {
  const { user } = sessionOf(call)
  await checkProofOfIdentity(call, body, { factorOnly: false })
  return async (tx) => {
    const id = decodeId('psk', params.id)
    const removed = id === undefined ? undefined : await removePasskey(tx, user.id, id)
    if (removed === undefined) throw notFound('passkey', params.id)
    return { body: toPasskey(removed) }
  }
})

export const startSignIn = operation({
  ...defaults,
  id: 'passkeys.start_sign_in',
  method: 'POST',
  path: '/auth/passkeys/sign-in/options',
  summary: 'Begin to sign in with a passkey',
  description: `Returns the options of \`navigator.credentials.get\`, which last ${minutes} minutes. Names nobody: the person chooses the passkey. What it answers also goes with \`POST /auth/session/step-up\`.`,
  allowed: 'public',
  body: NoBody,
  response: PasskeyRequest,
  errors: ['capability_unavailable'],
}).answersPublic(async (context) => ({
  body: await passkeyRequest(context.database.read, siteOf(context)),
}))

const PasskeySignIn = InputObject(
  {
    passkey: PasskeyAnswer,
    organization_id: Type.Optional(
      Id('org', 'The organization; by default the one last used, else a sandbox.'),
    ),
    ...clientField,
  },
  'A sign-in with a passkey.',
)
type PasskeySignIn = Static<typeof PasskeySignIn>

export const signIn = operation({
  ...defaults,
  id: 'passkeys.sign_in',
  method: 'POST',
  path: '/auth/passkeys/sign-in/verify',
  summary: 'Sign in with a passkey',
  description:
    'Takes what `navigator.credentials.get` answered; it works once. No code is asked for, since the authenticator has checked the person.',
  allowed: 'public',
  body: PasskeySignIn,
  response: OpenedSession,
  status: 201,
  errors: ['unauthorized', 'not_found', 'capability_unavailable'],
  showsSecret: true,
}).answersPublic(async (context, { body }: { body: PasskeySignIn }, from) => {
  const choice = choiceOf(body, from)
  const shown = { site: siteOf(context), answer: body.passkey }
  const signedIn = await countFailures(context, () =>
    signInByPasskey(toolsFor(context, from), shown, choice),
  )
  return openedReply(context, signedIn, from)
})
