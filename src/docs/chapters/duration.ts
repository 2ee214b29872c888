/** Durations in English. */
const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const

const second = units[2]

/** Uses the largest unit that needs no fraction: 86400000 → `24 hours`. */
export const durationText = (ms: number): string => {
  const { count, unit } = countedUnits(ms)
  return `${count} ${unit}`
}

/** 3600000 → `every hour`, 3000 → `every 3 seconds`. */
export const everyText = (ms: number): string => {
  const { count, unit } = countedUnits(ms)
  return `every ${count === 1 ? '' : `${count} `}${unit}`
}

const countedUnits = (ms: number): { count: number; unit: string } => {
  const [name, unitMs] = (ms === 0 ? second : units.find(([, one]) => ms % one === 0)) ?? second
  const count = ms / unitMs
  return { count, unit: count === 1 ? name : `${name}s` }
}

/** `1 minute, 5 minutes and 2 hours` */
export const durationsText = (durations: readonly number[]): string => {
  const texts = durations.map(durationText)
  const last = texts.pop() ?? ''
  return texts.length === 0 ? last : `${texts.join(', ')} and ${last}`
}
