/** A moment as a field for a day and a time shows it: the clock on the wall of a zone. */

/** "2026-11-29T23:40:05": what a field of the type `datetime-local` takes. */
export const wallTimeOf = (at: string, zone: string): string => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  // Years before 1000 are written with fewer digits, which no parser takes.
  return format.format(new Date(at)).replace(' ', 'T').padStart('0000-00-00T00:00:00'.length, '0')
}

/**
 * In UTC; empty for what is no time, such as one of the year 99999, which a field lets one type. Of
 * the two moments with the same wall time, when clocks go back, the earlier.
 */
export const momentOf = (wallTime: string, zone: string): string => {
  const asUtc = Date.parse(`${wallTime}Z`)
  if (Number.isNaN(asUtc)) return ''
  const offsetAt = (at: number) =>
    Date.parse(`${wallTimeOf(new Date(at).toISOString(), zone)}Z`) - at
  const offsets = [offsetAt(asUtc - dayMs), offsetAt(asUtc + dayMs)]
  const candidates = offsets.map((offset) => asUtc - offset)
  const exact = candidates.filter((at) => at + offsetAt(at) === asUtc)
  // A wall time that is skipped, when clocks go forward, is none at all.
  return new Date(Math.min(...(exact.length > 0 ? exact : candidates))).toISOString()
}

const dayMs = 86_400_000
