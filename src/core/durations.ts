/** ISO 8601 durations, as far as a clock can be moved by one: days and smaller units, no months. */

const form = /^P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$/

/** Whole seconds; undefined for any other text, and for a duration of nothing. */
export const durationSeconds = (text: string): number | undefined => {
  const match = form.exec(text)
  if (match === null || text.endsWith('T')) return undefined
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0))
  const total = ((weeks! * 7 + days!) * 24 + hours!) * 3_600 + minutes! * 60 + seconds!
  return total > 0 ? total : undefined
}
