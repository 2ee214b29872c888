/** What EN 16931 says of the VAT categories of lines: `BR-S-05` and its siblings. */
import { type ExportRule, linesIf } from './export-rule.ts'
import { hasCategory } from './exported-document.ts'

/** How the rules of a category are named. */
export const rulePrefixes: Readonly<Record<string, string>> = {
  S: 'BR-S',
  Z: 'BR-Z',
  E: 'BR-E',
  AE: 'BR-AE',
  K: 'BR-IC',
  G: 'BR-G',
}

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

export const taxCategoryRules: readonly ExportRule[] = [
  ...rateRules,
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
