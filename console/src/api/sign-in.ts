/** What the pages ask for that sign a person in. */
import { ApiError, call } from './call.ts'
import { type OpenedSession, type Session, openSession } from './session.ts'

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
  return openAs(await call<OpenedSession>('POST', path, { body, isProof: true }))
}

export const openAs = (opened: OpenedSession): Session => {
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
  return openAs(await call<OpenedSession>('POST', '/auth/setup', { body }))
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
