/** An endpoint that fails: why, and what is left before it is disabled. */
import type { Webhook } from '../api/types.ts'
import { Ago } from '../design/format.tsx'
import { failuresMax, warnedFailures } from './failure-limits.ts'

export const FailuresBanner = ({ webhook }: { webhook: Webhook }) => {
  const { consecutive_failures: failures, last_failure_at: at } = webhook
  if (webhook.status === 'DISABLED' || failures < warnedFailures) return null
  return (
    <div role="alert" className="mb-6 rounded-md border border-line bg-red-tint p-4">
      <p className="font-semibold">
        {failures} deliveries in a row have failed, the last <Ago at={at} />
      </p>
      <p className="mt-1">
        After {failuresMax}, the endpoint is disabled. Open one to see what was sent and answered,
        mend the receiver, and send a ping: a success resets the count.
      </p>
    </div>
  )
}
