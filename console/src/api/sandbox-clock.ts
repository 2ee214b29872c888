/** The clock of a sandbox, which may be ahead. Not every role may read it. */
import { useRead } from './reads.ts'
import { useSession } from './session.ts'
import type { Clock } from './types.ts'

export const useSandboxClock = (isWanted = true) => {
  const { organization, scopes } = useSession()
  const isEnabled =
    isWanted && organization.mode === 'sandbox' && scopes.includes('documents:write')
  const now = useRead<Clock>('/v1/sandbox/clock', {}, { isEnabled }).data?.now
  return { now, isAwaited: isEnabled && now === undefined }
}
