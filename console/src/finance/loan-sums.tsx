/** What is open of loans, per role and currency, and the sweeps to come. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, Statistics } from '../api/types.ts'
import { DateText, Money } from '../design/format.tsx'
import { Panel } from '../design/layout.tsx'
import { moneyText } from '../design/money.ts'

type Point = Statistics['points'][number]

const roles = [
  ['borrowed', 'sweep_out', 'borrower', 'You borrowed'],
  ['lent', 'sweep_in', 'lender', 'You lent'],
] as const

export const LoanSums = () => {
  const { data } = useRead<Statistics>('/v1/statistics', { metric: 'loans' })
  if (data === undefined || data.points.length === 0) return null
  const sums = roles.flatMap(([group, sweep, role, title]) => {
    const own = data.points.filter((point) => point.group === group)
    const sweeps = data.points.filter((point) => point.group === sweep)
    return [...new Set(own.map(({ currency }) => currency))].map((currency) => {
      const of = (point: Point) => point.currency === currency
      return { currency, role, title, points: own.filter(of), sweeps: sweeps.filter(of) }
    })
  })
  return (
    <Panel title="Open loans">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-6 p-4 @lg:grid-cols-2">
        {sums.map((one) => (
          <OfRole key={one.role + one.currency} {...one} />
        ))}
      </div>
    </Panel>
  )
}

interface OfRoleProps {
  currency: Currency
  role: 'borrower' | 'lender'
  title: string
  points: readonly Point[]
  sweeps: readonly Point[]
}

const OfRole = ({ currency, role, title, points, sweeps }: OfRoleProps) => {
  const { organization } = useSession()
  const amountOf = (bucket: string) => points.find((point) => point.bucket === bucket)?.amount ?? 0
  const [principal, fee, repaid] = ['principal', 'fee', 'repaid'].map(amountOf) as [
    number,
    number,
    number,
  ]
  const owed = amountOf('owed')
  const whole = owed + repaid || 1
  const agreements = {
    to: '/o/$org/finance',
    params: { org: organization.id },
    search: { role, status: 'funded,flagged' },
  } as const
  return (
    <section>
      <h3 className="text-sm text-muted">
        {title} · {currency}
      </h3>
      <p className="tabular text-xl font-semibold tracking-tight">
        <Link {...agreements} className="hover:text-accent">
          <Money amount={owed} currency={currency} />
        </Link>
        <span className="text-sm font-normal text-muted"> owed</span>
      </p>
      <div
        role="img"
        aria-label={`${moneyText(repaid, currency)} of ${moneyText(owed + repaid, currency)} is repaid.`}
        className="mt-2 h-2 rounded-sm bg-hover"
      >
        <span
          className="bar block h-full rounded-sm bg-accent-fill"
          style={{ width: `${(repaid / whole) * 100}%` }}
        />
      </div>
      <dl className="mt-2 grid grid-cols-3 gap-x-4 text-sm">
        {(
          [
            ['Principal', principal],
            ['Fees', fee],
            ['Repaid', repaid],
          ] as const
        ).map(([term, amount]) => (
          <div key={term}>
            <dt className="text-muted">{term}</dt>
            <dd className="tabular">
              <Money amount={amount} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
      {sweeps.length > 0 && (
        <>
          <h4 className="mt-3 text-sm text-muted">
            Next repayments, when pledged invoices are due
          </h4>
          <Sweeps currency={currency} sweeps={sweeps} agreements={agreements} owed={owed} />
        </>
      )}
    </section>
  )
}

interface SweepsProps {
  currency: Currency
  sweeps: readonly Point[]
  owed: number
  agreements: {
    to: '/o/$org/finance'
    params: { org: string }
    search: { role: string; status: string }
  }
}

const Sweeps = ({ currency, sweeps, owed, agreements }: SweepsProps) => (
  <ul className="mt-1 text-sm">
    {sweeps.map(({ start, amount }) => (
      <li key={start}>
        <Link
          {...agreements}
          className="-mx-2 grid min-h-6 grid-cols-[1fr_auto] gap-x-3 gap-y-1 rounded-md px-2 py-1 hover:bg-hover"
        >
          {start === null ? (
            <span className="text-red">The invoice is late</span>
          ) : (
            <span>
              Week of <DateText date={start} />
            </span>
          )}
          <Money amount={amount} currency={currency} />
          <span aria-hidden="true" className="col-span-2 h-1.5 rounded-sm bg-hover">
            <span
              className={`bar block h-full rounded-sm ${start === null ? 'bg-red-fill' : 'bg-accent-fill'}`}
              style={{ width: `${Math.max((amount / (owed || 1)) * 100, 1)}%` }}
            />
          </span>
        </Link>
      </li>
    ))}
  </ul>
)
