/** The amounts per day above which the payments of a key need an approval, by currency. */
import type { Currency } from '../../contract/currencies.ts'
import type { Problem } from '../../contract/problem.ts'
import { amountProblem } from '../amount-problem.ts'
import { canonicalJson } from '../canonical-json.ts'
import { fromMinor, moneyBounds, parseMinor } from '../money.ts'

/** An amount from which approvals are asked for; adds a problem unless it is one. */
export const parseThreshold = (value: number, param: string, problems: Problem[]): bigint => {
  const problem = amountProblem(param, value, {
    least: 0n,
    most: moneyBounds.documentTotalMaxMinor,
  })
  if (problem === undefined) return parseMinor(value)!
  problems.push(problem)
  return 0n
}

/** As a key stores them. */
export const thresholdsText = (minorUnits: ReadonlyMap<string, bigint>): string =>
  canonicalJson(Object.fromEntries([...minorUnits].map(([name, value]) => [name, String(value)])))

const parsed = (text: string): [currency: Currency, minorUnits: bigint][] =>
  Object.entries(JSON.parse(text) as Record<Currency, string>).map(([currency, value]) => [
    currency as Currency,
    BigInt(value),
  ])

export const thresholdsInMajorUnits = (
  text: string | null,
): Partial<Record<Currency, number>> | null =>
  text === null
    ? null
    : Object.fromEntries(parsed(text).map(([currency, minor]) => [currency, fromMinor(minor)]))

/** Whether a sum paid in a day needs an approval; a currency that is not named always does. */
export const exceedsThreshold = (text: string, currency: string, sum: bigint): boolean => {
  const threshold = parsed(text).find(([name]) => name === currency)?.[1]
  return threshold === undefined || sum > threshold
}
