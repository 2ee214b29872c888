/** The rows of a run: which are selected, how they are measured, and how they are reported. */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Compare, median } from './bench-server.ts'

interface BenchResult {
  name: string
  unit: string
  ours: number
  limit: number
  ratio: number
}

export const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'string' }, only: { type: 'string' } },
})
export const seconds = flags.quick ? 1 : 8
export const rounds = flags.quick ? 3 : 5

const results: BenchResult[] = []
/** `--only` takes names, prefixes that end with a star, and groups (`bytes`). */
const selection = flags.only?.split(',')
const isGroupOf = (one: string, name: string): boolean => name.split('.')[0] === one
export const isSelected = (name: string): boolean =>
  selection === undefined ||
  selection.some((one) =>
    one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one || isGroupOf(one, name),
  )
export const onlyBytes = selection?.every((name) => name.startsWith('bytes')) === true
export const onlyNeighbours = selection?.every((name) => name.startsWith('neighbour')) === true

/** Runs both in turn, several times, and reports the medians of both and of their ratios. */
export const compare: Compare = async (name, unit, ours, limit) => {
  if (!isSelected(name)) return
  const measured: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) measured.push([await ours(), await limit()])
  addMedians(name, unit, measured)
}

/** The medians of ours, of the limit, and of their ratios. */
export const addMedians = (
  name: string,
  unit: string,
  measured: readonly (readonly [ours: number, limit: number])[],
): void => {
  const row = {
    name,
    unit,
    ours: round2(median(measured.map(([a]) => a))),
    limit: round2(median(measured.map(([, b]) => b))),
    ratio: round2(median(measured.map(([a, b]) => a / b))),
  }
  addResult(row, `(${measured.map(([a, b]) => (a / b).toFixed(2)).join(' ')})`)
}

export const addResult = (row: BenchResult, spread: string): void => {
  results.push(row)
  process.stdout.write(
    `${row.name.padEnd(24)} ${row.unit.padEnd(6)} ours ${String(row.ours).padStart(9)}  limit ${String(row.limit).padStart(9)}  ratio ${row.ratio.toFixed(2)}   ${spread}\n`,
  )
}

export const round2 = (value: number): number => Math.round(value * 100) / 100

export const writeResults = async (): Promise<void> => {
  if (flags.json !== undefined) await writeFile(flags.json, `${JSON.stringify(results, null, 2)}\n`)
}
