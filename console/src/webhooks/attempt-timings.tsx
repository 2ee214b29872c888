/** Where the time of one attempt went, step by step. */
import type { DeliveryWithAttempts } from '../api/types.ts'

type Attempt = DeliveryWithAttempts['attempts'][number]

const steps = [
  ['dns_ms', 'Resolve the name'],
  ['connect_ms', 'Connect'],
  ['tls_ms', 'Agree on TLS'],
  ['first_byte_ms', 'First byte'],
] as const

export const AttemptTimings = ({ timings, duration_ms: total }: Attempt) => {
  if (timings === null) return null
  const taken = steps.flatMap(([field, label]) => {
    const ms = timings[field]
    return ms === null ? [] : [{ label, ms }]
  })
  const isReused = timings.first_byte_ms !== null && timings.connect_ms === null
  return (
    <details className="mt-2 text-sm">
      <summary className="min-h-6 cursor-pointer leading-6 text-muted">Where the time went</summary>
      <table className="mt-1 w-full max-w-md">
        <caption className="sr-only">Steps of the attempt</caption>
        <tbody>
          {taken.map(({ label, ms }) => (
            <tr key={label}>
              <th scope="row" className="py-0.5 pr-3 text-left font-normal whitespace-nowrap">
                {label}
              </th>
              <td className="tabular pr-3 text-right whitespace-nowrap">{ms} ms</td>
              <td aria-hidden="true" className="w-full">
                <span
                  className="bar block h-1.5 rounded-sm bg-accent-fill"
                  style={{ width: `${Math.max(Math.min(ms / Math.max(total, 1), 1) * 100, 1)}%` }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isReused && (
        <p className="text-muted">
          The connection was already open: no DNS lookup and no TLS handshake.
        </p>
      )}
    </details>
  )
}
