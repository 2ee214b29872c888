/** Amounts that a caller sends beside the lines of a document: limits, top-ups, terms of loans. */
import type { Problem } from '../contract/problem.ts'
import { minorText, parseMinor } from './money.ts'

export interface AmountBounds {
  /** In minor units, as `most`. */
  least: bigint
  most: bigint
  /** What may be sent in its place. */
  otherwise?: string
}

/** Why a number in major units is no amount within the bounds, and which are; else undefined. */
export const amountProblem = (
  param: string,
  amount: number,
  { least, most, otherwise }: AmountBounds,
): Problem | undefined => {
  const minor = parseMinor(amount)
  if (minor !== undefined && minor >= least && minor <= most) return undefined
  const other = otherwise === undefined ? '' : `, or ${otherwise}`
  // Whatever has too many digits to be read exactly, but for its size, has too many decimals.
  if (minor === undefined && amount > 0 && amount < Number(most) / 100) {
    const fix = `send an amount like 2500.00${other}`
    return { param, code: 'too_precise', message: 'Must have at most 2 decimals.', fix }
  }
  const bounds = `from ${minorText(least)} to ${minorText(most)}`
  const fix = `send an amount ${bounds}${other}`
  return { param, code: 'out_of_range', message: `Must be ${bounds}.`, fix }
}
