/** Signing in, changing the organization, and signing out. */
import { call } from './call.ts'
import { type Session, currentSession, openSession, renewSession, sessionToken } from './session.ts'

type Opened = Session & { token: string }

export interface Credentials {
  email: string
  password: string
}

export const signIn = async ({ email, password }: Credentials): Promise<Session> => {
  const body = { email, password, client: 'browser' }
  const opened = await call<Opened>('POST', '/auth/sessions', { body })
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
  const opened = await call<Opened>('POST', '/auth/setup', { body })
  openSession(opened)
  return opened
}

/** A reload has lost the token; the cookie may still be there. */
export const hasSession = async (): Promise<boolean> => sessionToken() !== null || renewSession()

/** The address names the organization: a session for another one is exchanged. */
export const actFor = async (organization: string): Promise<void> => {
  if (currentSession()?.organization.id === organization) return
  openSession(
    await call<Opened>('POST', '/auth/session/switch', { body: { organization_id: organization } }),
  )
}

export const endSession = (): Promise<unknown> =>
  call('DELETE', '/auth/session').catch(() => undefined)
