/** A line of a file → a line item, with exactly its numbers. */
import { taxCategories } from '../../contract/code-lists.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { ImportWarning } from '../../contract/shapes/imports.ts'
import type { LineItem } from '../../contract/shapes/line-items.ts'
import { forbiddenCharacterMessage } from '../forbidden-characters.ts'
import { minorText, multiply, parseDecimal, percentOf, toMinor } from '../money.ts'
import { centsOf, numberOf, rateOf, unitPriceOf } from './import-amounts.ts'
import { type ImportRule, brokenRule } from './import-rules.ts'
import type { ImportedDocument, ImportedLine } from './imported-document.ts'
import { tooLong } from './left-off-texts.ts'

export interface LineFacts {
  /** Collects the rules that lines break. */
  problems: Problem[]
  warnings: ImportWarning[]
  /** Collects what has no place in a line. */
  ignored: ImportedDocument['ignored']
}

/** Undefined if a problem was added. */
export const lineOf = (
  line: ImportedLine,
  index: number,
  { problems, warnings, ignored }: LineFacts,
): LineItem | undefined => {
  const before = problems.length
  const refuse: Refuse = (rule, message, fix) => {
    problems.push(brokenRule(rule, `Line ${index + 1}: ${message}`, fix))
    return undefined
  }
  const { description, sku } = line
  if (description === null) refuse('BR-25', 'the item has no name.', 'name what is sold')
  else if (description.length > limits.descriptionMaxLength)
    refuse(
      'BT-153',
      `the name is longer than ${limits.descriptionMaxLength} characters.`,
      'shorten it',
    )
  else if (forbiddenCharacterMessage(description) !== undefined)
    refuse('BT-153', 'the name contains a control character.', 'leave it out')
  const quantity = numberOf(line.quantity)
  if (quantity === undefined)
    refuse('BT-129', `the quantity ${faultOf(line.quantity, sixDecimals)}.`, creditInstead)
  const unitPrice = unitPriceOf(line)
  if (unitPrice === undefined)
    refuse('BR-27', `the net price ${faultOf(line.unitPrice, sixDecimals)}.`, creditInstead)
  const rate = line.category === 'O' ? 0 : rateOf(line.rate)
  if (rate === undefined)
    refuse('BT-152', `the tax rate ${faultOf(line.rate, 'has too many digits')}.`, inPercent)
  const category = line.category
  if (category === null || !Object.hasOwn(taxCategories, category))
    refuse(
      'BR-CO-04',
      category === null ? 'the tax category is missing.' : `${category} is no tax category.`,
      `send one of ${Object.keys(taxCategories).join(', ')}`,
    )
  if (problems.length > before) return undefined
  const item: LineItem = {
    description: description!,
    quantity: quantity!,
    unit_price: unitPrice!,
    tax_rate: rate!,
  }
  const isPlain = category === 'S' && rate! > 0
  if (!isPlain && line.isCategoryImplied !== true) item.tax_category = category
  if (sku !== null && sku.length <= limits.skuMaxLength && !/[\t\r\n]/.test(sku)) item.sku = sku
  else if (sku !== null)
    ignored.push({ source: `BT-155 of line ${index + 1}`, value: sku.slice(0, 100) })
  if (sku !== null && sku.length > limits.skuMaxLength)
    warnings.push(tooLong(`line_items[${index}].sku`, sku, limits.skuMaxLength))
  return withDiscount(item, line, refuse)
}

const sixDecimals = 'has more digits than 9 and 6 decimals a unit'
const inPercent = 'send it in percent, such as 20, with at most four decimals'
const creditInstead = 'send a positive number; what is given back is a credit note of its own'

/** Why a text is no number of a line. */
const faultOf = (text: string | null, tooManyDigits: string): string => {
  if (text === null) return 'is missing'
  if (/^-\d/.test(text)) return `is negative (${text.slice(0, 30)})`
  return /^\d+(\.\d+)?$/.test(text) ? tooManyDigits : `is ${text.slice(0, 30)}, which is no number`
}

type Refuse = (rule: ImportRule, message: string, fix?: string) => undefined

/** One percentage stays one if it makes the amount; anything else is the amount of all of them. */
const withDiscount = (
  item: LineItem,
  { allowances }: ImportedLine,
  refuse: Refuse,
): LineItem | undefined => {
  const amounts = allowances.map(({ amount }) => centsOf(amount))
  if (allowances.some(({ isCharge }, i) => isCharge && amounts[i] !== 0n))
    return refuse('BG-28', 'it has a charge.', 'make it a line of its own')
  if (amounts.includes(undefined))
    return refuse('BR-41', 'an allowance has no amount of at most two decimals.', 'give its amount')
  const total = amounts.reduce<bigint>((sum, cents) => sum + cents!, 0n)
  if (total === 0n) return item
  const gross = toMinor(multiply(parseDecimal(item.quantity)!, parseDecimal(item.unit_price)!))
  const percent = allowances.length === 1 ? numberOf(allowances[0]!.percent) : undefined
  const isPercentage =
    percent !== undefined && percent <= 100 && percentOf(gross, parseDecimal(percent)!) === total
  return isPercentage
    ? { ...item, discount_type: 'percent', discount_value: percent }
    : { ...item, discount_type: 'fixed', discount_value: Number(minorText(total)) }
}
