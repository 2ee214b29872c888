/** What a live organization lacks before it can pay and be paid, in words. */
import { useSession } from '../api/session.ts'
import { CopyText } from '../design/layout.tsx'
import { Status } from '../design/status.tsx'
import { useMissing } from './missing.ts'

/** What keeps a live organization from paying and being paid; the list alone would be silent. */
const MissingProcessor = ({ className = '' }: { className?: string }) => {
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

export default MissingProcessor
