/** Whether the browser is signed in and for which organization, and signing out. */
import { ApiError, call } from './call.ts'
import {
  type OpenedSession,
  currentSession,
  openSession,
  renewSession,
  sessionToken,
} from './session.ts'

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
    await call<OpenedSession>('POST', '/auth/session/switch', {
      body: { organization_id: organization },
    }),
  )
}

export const endSession = (): Promise<unknown> =>
  call('DELETE', '/auth/session').catch(() => undefined)
