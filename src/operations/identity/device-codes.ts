/**
 * Sign-in of programs that a person approves in a browser (RFC 8628), such as the command line on a
 * machine without one. The four errors of RFC 8628 3.5 are reasons of `conflict`.
 */
import type { Call } from '../../context.ts'
import { type Refusal, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  DeviceApproval,
  DeviceCode,
  DeviceStart,
  DeviceToken,
  StartedDeviceCode,
  UserCode,
} from '../../contract/shapes/device-codes.ts'
import { OpenedSession } from '../../contract/shapes/sessions.ts'
import {
  type DecidedCode,
  type PollOutcome,
  approveDeviceCode,
  claimDeviceCode,
  denyDeviceCode,
  pollDeviceCode,
  startDeviceCode,
} from '../../changes/identity/device-codes.ts'
import {
  checkUserCodeGuesses,
  recordWrongUserCode,
} from '../../changes/identity/user-code-guesses.ts'
import { recentSignInMinutes } from '../../core/identity/recent-sign-in.ts'
import { formatUserCode, readUserCode } from '../../core/identity/device-codes.ts'
import type { Membership } from '../../store/identity/users.ts'
import { operation } from '../operation.ts'
import { checkRecentSignIn, ownFactor } from './proof-of-identity.ts'
import {
  openedReply,
  optionalOrganization,
  sessionOriginOf,
  toOrganization,
  writeFor,
} from './sessions.ts'
import { sessionOf, signInOf } from './current-session.ts'

const defaults = { since: '1.16.0', isUnversioned: true } as const

export const start = operation({
  ...defaults,
  id: 'device.start',
  method: 'POST',
  path: '/auth/device',
  summary: 'Begin to sign a program in',
  description: `Returns two codes: the program shows \`user_code\` with \`verification_uri\`, and polls \`POST /auth/device/token\` with \`device_code\` until a signed-in person has approved it. Both last ${limits.deviceCodeLifetimeMs / 60_000} minutes.`,
  allowed: 'public',
  body: DeviceStart,
  response: StartedDeviceCode,
  showsSecret: true,
}).answersPublic(async (context, _, from) => {
  const { address, user_agent } = { ...sessionOriginOf(from), address: from.address }
  const codes = await writeFor(context, from)((tx) => startDeviceCode(tx, { address, user_agent }))
  const verification_uri = `${context.config.baseUrl}/app/device`
  const common = {
    verification_uri,
    expires_in: limits.deviceCodeLifetimeMs / 1000,
    interval: limits.devicePollSeconds,
  }
  if (from.dryRun) {
    const body = { device_code: null, user_code: null, verification_uri_complete: null, ...common }
    return { body }
  }
  const user_code = formatUserCode(codes.userCode)
  const verification_uri_complete = `${verification_uri}?user_code=${user_code}`
  const body = { device_code: codes.deviceCode, user_code, verification_uri_complete, ...common }
  return { body }
})

export const token = operation({
  ...defaults,
  id: 'device.token',
  method: 'POST',
  path: '/auth/device/token',
  summary: 'Poll for the session of a program',
  description: `Returns a session once a person has approved the program, and only once; it lasts ${limits.sessionLifetimeMs / 3_600_000} hours from the moment at which that person last showed who they are. Until then it is refused with \`conflict\`, and \`details.reason\` is as in RFC 8628: \`authorization_pending\`; \`slow_down\`, if the program has not waited for the interval; \`access_denied\`; \`expired_token\`, also for a code that is unknown or used. With the first two, \`details.interval\` says how many seconds to wait before the next poll.`,
  allowed: 'public',
  body: DeviceToken,
  response: OpenedSession,
  status: 201,
  errors: ['conflict', 'not_found', 'capability_unavailable'],
  showsSecret: true,
}).answersPublic(async (context, { body }, from) => {
  const { requestId } = from
  const write = writeFor(context, from)
  const outcome = await write((tx) => pollDeviceCode(tx, body.device_code, requestId))
  if (outcome.kind !== 'signed_in') throw noSession(outcome)
  return openedReply(context, outcome.signedIn, from)
})

const pollMessages = {
  authorization_pending: 'Nobody has approved the code yet. Poll again.',
  slow_down: 'This came before the interval had passed. Wait longer between two polls.',
  access_denied: 'The person has denied the code, or has signed out since.',
  expired_token: 'The code is unknown, used or expired. Start again.',
}

