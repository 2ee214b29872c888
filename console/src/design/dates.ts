/**
 * Days and moments as texts in the reader's language. Days have the calendar of the contract (ISO
 * 8601) in every language, since the other side and the files of a document have no other.
 */
import { chosenAppearance } from '../shell/appearance.ts'

const gregorian = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { calendar: 'gregory', ...options })

const formatOfDays = (options: Intl.DateTimeFormatOptions) => {
  const format = gregorian({ ...options, timeZone: 'UTC' })
  return (day: string): string => format.format(new Date(day))
}

export const dateText = formatOfDays({ dateStyle: 'medium' })
export const shortDateText = formatOfDays({ month: 'short', day: 'numeric' })
export const monthText = formatOfDays({ month: 'long', year: 'numeric' })

const timeFormats = new Map<string, Intl.DateTimeFormat>()

export const timeText = (at: string, timeStyle: 'short' | 'medium'): string => {
  const timeZone = chosenZone()
  const key = `${timeStyle} ${timeZone}`
  const format = timeFormats.get(key) ?? gregorian({ dateStyle: 'medium', timeStyle, timeZone })
  timeFormats.set(key, format)
  return format.format(new Date(at))
}

/**
 * The zone that the person has chosen, or that of the device: also where this browser is older than
 * the chosen one and does not know it.
 */
export const chosenZone = (): string => {
  const { time_zone: chosen } = chosenAppearance()
  if (chosen !== known) [known, zone] = [chosen, zoneOr(chosen)]
  return zone
}

const zoneOr = (timeZone: string | null): string => {
  try {
    return gregorian(timeZone === null ? {} : { timeZone }).resolvedOptions().timeZone
  } catch {
    return zoneOr(null)
  }
}

/** The one that was looked at last. */
let known: string | null = null
let zone = zoneOr(null)
