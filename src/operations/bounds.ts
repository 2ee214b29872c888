/** Bounds of time in a query: days, and instants to the stored precision. */

/** The UTC day of a date or a timestamp. */
export const dayOf = (value: string): string =>
  value.length === 10 ? value : new Date(value).toISOString().slice(0, 10)

/**
 * Stored times have milliseconds: a finer bound is the next millisecond, so that it stays exact.
 */
export const instantOf = (value: string): string => {
  if (value.length === 10) return `${value}T00:00:00.000Z`
  const finer = /\.\d{3}\d*[1-9]/.test(value) ? 1 : 0
  return new Date(Date.parse(value) + finer).toISOString()
}
