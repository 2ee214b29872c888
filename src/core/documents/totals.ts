/**
 * Line items → totals of each line, each tax rate and the document (domain 3.1, 3.2).
 *
 * Invariants of every accepted document: net = gross − discount ≥ 0 on each line; subtotal is the
 * sum of net; tax is rounded once per rate and summed; total = subtotal + tax; at each rate, the
 * lines' tax adds up to the rate's tax. The input's types are valid, its numeric bounds unchecked.
 */
import {
  divideHalfUp,
  minorText,
  moneyBounds,
  multiply,
  parseDecimal,
  percentOf,
  powerOfTen,
  toMinor,
  type Decimal,
} from '../money.ts'
import type { Problem } from '../../contract/problem.ts'

/** A line as the client sends it (specification 2.2), in major units; null means absent. */
export interface LineInput {
  description: string
  quantity: number
  unit_price: number
  tax_rate: number
  sku?: string | null
  discount_type?: 'percent' | 'fixed' | null
  discount_value?: number | null
  tax_category?: string | null
}

/** The amounts of one line, in cents. */
export interface LineTotals {
  gross: bigint
  discount: bigint
  net: bigint
  tax_amount: bigint
  total: bigint
}

/** The totals of one tax rate; `tax_rate` as sent, amounts in cents. */
export interface RateTotals {
  tax_rate: number
  taxable: bigint
  tax: bigint
}

/** The totals of a document, in cents. Lines in the order sent, the breakdown by ascending rate. */
export interface Totals {
  lines: LineTotals[]
  subtotal: bigint
  discount_total: bigint
  tax: bigint
  total: bigint
  tax_breakdown: RateTotals[]
}

export type TotalsResult = { ok: true; totals: Totals } | { ok: false; problems: Problem[] }

/**
 * The totals of a document, or all problems of its lines, each with the JSON pointer of its field
 * (domain 3.1). A wrong number of lines is reported alone.
 */
export function computeTotals(lines: readonly LineInput[]): TotalsResult {
  const { min, max } = moneyBounds.lines
  if (lines.length < min || lines.length > max)
    return { ok: false, problems: [lineCountProblem(lines)] }

  const problems: Problem[] = []
  const priced: PricedLine[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = priceLine({ line: lines[index]!, index, problems })
    if (line !== undefined) priced.push(line)
  }
  if (problems.length > 0) return { ok: false, problems }

  const totals = sumLines(priced)
  if (totals.total > moneyBounds.documentTotalMaxMinor) {
    return { ok: false, problems: [totalTooLargeProblem(totals.total)] }
  }
  return { ok: true, totals }
}

/** A line that is being read, its index, and the list that collects its problems. */
interface LineContext {
  line: LineInput
  index: number
  problems: Problem[]
}

type LineProblem = Omit<Problem, 'param'>

interface PricedLine {
  totals: LineTotals
  taxRate: number
  rate: Decimal
}

interface RateGroup {
  taxRate: number
  rate: Decimal
  taxable: bigint
  lines: LineTotals[]
}

/** The values that a numeric field of a line accepts; `meaning` is for messages. */
interface NumberRule {
  field: 'quantity' | 'unit_price' | 'tax_rate' | 'discount_value'
  max: number
  decimals: number
  meaning: string
}

const numberRules = {
  quantity: { field: 'quantity', ...moneyBounds.quantity, meaning: 'a number of units' },
  unitPrice: { field: 'unit_price', ...moneyBounds.unitPrice, meaning: 'an amount per unit' },
  taxRate: { field: 'tax_rate', ...moneyBounds.taxRate, meaning: 'a fraction, not a percentage' },
  percent: { field: 'discount_value', ...moneyBounds.discountPercent, meaning: 'a percentage' },
  fixed: { field: 'discount_value', ...moneyBounds.discountFixed, meaning: 'an amount per line' },
} as const satisfies Record<string, NumberRule>

function priceLine(context: LineContext): PricedLine | undefined {
  const { line } = context
  const quantity = readNumber(context, line.quantity, numberRules.quantity)
  const unitPrice = readNumber(context, line.unit_price, numberRules.unitPrice)
  const rate = readNumber(context, line.tax_rate, numberRules.taxRate)
  const gross = readGross(context, quantity, unitPrice)
  const discount = readDiscount(context, gross)
  if (rate === undefined || gross === undefined || discount === undefined) return undefined

  const totals = { gross, discount, net: gross - discount, tax_amount: 0n, total: 0n }
  // Adding zero turns the −0 that JSON can carry into 0.
  return { totals, taxRate: line.tax_rate + 0, rate }
}

function readNumber(context: LineContext, value: number, rule: NumberRule): Decimal | undefined {
  const decimal = parseDecimal(value)
  if (decimal !== undefined && value <= rule.max && decimal.scale <= rule.decimals) return decimal

  // Excess digits are reported before size: 1234567890.123456 was computed, not typed. An integer
  // of more than 15 digits is simply too large.
  const computed = decimal === undefined && !Number.isInteger(value)
  const tooPrecise = Number.isFinite(value) && value > 0 && (computed || value <= rule.max)
  addProblem(
    context,
    `/${rule.field}`,
    tooPrecise ? tooManyDigits(value, rule) : outOfRange(value, rule),
  )
  return undefined
}

function tooManyDigits(value: number, rule: NumberRule): LineProblem {
  const digits = `${rule.decimals} decimals and ${moneyBounds.significantDigits} digits`
  const rounded = Number(value.toFixed(rule.decimals))
  return {
    code: 'too_precise',
    message: `Must have at most ${digits} (got ${value}).`,
    fix: rounded > 0 && rounded <= rule.max ? `send ${rounded}` : 'round it before sending',
  }
}

