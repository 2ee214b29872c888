/** Where the person is signed in. */
import { ApiError, call } from './call.ts'
import { inParallel } from './in-parallel.ts'
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

/** All but the one of this browser; returns how many there were. */
export const endOtherSessions = async (): Promise<number> => {
  const others: SignedInSession[] = []
  let cursor: string | undefined
  do {
    const query = { limit: 100, cursor }
    const page = await call<Page<SignedInSession>>('GET', sessionsPath, { query })
    others.push(...page.data.filter((one) => !one.is_current))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  await inParallel(others, endSessionOf)
  return others.length
}
