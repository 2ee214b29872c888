/** Time bounds of requests, as days or as timestamps in milliseconds, the stored precision. */
import { dateOf } from '../core/dates.ts'

/** The UTC day of a date or a timestamp. */
export const dayOf = (value: string): string =>
  value.length === 10 ? value : dateOf(new Date(value).toISOString())

/** Rounds up to the next millisecond, so that the bound stays exact. */
export const lowerBoundOf = (value: string): string => {
  const hasMicroseconds = /\.\d{3}\d*[1-9]/.test(value)
  return new Date(Date.parse(value) + (hasMicroseconds ? 1 : 0)).toISOString()
}

/** Rounds down to the millisecond; a date means the end of that day. */
export const upperBoundOf = (value: string): string =>
  value.length === 10 ? `${value}T23:59:59.999Z` : new Date(Date.parse(value)).toISOString()
