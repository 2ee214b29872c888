const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const

/** Uses the largest unit that needs no fraction: 86400000 → `24 hours`. */
export const durationText = (ms: number): string => {
  const [name, unitMs] = units.find(([, candidateMs]) => ms % candidateMs === 0) ?? units[3]
  return `${ms / unitMs} ${name}${ms === unitMs ? '' : 's'}`
}
