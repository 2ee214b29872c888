/**
 * Calendar: arithmetic on plain dates, the strings `YYYY-MM-DD` in UTC (domain, head).
 *
 * A date has no time and no zone, so a day is always 86 400 seconds and dates compare as strings.
 * Years run from 0001 to 9999, which PostgreSQL stores too. Nothing here knows what today is.
 * Every function but `isDate` expects real dates and throws a RangeError for anything else.
 */

const dayMilliseconds = 86_400_000
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/
const monthDays = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const firstDate = '0001-01-01'

/** Whether the text is a day that exists: 2028-02-29 is, 2026-02-30 and 2026-2-3 are not. */
export function isDate(text: string): boolean {
  if (!datePattern.test(text) || text < firstDate) return false
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8)].map(Number)
  return day! >= 1 && day! <= daysInMonth(year!, month!)
}

/** 0 for a month that does not exist. */
function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && isLeap ? 29 : (monthDays[month] ?? 0)
}

/** The date `days` later, or earlier when negative. */
export function addDays(date: string, days: number): string {
  return plainDate(new Date(midnightOf(date) + days * dayMilliseconds))
}

/** Whole days from one date to another; negative when `to` is the earlier one. */
export function daysBetween(from: string, to: string): number {
  return (midnightOf(to) - midnightOf(from)) / dayMilliseconds
}

/** The last day of the date's month. */
export function endOfMonth(date: string): string {
  const day = new Date(midnightOf(date))
  day.setUTCMonth(day.getUTCMonth() + 1, 0)
  return plainDate(day)
}

/** The UTC date of an ISO 8601 timestamp with a zone (`Z` or an offset). */
export function dateOf(timestamp: string): string {
  // Date itself would also read "2026-02-28!", in the zone of the machine, and February 30.
  const isReal = timestampPattern.test(timestamp) && isDate(timestamp.slice(0, firstDate.length))
  if (!isReal) throw new RangeError('not a timestamp with a zone')
  return plainDate(new Date(timestamp))
}

function midnightOf(date: string): number {
  if (!isDate(date)) throw new RangeError('not a calendar date')
  return Date.parse(`${date}T00:00:00.000Z`)
}

function plainDate(day: Date): string {
  const date = day.toISOString().slice(0, firstDate.length)
  if (!isDate(date)) throw new RangeError('a date beyond the years 0001 to 9999')
  return date
}

const dayMs = 86_400_000
let cachedDay = { day: 0, text: '1970-01-01' }

/**
 * The UTC date at a moment (ISO timestamp or Unix milliseconds) by a clock that is ahead by so
 * much.
 */
export function dateAt(moment: string | number, offsetSeconds: bigint): string {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment)
  const day = Math.floor((ms + Number(offsetSeconds) * 1000) / dayMs)
  // Nearly every call of a process asks for the same day.
  if (day !== cachedDay.day)
    cachedDay = { day, text: new Date(day * dayMs).toISOString().slice(0, 10) }
  return cachedDay.text
}