const noSession = (outcome: Exclude<PollOutcome, { kind: 'signed_in' }>): Refusal => {
  const { kind: reason } = outcome
  const wait = 'interval' in outcome ? { interval: outcome.interval } : {}
  return refuse('conflict', pollMessages[reason], { reason, ...wait })
}

/** Counts codes that do not exist, of this person and of the network. */
const countGuesses = async <Found>(
  call: Call,
  text: string,
  find: () => Promise<Found | undefined>,
): Promise<Found> => {
  const guess = { user: sessionOf(call).user.id, address: call.address }
  checkUserCodeGuesses(guess)
  const found = await find()
  if (found !== undefined) return found
  recordWrongUserCode(guess)
  throw noSuchCode(text)
}

const noSuchCode = (text: string): Refusal =>
  refuse(
    'not_found',
    'There is no such code, or it has expired. Start again in the program that shows it.',
    { resource: 'device_code', id: shownCode(text), param: '/user_code' },
  )

const shownCode = (text: string): string => {
  const code = readUserCode(text)
  return code === undefined ? text : formatUserCode(code)
}

const toDeviceCode = ({ code, membership }: DecidedCode, text: string): DeviceCode => ({
  user_code: shownCode(text),
  status: code.status as DeviceCode['status'],
  address: code.address,
  user_agent: code.user_agent,
  created_at: code.created_at,
  expires_at: code.expires_at,
  organization: membership === undefined ? null : toOrganization(membership),
})

const decision = { ...defaults, workClass: 'credentials', allowed: 'any' } as const

export const claim = operation({
  ...decision,
  id: 'device.claim',
  method: 'POST',
  path: '/auth/device/claim',
  summary: 'See which program shows a code',
  description:
    'Binds the code to your sign-in: no other one can approve or deny it from then on. Can be repeated. Show the person from where the program asks before you approve.',
  body: UserCode,
  response: DeviceCode,
  errors: ['insufficient_scope', 'not_found', 'conflict'],
}).transacts(async (tx, call, { body: { user_code: text } }) => {
  const by = await signInOf(call)
  const code = await countGuesses(call, text, () => claimDeviceCode(tx, text, by))
  return { body: toDeviceCode({ code, membership: undefined }, text) }
})

export const approve = operation({
  ...decision,
  id: 'device.approve',
  method: 'POST',
  path: '/auth/device/approve',
  summary: 'Approve a program',
  description: `For the sign-in that has claimed the code. Needs a sign-in of the last ${recentSignInMinutes} minutes (\`POST /auth/session/step-up\`) and, for a live organization, a second factor.`,
  body: DeviceApproval,
  response: DeviceCode,
  errors: ['insufficient_scope', 'not_found', 'conflict', 'capability_unavailable'],
}).callsOut(async (call, { body }) => {
  await checkRecentSignIn(call)
  const { authenticatedAt, ...by } = await signInOf(call)
  const { user } = await ownFactor(call)
  const hasSecondFactor = user.second_factor_since !== null
  const { user_code: text } = body
  return async (tx) => {
    const approval = {
      by,
      authenticatedAt,
      organization: optionalOrganization(body.organization_id) ?? call.organization.id,
      checkApprover: (membership: Membership) => {
        if (membership.mode === 'live' && !hasSecondFactor) throw needsSecondFactor(call)
      },
    }
    const decided = await countGuesses(call, text, () => approveDeviceCode(tx, text, approval))
    return { body: toDeviceCode(decided, text) }
  }
})

const needsSecondFactor = ({ address }: Call): Refusal =>
  refuse(
    'forbidden',
    'Approving a program for a live organization needs a second factor: turn one on, or add a passkey, in the settings of the console.',
    { address, reason: 'second_factor_required' },
  )

export const deny = operation({
  ...decision,
  id: 'device.deny',
  method: 'POST',
  path: '/auth/device/deny',
  summary: 'Deny a program',
  description: 'For the sign-in that has claimed the code. The program gets no session with it.',
  body: UserCode,
  response: DeviceCode,
  errors: ['insufficient_scope', 'not_found', 'conflict'],
}).transacts(async (tx, call, { body: { user_code: text } }) => {
  const by = await signInOf(call)
  const decided = await countGuesses(call, text, () => denyDeviceCode(tx, text, by))
  return { body: toDeviceCode(decided, text) }
})
