/** Where the person is signed in. */
import { ApiError, call } from './call.ts'
import type { Organization } from './session.ts'
import type { Page } from './types.ts'

export interface SignedInSession {
  id: string
  client: 'browser' | 'cli'
  is_current: boolean
  organization: Organization
  address: string | null
  user_agent: string | null
  created_at: string
  /** Of a browser: when it last got a token. */
  refreshed_at: string | null
  expires_at: string
}

export const sessionsPath = '/auth/sessions'

/** One that has ended meanwhile is what was asked for. */
export const endSessionOf = async ({ id }: SignedInSession): Promise<void> => {
  try {
    await call('DELETE', `${sessionsPath}/${id}`)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
  }
}

export interface EndedSessions {
  ended: number
  /** How many go on, since the service has not ended them, or since there are too many. */
  left: number
}

/** At most so many are ended at a time. */
const endedMax = 1_000

/** Ends all but the one of this browser, newest first; the service ends a person's one by one. */
export const endOtherSessions = async (): Promise<EndedSessions> => {
  const others = await otherSessions()
  let ended = 0
  for (const session of others.slice(0, endedMax)) {
    try {
      await endSessionOf(session)
      ended += 1
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return { ended, left: others.length - ended }
}

/** Newest first, up to the page with which there are enough. */
const otherSessions = async (): Promise<SignedInSession[]> => {
  const others: SignedInSession[] = []
  let cursor: string | undefined
  do {
    const query = { limit: 100, cursor }
    const page = await call<Page<SignedInSession>>('GET', sessionsPath, { query })
    others.push(...page.data.filter((one) => !one.is_current))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && others.length <= endedMax)
  return others
}
