/**
 * Dates, the strings `YYYY-MM-DD` of the years 0001 to 9999, and durations (domain, head).
 *
 * Temporal knows the calendar. It accepts more forms and more years than the contract does, so this
 * module decides what counts as a date or a duration. Dates compare as strings, and nothing here
 * knows what today is.
 */
import assert from 'node:assert/strict'

const dateForm = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
export const firstDate = '0001-01-01'

/** Whether the text is a day that exists: 2028-02-29 is, 2026-02-30 and 2026-2-3 are not. */
export const isDate = (text: string): boolean =>
  dateForm.test(text) &&
  text >= firstDate &&
  Number(text.slice(8)) <= Temporal.PlainYearMonth.from(text.slice(0, 7)).daysInMonth

export const dayMs = 86_400_000
export const hourMs = 3_600_000

/** The UTC date of a timestamp. */
export const dateOf = (timestamp: string): string => timestamp.slice(0, firstDate.length)

/** The moment at which a UTC date begins. */
export const startOfDay = (date: string): string => `${date}T00:00:00.000Z`

/** The moment so many milliseconds later, or earlier when negative. */
export const later = (timestamp: string, ms: number): string =>
  new Date(Date.parse(timestamp) + ms).toISOString()

/** A wait as Retry-After and people are told of it: whole seconds, and at least one. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/**
 * The date `days` later, or earlier when negative; a RangeError beyond the years of the contract.
 * Every write calls it several times, and Temporal takes twice as long (docs/decisions/0038).
 */
export const addDays = (date: string, days: number): string => {
  if (lastMove.date !== date || lastMove.days !== days) {
    const moved = new Date(Date.parse(date) + days * dayMs).toISOString()
    // Years beyond 9999 begin with a plus sign in this form, years before 0 with a minus sign.
    if (moved < firstDate) throw new RangeError('a date beyond the years 0001 to 9999')
    lastMove = { date, days, moved: moved.slice(0, firstDate.length) }
  }
  return lastMove.moved
}

/** Documents that are written together mostly have the date and the days in common. */
let lastMove = { date: '', days: 0, moved: '' }

export const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / dayMs

/**
 * The UTC date at a moment (ISO timestamp or Unix milliseconds) by a clock that is ahead by so
 * much. Every read of a document calls it, and Temporal takes twice as long (docs/decisions/0038).
 */
export const dateAt = (moment: string | number, offsetSeconds: bigint): string => {
  const from = typeof moment === 'number' ? moment : Date.parse(moment)
  const ms = from + Number(offsetSeconds) * 1_000
  const day = Math.floor(ms / dayMs)
  if (day !== lastDay.day) {
    lastDay = { day, date: new Date(ms).toISOString().slice(0, firstDate.length) }
  }
  return lastDay.date
}

/** Nearly all moments that are asked for one after the other are of one day. */
let lastDay = { day: NaN, date: '' }

/** ISO 8601 without signs, fractions and lower case: a clock moves by whole units, and forward. */
const durationForm =
  /^P(?!$)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?!$)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/

/**
 * The moment so much later, both in Unix milliseconds and by the UTC calendar; Infinity beyond all
 * dates, undefined for any other text.
 */
export const addDuration = (text: string, fromMs: number): number | undefined => {
  if (!durationForm.test(text)) return undefined
  const from = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO('UTC')
  try {
    return from.add(text).epochMilliseconds
  } catch (error) {
    // The form is right, so Temporal can only refuse what lies beyond its own dates.
    assert(error instanceof RangeError)
    return Infinity
  }
}
