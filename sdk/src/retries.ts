/** Which attempts are repeated, and when. */

/** A longer Retry-After is the caller's to wait for: the error carries it. */
const retryAfterMaxMs = 60_000
const firstDelayMs = 500
const longestDelayMs = 8_000

/** What the service asks for; undefined if it asks for nothing. */
export const retryAfterMs = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Full jitter: any time up to a bound that doubles with each attempt. */
export const jitterMs = (failures: number): number => {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1))
  return (drawn / 2 ** 32) * Math.min(longestDelayMs, firstDelayMs * 2 ** failures)
}

/** How long to wait before the same request again; undefined = do not send it again. */
export const retryDelayMs = (headers: Headers, failures: number): number | undefined => {
  if (headers.get('svc-should-retry') !== 'true') return undefined
  const asked = retryAfterMs(headers)
  if (asked === undefined) return jitterMs(failures)
  return asked > retryAfterMaxMs ? undefined : asked
}
