/** Months as `2026-12`, and days as `2026-12-24`. */
import { serviceNow } from '../api/service-clock.ts'

export type Month = string

const isMonth = (text: string | undefined): text is Month =>
  text !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(text)

/** Days are those of UTC, by the clock of the service: on them a payment is due, and is made. */
export const serviceToday = (): string => textOf(new Date(serviceNow()))

export const monthOr = (text: string | undefined, otherwise: string): Month =>
  isMonth(text) ? text : otherwise.slice(0, 7)

export const monthAfter = (month: Month, by: 1 | -1): Month => {
  const first = firstOf(month)
  first.setUTCMonth(first.getUTCMonth() + by)
  return textOf(first).slice(0, 7)
}

/** From Monday to Sunday, with days of the months beside it. */
export const weeksOf = (month: Month): string[][] => {
  const day = firstOf(month)
  day.setUTCDate(1 - weekday(day))
  const weeks: string[][] = []
  do {
    weeks.push(
      Array.from({ length: 7 }, () => {
        const text = textOf(day)
        day.setUTCDate(day.getUTCDate() + 1)
        return text
      }),
    )
  } while (textOf(day).startsWith(month))
  return weeks
}

const firstOf = (month: Month): Date => new Date(`${month}-01T00:00:00Z`)
const weekday = (day: Date): number => (day.getUTCDay() + 6) % 7
const textOf = (day: Date): string => day.toISOString().slice(0, 10)
