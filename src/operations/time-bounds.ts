/**
 * Bounds of time in a request: days, and instants to the precision in which times are stored, which
 * is milliseconds.
 */

/** The UTC day of a date or a timestamp. */
export const dayOf = (value: string): string =>
  value.length === 10 ? value : new Date(value).toISOString().slice(0, 10)

/** As a lower bound: a finer one is the next millisecond, so that it stays exact. */
export const lowerBoundOf = (value: string): string => {
  const finer = /\.\d{3}\d*[1-9]/.test(value) ? 1 : 0
  return new Date(Date.parse(value) + finer).toISOString()
}

/** As an upper bound: a finer one is the millisecond that it is in. */
export const upperBoundOf = (value: string): string => new Date(Date.parse(value)).toISOString()
