/** A page that takes long to load: the one before has gone, so that nobody waits for a dead button. */
import { Skeleton } from '../design/skeleton.tsx'

export const PendingPage = () => (
  <div className="mx-auto max-w-[75rem] px-4 pt-6 md:px-8">
    <p role="status" className="mb-6 text-muted">
      Loading…
    </p>
    <Skeleton className="h-96" />
  </div>
)
