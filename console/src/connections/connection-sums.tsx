/** What is owed between two organizations, what they exchange, and how fast they pay. */
import { useRead } from '../api/reads.ts'
import { serviceNow } from '../api/service-clock.ts'
import type { Statistics } from '../api/types.ts'
import { Money } from '../design/format.tsx'

type Point = Statistics['points'][number]

const yearMs = 365 * 86_400_000

/** What statistics say of each connection; documents and payments are those of a year. */
export const useConnectionSums = () => {
  const from = new Date(serviceNow() - yearMs).toISOString().slice(0, 10)
  const { data } = useRead<Statistics>('/v1/statistics', {
    metric: 'connections',
    interval: 'month',
    from,
  })
  return (connection: string, group: string): Point[] | undefined =>
    data?.points.filter((point) => point.bucket === connection && point.group === group)
}

/** One amount for each currency. */
export const Owed = ({ points }: { points: readonly Point[] | undefined }) => {
  if (points === undefined) return null
  if (points.length === 0) return <span className="text-muted">–</span>
  return points.map(({ currency, amount }) => (
    <span key={currency} className="block">
      <Money amount={amount} currency={currency} />
    </span>
  ))
}

/** Beside others, where nothing is said of what is not owed. */
export const OwedInShort = ({
  word,
  points = [],
}: {
  word: string
  points?: Point[] | undefined
}) =>
  points.map(({ currency, amount }) => (
    <span key={currency}>
      {word} <Money amount={amount} currency={currency} />
    </span>
  ))

/** The median of the days from a document's date to its payment, of the most frequent currency. */
export const DaysToPay = ({ points }: { points: readonly Point[] | undefined }) => {
  const [most] = points?.toSorted((a, b) => b.count - a.count) ?? []
  if (most?.days_to_pay == null) return <span className="text-muted">–</span>
  const { median, p90 } = most.days_to_pay
  return (
    <span className="tabular" title={`Nine of ten within ${p90} days`}>
      {median} {median === 1 ? 'day' : 'days'}
    </span>
  )
}

export const Exchanged = ({ points }: { points: readonly (Point[] | undefined)[] }) => (
  <span className="tabular">
    {points.flatMap((some) => some ?? []).reduce((sum, { count }) => sum + count, 0)}
  </span>
)
