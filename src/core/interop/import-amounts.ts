/** The amounts of a file, compared with those that our arithmetic makes of its lines. */
import type { Problem } from '../../contract/problem.ts'
import type { LineInput, Totals } from '../documents/totals.ts'
import { minorText, parseDecimal, parseMinor, powerOfTen } from '../money.ts'
import { percentText, taxCategoryOf } from './exported-document.ts'
import { type ImportRule, brokenRule } from './import-rules.ts'
import type { ImportedDocument, ImportedLine } from './imported-document.ts'
import { rulePrefixes } from './tax-category-rules.ts'

/** An xsd:decimal that is not negative, such as 3, 3., .5 and +3.5. */
export const isUnsigned = (text: string): boolean =>
  /^\+?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})$/.test(text)

/** A decimal as it is written; undefined if a number of ours would not keep all of its digits. */
export const numberOf = (text: string | null): number | undefined => {
  if (text === null || !isUnsigned(text)) return undefined
  const [whole = '', fraction = ''] = text.replace('+', '').split('.')
  const digits = `${whole}${fraction.replace(/0+$/, '')}`.replace(/^0+/, '')
  const value = Number(text)
  return digits.length <= 15 && parseDecimal(value) !== undefined ? value : undefined
}

/** In cents; undefined unless it is exact with two decimals. */
export const centsOf = (text: string | null): bigint | undefined => {
  const value = numberOf(text)
  return value === undefined ? undefined : parseMinor(value)
}

/** The price of one unit, if six decimals can write it. */
export const unitPriceOf = ({ unitPrice, baseQuantity }: ImportedLine): number | undefined => {
  const price = numberOf(unitPrice)
  const base = baseQuantity === null ? 1 : numberOf(baseQuantity)
  if (price === undefined || base === undefined || base === 0) return undefined
  const [p, b] = [parseDecimal(price)!, parseDecimal(base)!]
  const dividend = p.unscaled * powerOfTen(b.scale + 6)
  const divisor = b.unscaled * powerOfTen(p.scale)
  return dividend % divisor === 0n ? Number(`${dividend / divisor}e-6`) : undefined
}

export const withPoint = 'write a decimal point and no other sign, such as 1234.56'

const isZero = (text: string | null): boolean =>
  text === null || /^[-+]?(?:0+(?:\.0*)?|\.0+)$/.test(text)

/** What the record has no place for. */
export const unsupportedAmounts = ({ allowances, totals }: ImportedDocument): Problem[] => {
  const has = (isCharge: boolean) =>
    allowances.some((one) => one.isCharge === isCharge && !isZero(one.amount))
  const cases: { isFound: boolean; rule: ImportRule; message: string; fix: string }[] = [
    {
      isFound: has(false) || !isZero(totals.allowances),
      rule: 'BR-CO-11',
      message: 'The file has an allowance on the document as a whole.',
      fix: 'give it on the lines, where tax is computed',
    },
    {
      isFound: has(true) || !isZero(totals.charges),
      rule: 'BR-CO-12',
      message: 'The file has a charge on the document as a whole.',
      fix: 'make it a line of its own',
    },
    {
      isFound: !isZero(totals.prepaid) || !isZero(totals.rounding),
      rule: 'BR-CO-16',
      message: 'The file is paid in part or rounded, so that less than its total is due.',
      fix: 'import it as it was before; payments have records of their own',
    },
  ]
  return cases
    .filter(({ isFound }) => isFound)
    .map(({ rule, message, fix }) => brokenRule(rule, message, fix))
}

/** Each amount of the file that differs from ours, with the rule that says what it must be. */
export const amountProblems = (
  file: ImportedDocument,
  lines: readonly LineInput[],
  totals: Totals,
): Problem[] => [
  ...totals.lines.flatMap(({ net }, i) =>
    differs('BT-131', `The net amount of line ${i + 1}`, file.lines[i]!.net, net),
  ),
  ...differs('BR-CO-10', 'The sum of net amounts (BT-106)', file.totals.lines, totals.subtotal),
  ...differs('BR-CO-13', 'The total without tax', file.totals.net, totals.subtotal),
  ...taxGroupProblems(file, lines, totals),
  ...differs('BR-CO-14', 'The tax', file.totals.tax, totals.tax),
  ...(file.totals.total === null
    ? [brokenRule('BR-14', 'The file has no total with tax.', 'add it: it is what is compared')]
    : differs('BR-CO-15', 'The total with tax', file.totals.total, totals.total)),
  ...differs('BR-CO-16', 'The amount due', file.totals.payable, totals.total),
]

/** An amount that the file does not have is not compared. */
const differs = (rule: ImportRule, name: string, text: string | null, ours: bigint): Problem[] =>
  text === null || centsOf(text) === ours
    ? []
    : [
        brokenRule(
          rule,
          `${name} is ${text.slice(0, 30)} in the file, and ${minorText(ours)} by its lines.`,
          text.includes(',')
            ? withPoint
            : 'correct the amount or the lines: amounts are never adjusted',
        ),
      ]

/** What makes the taxable amount of a category, by its code. */
const taxableRules = new Map<string, ImportRule>(
  Object.entries({ ...rulePrefixes, O: 'BR-O' } as const).map(
    ([category, prefix]) => [category, `${prefix}-08`] as const,
  ),
)

const taxGroupProblems = (
  { taxGroups }: ImportedDocument,
  lines: readonly LineInput[],
  totals: Totals,
): Problem[] => {
  if (taxGroups === undefined) return []
  const keyOf = (category: string, rate: number) => `${category} ${rate}`
  const taxable = new Map<string, bigint>()
  lines.forEach((line, i) => {
    const key = keyOf(taxCategoryOf({ tax_category: null, ...line }), line.tax_rate)
    taxable.set(key, (taxable.get(key) ?? 0n) + totals.lines[i]!.net)
  })
  const taxes = new Map(totals.tax_breakdown.map(({ tax_rate }) => [tax_rate, 0n]))
  const problems = taxGroups.flatMap((group): Problem[] => {
    const category = group.category ?? ''
    const rate = category === 'O' ? 0 : rateOf(group.rate)
    const rule = taxableRules.get(category)
    const tax = centsOf(group.tax)
    if (rule === undefined)
      return [brokenRule('BR-47', `The tax category ${category.slice(0, 10)} is unknown.`)]
    const name = `${category} ${group.rate ?? ''} %`
    if (tax === undefined)
      return [brokenRule('BR-46', `The tax of ${name} is missing, or no amount in cents.`)]
    taxes.set(rate ?? 0, (taxes.get(rate ?? 0) ?? 0n) + tax)
    const ours = taxable.get(keyOf(category, rate ?? -1)) ?? 0n
    return differs(rule, `The taxable amount of ${name}`, group.taxable ?? '', ours)
  })
  if (problems.length > 0) return problems
  const ours = new Map(totals.tax_breakdown.map(({ tax_rate, tax }) => [tax_rate, tax]))
  return [...taxes].flatMap(([rate, tax]) =>
    differs('BR-CO-17', `The tax at ${percentText(rate)} %`, minorText(tax), ours.get(rate) ?? 0n),
  )
}

/** 8.25 → 0.0825: the digits are shifted, not divided. */
export const rateOf = (percent: string | null): number | undefined => {
  const value = numberOf(percent)
  if (value === undefined) return undefined
  const { unscaled, scale } = parseDecimal(value)!
  return Number(`${unscaled}e-${scale + 2}`)
}
