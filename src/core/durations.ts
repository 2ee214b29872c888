/**
 * ISO 8601 durations, as far as a clock is moved by one: years, months, weeks, days and smaller
 * units, each a whole number. Years and months are counted by the calendar, in UTC; a day that the
 * month does not have is its last one.
 */

const durationPattern =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/**
 * The moment so much later, both in Unix milliseconds, Infinity beyond all dates; undefined for any
 * other text.
 */
export const addDuration = (text: string, fromMs: number): number | undefined => {
  const match = durationPattern.exec(text)
  if (match === null || text.endsWith('T') || text === 'P') return undefined
  const numbers = match.slice(1).map((part) => Number(part ?? 0))
  const [years, months, weeks, days, hours, minutes, seconds] = numbers as [number, ...number[]]
  const day = new Date(fromMs)
  const dayOfMonth = day.getUTCDate()
  day.setUTCDate(1)
  day.setUTCMonth(day.getUTCMonth() + years * 12 + months!)
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()
  day.setUTCDate(Math.min(dayOfMonth, last))
  const rest = ((weeks! * 7 + days!) * 24 + hours!) * 3_600 + minutes! * 60 + seconds!
  const moment = day.getTime() + rest * 1_000
  return Number.isNaN(moment) ? Infinity : moment
}
