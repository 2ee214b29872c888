/** What a live organization lacks before it can pay and be paid. */
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { FinanceSetup, Organization } from '../api/types.ts'
import { CopyText } from '../design/layout.tsx'
import { Status } from '../design/status.tsx'

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

/** What keeps a live organization from paying and being paid; the list alone would be silent. */
export const MissingProcessor = ({ className = '' }: { className?: string }) => {
  const { organization } = useSession()
  const missing = useMissing()
  if (missing?.isProcessorMissing !== true) return null
  return (
    <section
      aria-label="What is missing"
      className={`rounded-md border border-amber-edge bg-amber-tint px-4 py-3 ${className}`}
    >
      <Status tone="waiting">Live payments are not possible yet</Status>
      <ol className="mt-1 list-inside list-decimal">
        {!missing.isVerified && <li>The operator of this service verifies the organization.</li>}
        <li>The operator connects you to a payment processor.</li>
      </ol>
      <p className="mt-2">
        <CopyText text={organization.id} label="the organization id" />
      </p>
    </section>
  )
}
