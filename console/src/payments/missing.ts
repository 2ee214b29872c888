/** What a live organization lacks before it can pay and be paid. */
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { FinanceSetup, Organization } from '../api/types.ts'

interface Missing {
  isVerified: boolean
  isProcessorMissing: boolean
}

/** Undefined while it is read, and where payments are simulated. */
export const useMissing = (): Missing | undefined => {
  const { organization } = useSession()
  const isLive = organization.mode === 'live'
  const own = useRead<Organization>('/v1/organization', {}, { isEnabled: isLive })
  const isVerified = own.data?.verified === true
  const setup = useRead<FinanceSetup>('/v1/finance/setup', {}, { isEnabled: isVerified })
  if (!isLive || own.data === undefined) return undefined
  const lacksProcessor = setup.data?.blockers.some((name) => name.endsWith('_processor')) === true
  return { isVerified, isProcessorMissing: !isVerified || lacksProcessor }
}
