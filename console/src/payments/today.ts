/** The day that it is for an organization. */
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Clock } from '../api/types.ts'
import { deviceToday } from './calendar.ts'

/**
 * By the clock of a sandbox, which may be ahead, for a role that may read it; else on this device.
 */
export const useToday = (): string => {
  const { organization, scopes } = useSession()
  const hasClock = organization.mode === 'sandbox' && scopes.includes('documents:write')
  const clock = useRead<Clock>('/v1/sandbox/clock', {}, { isEnabled: hasClock }).data
  return clock?.now.slice(0, 10) ?? deviceToday()
}
