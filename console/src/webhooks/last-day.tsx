/** How the deliveries of an endpoint have fared in the last 24 hours. */
import { useRead } from '../api/reads.ts'
import type { WebhookWithLastDay } from '../api/types.ts'

type Day = WebhookWithLastDay['last_day']

/** One failure in ten thousand is no 100 %. */
const percent = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
})

export const LastDay = ({ day: { succeeded, failed, attempts, p95_ms: p95 } }: { day: Day }) => {
  const ended = succeeded + failed
  if (ended === 0 && attempts === 0) return <span className="text-muted">No deliveries</span>
  return (
    <>
      <span className={`tabular ${failed > 0 || ended === 0 ? 'text-red' : ''}`}>
        {ended === 0
          ? `No success in ${attempts.toLocaleString('en')} ${attempts === 1 ? 'attempt' : 'attempts'}`
          : `${percent.format(succeeded / ended)} of ${ended.toLocaleString('en')} succeeded`}
      </span>
      {p95 !== null && (
        <span className="tabular block text-sm text-muted">
          {`95% of attempts within ${p95.toLocaleString('en')}\u00a0ms`}
        </span>
      )}
    </>
  )
}

/** Endpoints are few, and a list of them does not count their deliveries. */
export const LastDayOf = ({ webhook }: { webhook: string }) => {
  const { data } = useRead<WebhookWithLastDay>(`/v1/webhooks/${webhook}`)
  return data === undefined ? null : <LastDay day={data.last_day} />
}
