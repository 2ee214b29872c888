/** When a delivery that failed is tried again. */
import type { Delivery } from '../api/types.ts'
import { Time } from '../design/format.tsx'

export const NextAttempt = ({ delivery }: { delivery: Delivery }) =>
  delivery.status === 'retrying' && delivery.next_attempt_at !== null ? (
    <span className="block text-sm text-muted">
      Next attempt <Time at={delivery.next_attempt_at} />
    </span>
  ) : null
