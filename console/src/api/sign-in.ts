/** Signing in, changing the organization, and signing out. */
import { ApiError, call } from './call.ts'
import { type Session, currentSession, openSession, renewSession, sessionToken } from './session.ts'

export type Opened = Session & { token: string }

export interface Credentials {
  email: string
  password: string
}

/** What stands for the password or the link while the second factor is asked for. */
export interface AskedFactor {
  mfa_token: string
  /** What the person can show. */
  methods: ('totp' | 'passkey')[]
}

export const signIn = (credentials: Credentials): Promise<Session | AskedFactor> =>
  sessionOrFactor(() => open(credentials))

/** With a link that somebody has asked for, in the same browser, or that an operator has made. */
export const signInByLink = (token: string): Promise<Session | AskedFactor> =>
  sessionOrFactor(() => open({ token }, '/auth/links/redeem'))

/** The second factor is asked for in the place of a session. */
export const sessionOrFactor = async (
  request: () => Promise<Session>,
): Promise<Session | AskedFactor> => {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'mfa_required') throw error
    const { mfa_token, methods } = error.details as unknown as AskedFactor
    return { mfa_token, methods }
  }
}

export const signInWithCode = ({ mfa_token }: AskedFactor, totp: string): Promise<Session> =>
  open({ mfa_token, totp })

const open = async (credentials: object, path = '/auth/sessions'): Promise<Session> => {
  const body = { ...credentials, client: 'browser' }
  return openAs(await call<Opened>('POST', path, { body, isProof: true }))
}

export const openAs = (opened: Opened): Session => {
  openSession(opened)
  return opened
}

export interface Setup {
  setup_token: string
  email: string
  name: string
  password: string
  organization_name: string
}

export const setUp = async (setup: Setup): Promise<Session> => {
  const body = { ...setup, client: 'browser' }
  return openAs(await call<Opened>('POST', '/auth/setup', { body }))
}

/** What a passkey answers, as JSON. */
export type PasskeyAnswer = object

export interface Acceptance {
  token: string
  password: string
  /** Of a new user. */
  name?: string
  /** Of a user with a second factor: a code, or what a passkey answers. */
  totp?: string
  passkey?: PasskeyAnswer
}

export const acceptInvitation = (acceptance: Acceptance): Promise<Session> =>
  open(acceptance, '/auth/invitations/accept')

/** The browser is signed in, and the service gives it no token now. */
export class SessionDelay extends ApiError {
  readonly retryAfterSeconds: number

  constructor(status: number, body: ConstructorParameters<typeof ApiError>[1], seconds: number) {
    super(status, body)
    this.retryAfterSeconds = seconds
  }
}

/** Of a service that does not say how long, or that cannot be reached. */
const delaySeconds = 5

/** A reload has lost the token; the cookie may still be there, and gets one for this organization. */
export const hasSession = async (organization?: string): Promise<boolean> => {
  if (sessionToken() !== null) return true
  const renewal = await renewSession(organization)
  if (typeof renewal === 'string') return renewal === 'renewed'
  if (renewal === null) throw new SessionDelay(0, undefined, delaySeconds)
  const body = await renewal
    .clone()
    .json()
    .catch(() => null)
  const seconds = Number(renewal.headers.get('retry-after'))
  throw new SessionDelay(renewal.status, body?.error, seconds > 0 ? seconds : delaySeconds)
}

/** The address names the organization: a session for another one is exchanged. */
export const actFor = async (organization: string): Promise<void> => {
  if (currentSession()?.organization.id === organization) return
  openSession(
    await call<Opened>('POST', '/auth/session/switch', { body: { organization_id: organization } }),
  )
}

export const endSession = (): Promise<unknown> =>
  call('DELETE', '/auth/session').catch(() => undefined)
