/**
 * What was found about a history, and by whom: by the service on this read, and by this browser. It
 * never says that the document is right, nor anything about a party.
 */
import type { ApiError } from '../api/call.ts'
import { Status } from '../design/status.tsx'

/** What this browser has found about the bundle that is served now. */
export type BrowserFinding = 'none' | 'checking' | 'intact' | 'broken' | 'unknown'

interface HistoryBadgeProps {
  isIntact: boolean
  error: ApiError | null
  inBrowser: BrowserFinding
}

export const HistoryBadge = ({ isIntact, error, inBrowser }: HistoryBadgeProps) => (
  <span className="grid gap-0.5 text-sm">
    <ByService isIntact={isIntact} error={error} />
    {inBrowser === 'checking' && <Status tone="neutral">Checking in this browser</Status>}
    {inBrowser === 'intact' && <Status tone="good">Re-checked in this browser</Status>}
    {inBrowser === 'broken' && <Status tone="bad">Does not verify in this browser</Status>}
    {inBrowser === 'unknown' && <Status tone="neutral">Not re-checked in this browser</Status>}
  </span>
)

const ByService = ({ isIntact, error }: Omit<HistoryBadgeProps, 'inBrowser'>) => {
  if (error?.code === 'integrity_failure') return <Status tone="bad">Does not verify</Status>
  if (error !== null) return <Status tone="neutral">{couldNotCheck(error)}</Status>
  if (isIntact) return <Status tone="good">History intact</Status>
  return <Status tone="neutral">Checking</Status>
}

export const couldNotCheck = ({ status }: ApiError): string =>
  status === 0 ? 'Could not check (offline)' : 'Could not check'