function outOfRange(value: number, rule: NumberRule): LineProblem {
  const message = `Must be ${rule.meaning}, from 0 to ${rule.max} (got ${value}).`
  const code = 'out_of_range'
  if (value < 0) return { code, message, fix: 'send 0 or more; use a credit_note to refund' }
  if (rule.field === 'tax_rate') return { code, message, fix: rateFix(value) }
  return { code, message, fix: `send at most ${rule.max}` }
}

function rateFix(percentage: number): string {
  const fraction = percentage / 100
  const usable =
    fraction <= 1 && (parseDecimal(fraction)?.scale ?? Infinity) <= moneyBounds.taxRate.decimals
  return usable ? `send ${fraction} for ${percentage} %` : 'send 0.08 for 8 %'
}

function readGross(
  context: LineContext,
  quantity?: Decimal,
  unitPrice?: Decimal,
): bigint | undefined {
  if (quantity === undefined || unitPrice === undefined) return undefined
  const gross = toMinor(multiply(quantity, unitPrice))
  if (gross <= moneyBounds.lineGrossMaxMinor) return gross
  const max = minorText(moneyBounds.lineGrossMaxMinor)
  addProblem(context, '', {
    code: 'out_of_range',
    message: `\`quantity\` × \`unit_price\` must be at most ${max} per line (got ${minorText(gross)}).`,
    fix: 'send the price in major units (19.99, not 1999), or split the line',
  })
  return undefined
}

function readDiscount(context: LineContext, gross: bigint | undefined): bigint | undefined {
  const type = context.line.discount_type ?? null
  const value = context.line.discount_value ?? null
  if (type === null) {
    if (value === null || value === 0) return 0n
    addProblem(context, '/discount_type', {
      code: 'required',
      message: 'A `discount_value` requires this field.',
      fix: 'send `discount_type` percent or fixed, or omit `discount_value`',
    })
    return undefined
  }
  if (value === null) {
    addProblem(context, '/discount_value', {
      code: 'required',
      message: 'A `discount_type` requires this field.',
      fix: 'send `discount_value`, or `discount_type` null for no discount',
    })
    return undefined
  }
  const amount = readNumber(context, value, numberRules[type])
  if (amount === undefined || gross === undefined) return undefined
  if (type === 'percent') return percentOf(gross, amount)
  const discount = toMinor(amount)
  if (discount <= gross) return discount
  const max = minorText(gross)
  addProblem(context, '/discount_value', {
    code: 'out_of_range',
    message: `A fixed discount is at most the line's gross, ${max} (got ${minorText(discount)}).`,
    fix: `send at most ${max}; it applies once per line, not per unit`,
  })
  return undefined
}

/** `pointer` is relative to the line; it is empty for the line as a whole. */
function addProblem(context: LineContext, pointer: string, problem: LineProblem): void {
  context.problems.push({ param: `/line_items/${context.index}${pointer}`, ...problem })
}

/** Steps 4 to 6 of domain 3.2. Fills in the tax of the lines. */
function sumLines(priced: readonly PricedLine[]): Totals {
  const groups = new Map<number, RateGroup>()
  const lines: LineTotals[] = []
  let subtotal = 0n
  let discountTotal = 0n
  for (const { totals, taxRate, rate } of priced) {
    lines.push(totals)
    subtotal += totals.net
    discountTotal += totals.discount
    const group = groups.get(taxRate)
    if (group === undefined) {
      groups.set(taxRate, { taxRate, rate, taxable: totals.net, lines: [totals] })
    } else {
      group.taxable += totals.net
      group.lines.push(totals)
    }
  }
  const ascending = [...groups.values()].sort((a, b) => a.taxRate - b.taxRate)
  const breakdown = ascending.map(taxOfGroup)
  const tax = breakdown.reduce((sum, group) => sum + group.tax, 0n)
  const total = subtotal + tax
  return { lines, subtotal, discount_total: discountTotal, tax, total, tax_breakdown: breakdown }
}

/**
 * The tax of one rate, rounded once, then allocated by largest remainder: each line gets its exact
 * tax rounded down, and the remaining cents go to the largest fractions, earlier lines first.
 */
function taxOfGroup(group: RateGroup): RateTotals {
  const unit = powerOfTen(group.rate.scale)
  const tax = divideHalfUp(group.taxable * group.rate.unscaled, unit)
  let remainder = tax
  const shares = group.lines.map((line) => {
    const exact = line.net * group.rate.unscaled
    line.tax_amount = exact / unit
    remainder -= line.tax_amount
    return { line, fraction: exact % unit }
  })
  // At most as many cents remain as there are lines with a fraction.
  if (remainder > 0n) {
    shares.sort((a, b) => Number(b.fraction - a.fraction))
    for (const { line } of shares.slice(0, Number(remainder))) line.tax_amount += 1n
  }
  for (const line of group.lines) line.total = line.net + line.tax_amount
  return { tax_rate: group.taxRate, taxable: group.taxable, tax }
}

function lineCountProblem(lines: readonly LineInput[]): Problem {
  const { min, max } = moneyBounds.lines
  return {
    param: '/line_items',
    code: 'out_of_range',
    message: `A document has ${min} to ${max} line items (got ${lines.length}).`,
    fix: lines.length < min ? 'send at least one line item' : 'split it into several documents',
  }
}

function totalTooLargeProblem(total: bigint): Problem {
  const max = minorText(moneyBounds.documentTotalMaxMinor)
  return {
    param: '/line_items',
    code: 'out_of_range',
    message: `A document's total is at most ${max} (got ${minorText(total)}).`,
    fix: 'send the prices in major units (19.99, not 1999), or split the document',
  }
}
