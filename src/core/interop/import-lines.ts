/** A line of a file → a line item, with exactly its numbers. */
import { taxCategories } from '../../contract/code-lists.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { ImportWarning } from '../../contract/shapes/imports.ts'
import type { LineItem } from '../../contract/shapes/line-items.ts'
import { isLine, isText } from '../forbidden-characters.ts'
import { minorText, multiply, parseDecimal, percentOf, toMinor } from '../money.ts'
import { centsOf, isUnsigned, numberOf, rateOf, unitPriceOf, withPoint } from './import-amounts.ts'
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
  facts: LineFacts,
): LineItem | undefined => {
  const { problems } = facts
  const before = problems.length
  const refuse: Refuse = (rule, message, fix) => {
    problems.push(brokenRule(rule, `Line ${index + 1}: ${message}`, fix))
    return undefined
  }
  const { description, category } = line
  checkDescription(description, refuse)
  const quantity = numberOf(line.quantity)
  if (quantity === undefined) refuse('BT-129', ...faultOf('quantity', line.quantity, sixDecimals))
  const unitPrice = checkedUnitPrice(line, refuse)
  const rate = category === 'O' ? 0 : rateOf(line.rate)
  if (rate === undefined) refuse('BT-152', ...faultOf('tax rate', line.rate, percentage))
  checkCategory(category, refuse)
  if (problems.length > before) return undefined
  const item: LineItem = {
    description: description!,
    quantity: quantity!,
    unit_price: unitPrice!,
    tax_rate: rate!,
  }
  const isPlain = category === 'S' && rate! > 0
  if (!isPlain && line.isCategoryImplied !== true) item.tax_category = category
  addSku(item, line, index, facts)
  return withDiscount(item, line, refuse)
}

const checkDescription = (description: string | null, refuse: Refuse): void => {
  const most = limits.descriptionMaxLength
  if (description === null) refuse('BR-25', 'the item has no name.', 'name what is sold')
  else if (description.length > most)
    refuse('BT-153', `the name is longer than ${most} characters.`, 'shorten it')
  else if (!isText(description))
    refuse('BT-153', 'the name contains a control character.', 'leave it out')
}

const checkedUnitPrice = (line: ImportedLine, refuse: Refuse): number | undefined => {
  const base = line.baseQuantity === null ? 1 : numberOf(line.baseQuantity)
  if (base === undefined || base === 0)
    return refuse('BT-149', `${ofPrice} is ${base ?? 'no number'}.`, perUnit)
  const unitPrice = unitPriceOf(line)
  return unitPrice ?? refuse('BR-27', ...faultOf('net price', line.unitPrice, sixDecimals))
}

const checkCategory = (category: ImportedLine['category'], refuse: Refuse): void => {
  if (category !== null && Object.hasOwn(taxCategories, category)) return
  const message =
    category === null ? 'the tax category is missing.' : `${category} is no tax category.`
  refuse('BR-CO-04', message, `send one of ${Object.keys(taxCategories).join(', ')}`)
}

/** A text that cannot be a SKU is left out of the line, and reported. */
const addSku = (
  item: LineItem,
  { sku }: ImportedLine,
  index: number,
  { warnings, ignored }: LineFacts,
): void => {
  const most = limits.skuMaxLength
  if (sku === null) return
  if (isLine(sku, most)) item.sku = sku
  else ignored.push({ source: `BT-155 of line ${index + 1}`, value: sku.slice(0, 100) })
  if (sku.length > most) warnings.push(tooLong(`line_items[${index}].sku`, sku, most))
}

interface Digits {
  tooMany: string
  fix: string
}

const sixDecimals: Digits = {
  tooMany: 'has more digits than 9 and 6 decimals a unit',
  fix: 'send at most 9 digits before the point and 6 after it, for one unit',
}
const percentage: Digits = {
  tooMany: 'has too many digits',
  fix: 'send it in percent, such as 20, with at most four decimals',
}
const ofPrice = 'the quantity of its price (BaseQuantity, in CII BasisQuantity)'
const perUnit = 'give the price of one unit, and leave out the quantity of the price'
const creditInstead = 'send a positive number; what is given back is a credit note of its own'

/** Why a text is no number of a line, and what to do. */
const faultOf = (
  name: string,
  text: string | null,
  { tooMany, fix }: Digits,
): [message: string, fix: string] => {
  if (text === null) return [`the ${name} is missing.`, `give the ${name}`]
  if (/^-[\d.]/.test(text))
    return [`the ${name} is negative (${text.slice(0, 30)}).`, creditInstead]
  return isUnsigned(text)
    ? [`the ${name} ${tooMany}.`, fix]
    : [`the ${name} is ${text.slice(0, 30)}, which is no number.`, withPoint]
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
    return refuse(
      'BR-41',
      'an allowance has no amount of at most two decimals.',
      'give its amount, such as 1.50',
    )
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
