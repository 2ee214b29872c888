/**
 * The signed-in person. The token lives in memory only: a reload gets a new one through the refresh
 * cookie, which the browser sends to `/auth` alone.
 */
import { useSyncExternalStore } from 'react'
import { forgetStored, store, stored } from './browser-storage.ts'
import type { MemberRole, Scope } from './types.ts'

export interface Organization {
  id: string
  name: string
  mode: 'live' | 'sandbox'
}

export interface Session {
  id: string
  expires_at: string
  organization: Organization
  user: { id: string; email: string; name: string }
  role: MemberRole
  scopes: Scope[]
}

export interface OpenedSession extends Session {
  token: string
}

/**
 * Only `ended` leads to the sign-in. Any other answer, or none (null), is about this call: the cookie
 * is as good as before. Several callers read an answer, each its own clone.
 */
type Renewal = 'renewed' | 'ended' | Response | null

let current: { token: string; session: Session } | null = null
let renewing: Promise<Renewal> | null = null
const listeners = new Set<() => void>()

/** Whether there may be a cookie to renew a session with: scripts cannot see the cookie itself. */
const signedInKey = 'signed-in'

export const sessionToken = (): string | null => current?.token ?? null

export const currentSession = (): Session | null => current?.session ?? null

export const useSession = (): Session => {
  const session = useSyncExternalStore(subscribe, currentSession)
  return session ?? nobody
}

/** What is shown for the moment between the end of a session and the sign-in page. */
const nobody: Session = {
  id: '',
  expires_at: '',
  organization: { id: '', name: '', mode: 'live' },
  user: { id: '', email: '', name: '' },
  role: 'viewer',
  scopes: [],
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const openSession = ({ token, ...session }: OpenedSession): void => {
  current = { token, session }
  store(signedInKey, '1')
  for (const listener of listeners) listener()
}

export const forgetSession = (): void => {
  current = null
  forgetStored(signedInKey)
  for (const listener of listeners) listener()
}

// Another tab of this browser has signed out.
addEventListener('storage', ({ key, newValue }) => {
  if (key === signedInKey && newValue === null && current !== null) forgetSession()
})

/** The way back from an identity provider has set the cookie; there was no token yet. */
export const beginSession = (): Promise<Renewal> => {
  store(signedInKey, '1')
  return renewSession()
}

/**
 * Gets a new token through the cookie. Tabs take turns, since each renewal replaces the cookie. A tab
 * that has no organization yet names the one of its address.
 */
export const renewSession = async (entered?: string): Promise<Renewal> => {
  if (stored(signedInKey) === null) return 'ended'
  renewing ??= exclusively(async () => {
    const organization = current?.session.organization.id
    const named = organization ?? entered
    let response = await nextToken(named)
    // What an address names may be no organization at all.
    const isNoMember = named !== undefined && [400, 404].includes(response?.status ?? 0)
    if (isNoMember) response = await nextToken()
    // The person has left this organization, and may go on in another.
    const hasLeft = isNoMember && organization !== undefined
    if (response?.status === 401) {
      forgetSession()
      return 'ended'
    }
    if (response?.ok !== true) return response
    const opened = (await response.json()) as OpenedSession
    if (!isStillIn(organization)) return current === null ? 'ended' : 'renewed'
    const isOther = isSomebodyElse(opened)
    if (hasLeft || isOther) location.assign('/app')
    if (isOther) return null
    openSession(opened)
    return 'renewed'
  }).finally(() => (renewing = null))
  return renewing
}

/** False once the person has entered another organization meanwhile, or has signed out. */
const isStillIn = (organization: string | undefined): boolean =>
  current?.session.organization.id === organization

/** Somebody who has signed in in another tab: nothing that was begun here goes on as theirs. */
const isSomebodyElse = ({ user }: Session): boolean =>
  current !== null && current.session.user.id !== user.id

const renewalMostMs = 60_000

/** Without an organization, of the one last used: another tab may have used another. */
const nextToken = (organization_id?: string): Promise<Response | null> =>
  fetch('/auth/sessions/refresh', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ organization_id }),
    // One that hangs would hold the other tabs up as well.
    signal: AbortSignal.timeout(renewalMostMs),
  }).catch(() => null)

/**
 * A token for another organization of the person, beside the session, or why there is none. The
 * session's is renewed after it, so that its organization stays the one last used, which the next
 * sign-in opens. Null without an answer, and with one for somebody else.
 */
export const tokenBeside = (organization: string): Promise<Response | null> =>
  exclusively(async () => {
    const response = await nextToken(organization)
    const organizationOfSession = current?.session.organization.id
    const own = await nextToken(organizationOfSession)
    const opened = own?.ok === true ? ((await own.json()) as OpenedSession) : undefined
    if (opened === undefined || !isStillIn(organizationOfSession)) return response
    if (isSomebodyElse(opened)) return null
    openSession(opened)
    return response
  })

const exclusively = async <Result>(task: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? await navigator.locks.request('session', task) : task()
