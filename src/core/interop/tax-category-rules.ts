/** What EN 16931 says of the VAT categories of lines: `BR-S-05` and its siblings. */
import { type ExportRule, linesIf } from './export-rule.ts'
import { type TaxGroup, hasCategory, percentText, taxGroupsOf } from './exported-document.ts'

/** How the rules of a category are named. */
export const rulePrefixes = {
  S: 'BR-S',
  Z: 'BR-Z',
  E: 'BR-E',
  AE: 'BR-AE',
  K: 'BR-IC',
  G: 'BR-G',
} as const

const rateRules = Object.entries(rulePrefixes).map(([category, prefix]): ExportRule => ({
  rule: `${prefix}-05`,
  message:
    category === 'S'
      ? 'A line of category S has a rate above 0: a rate of 0 is Z, E, AE, K, G or O.'
      : `A line of category ${category} has a rate of 0: what is taxed is S.`,
  brokenBy: (document) =>
    linesIf(
      document,
      'tax_category',
      (of, { tax_rate }) => of === category && (category === 'S') === (tax_rate === 0),
    ),
}))

/** The official rule rounds both before it compares them with zero; category O has no rate. */
const isTakenForZero = ({ category, rate, tax }: TaxGroup): boolean =>
  category !== 'O' && Number(rate) < 0.5 && Number(tax) >= 0.5

export const taxCategoryRules: readonly ExportRule[] = [
  ...rateRules,
  {
    rule: 'BR-CO-17',
    message: 'Receivers take a rate below 0.5 % for 0, and then refuse tax of 0.50 or more.',
    brokenBy: (document) => {
      const broken = taxGroupsOf(document.content).filter(isTakenForZero)
      return linesIf(document, 'tax_rate', (category, { tax_rate }) =>
        broken.some((one) => one.category === category && one.rate === percentText(tax_rate)),
      )
    },
  },
  {
    rule: 'BR-O-09',
    message: 'What is not subject to tax (category O) has no tax: its rate is 0.',
    brokenBy: (document) =>
      linesIf(document, 'tax_rate', (category, line) => category === 'O' && line.tax_amount > 0),
  },
  {
    rule: 'BR-O-11',
    message: 'A document with category O has no line of another one: split it in two.',
    brokenBy: (document) =>
      hasCategory(document, 'O')
        ? linesIf(document, 'tax_category', (category) => category !== 'O')
        : [],
  },
]
