/** How long to wait before the next attempt at what has failed several times in a row. */
export interface Backoff {
  firstMs: number
  maxMs: number
}

/** Twice as long after each failure; up to half of it is jitter, for which `random` is 0 to 1. */
export const backoffMs = (
  { firstMs, maxMs }: Backoff,
  failures: number,
  random: number,
): number => {
  const waitMs = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs)
  return Math.round(waitMs * (1 - random / 2))
}
