/** How much of each quota is used. */
import { useRead } from '../api/reads.ts'
import type { Caller } from '../api/types.ts'
import { Time, wordsOf } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'

const whole = new Intl.NumberFormat()

export const Quotas = () => {
  const read = useRead<Caller>('/v1/me')
  return (
    <Panel title="Quotas">
      <Region read={read} skeleton="m-4 h-40">
        {({ limits: { quotas } }) =>
          quotas.length === 0 ? (
            <p className="px-4 py-3 text-muted">No quota holds here.</p>
          ) : (
            <ul className="grid gap-3 px-4 py-3 text-sm">
              {quotas.map((quota) => (
                <li key={quota.quota}>
                  <Used {...quota} />
                </li>
              ))}
            </ul>
          )
        }
      </Region>
    </Panel>
  )
}

type Quota = Caller['limits']['quotas'][number]

/** From here on, it is worth a look. */
const nearlyUsed = 0.8

const Used = ({ quota, limit, used, resets_at }: Quota) => {
  const share = Math.min(used / limit, 1)
  const isNearlyUsed = share >= nearlyUsed
  return (
    <>
      <p className="flex justify-between gap-3">
        <span>{wordsOf(quota)}</span>
        <span className={`tabular ${isNearlyUsed ? 'text-red' : 'text-muted'}`}>
          {whole.format(used)} of {whole.format(limit)}
        </span>
      </p>
      <div aria-hidden="true" className="mt-1 h-1.5 rounded-sm bg-hover">
        <div
          className={`bar h-full rounded-sm ${isNearlyUsed ? 'bg-red-fill' : 'bg-accent-fill'}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      {resets_at && (
        <p className="mt-0.5 text-muted">
          Starts again from 0 on <Time at={resets_at} isExact />
        </p>
      )}
    </>
  )
}
