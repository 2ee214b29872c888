/**
 * Totals: line items → what each line, each tax rate and the document come to (domain 3.1, 3.2).
 *
 * Invariants, for every accepted document: net = gross − discount ≥ 0 on each line; subtotal is the
 * sum of net; tax is rounded once per rate and summed; total = subtotal + tax; and the lines' tax
 * adds up to the document's, in every rate. The input has passed its schema, so types hold here,
 * but no numeric bound does.
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
} from '../money.ts'
import type { Decimal } from '../money.ts'
import type { Problem } from '../../contract/problem.ts'

/** A line as the client sends it (specification 2.2); amounts in major units, null is absent. */
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

/** What one line comes to, in cents. */
export interface LineTotals {
  gross: bigint
  discount: bigint
  net: bigint
  tax_amount: bigint
  total: bigint
}

/** What the lines of one tax rate come to; `tax_rate` as sent, amounts in cents. */
export interface RateTotals {
  tax_rate: number
  taxable: bigint
  tax: bigint
}

/** What a document comes to, in cents. Lines in the order sent, the breakdown by rising rate. */
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
 * The totals of a document, or everything that is wrong with its lines, each with the JSON pointer
 * of its field (domain 3.1). An impossible number of lines is reported alone.
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

/** A line on its way in: where its problems are reported, and under which index. */
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

/** What a numeric field of a line accepts, and how to say so. */
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

function priceLine(reading: LineContext): PricedLine | undefined {
  const { line } = reading
  const quantity = readNumber(reading, line.quantity, numberRules.quantity)
  const unitPrice = readNumber(reading, line.unit_price, numberRules.unitPrice)
  const rate = readNumber(reading, line.tax_rate, numberRules.taxRate)
  const gross = readGross(reading, quantity, unitPrice)
  const discount = readDiscount(reading, gross)
  if (rate === undefined || gross === undefined || discount === undefined) return undefined

  const totals = { gross, discount, net: gross - discount, tax_amount: 0n, total: 0n }
  // Adding zero turns the −0 that JSON can carry into 0.
  return { totals, taxRate: line.tax_rate + 0, rate }
}

function readNumber(reading: LineContext, value: number, rule: NumberRule): Decimal | undefined {
  const decimal = parseDecimal(value)
  if (decimal !== undefined && value <= rule.max && decimal.scale <= rule.decimals) return decimal

  // Digits are named before size: 1234567890.123456 was computed, not typed. A whole number of more
  // than 15 digits is simply too large.
  const computed = decimal === undefined && !Number.isInteger(value)
  const tooPrecise = Number.isFinite(value) && value > 0 && (computed || value <= rule.max)
  addProblem(
    reading,
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
    message: `\`${rule.field}\` has at most ${digits} (got ${value}).`,
    fix: rounded > 0 && rounded <= rule.max ? `Send ${rounded}.` : 'Round it before sending.',
  }
}

function outOfRange(value: number, rule: NumberRule): LineProblem {
  const message = `\`${rule.field}\` is ${rule.meaning}, from 0 to ${rule.max} (got ${value}).`
  const code = 'out_of_range'
  if (value < 0) return { code, message, fix: 'Send 0 or more; a credit_note takes money back.' }
  if (rule.field === 'tax_rate') return { code, message, fix: rateFix(value) }
  return { code, message, fix: `Send at most ${rule.max}.` }
}

function rateFix(percentage: number): string {
  const fraction = percentage / 100
  const usable =
    fraction <= 1 && (parseDecimal(fraction)?.scale ?? Infinity) <= moneyBounds.taxRate.decimals
  return usable ? `Send ${fraction} for ${percentage} %.` : 'Send 0.08 for 8 %.'
}

function readGross(
  reading: LineContext,
  quantity?: Decimal,
  unitPrice?: Decimal,
): bigint | undefined {
  if (quantity === undefined || unitPrice === undefined) return undefined
  const gross = toMinor(multiply(quantity, unitPrice))
  if (gross <= moneyBounds.lineGrossMaxMinor) return gross
  const most = minorText(moneyBounds.lineGrossMaxMinor)
  addProblem(reading, '', {
    code: 'out_of_range',
    message: `\`quantity\` × \`unit_price\` is at most ${most} on a line (got ${minorText(gross)}).`,
    fix: 'Send the price in major units (19.99, not 1999), or split the line.',
  })
  return undefined
}

function readDiscount(reading: LineContext, gross: bigint | undefined): bigint | undefined {
  const type = reading.line.discount_type ?? null
  const value = reading.line.discount_value ?? null
  if (type === null) {
    if (value === null || value === 0) return 0n
    addProblem(reading, '/discount_type', {
      code: 'required',
      message: '`discount_value` needs a `discount_type`.',
      fix: 'Send `discount_type` percent or fixed, or leave `discount_value` out.',
    })
    return undefined
  }
  if (value === null) {
    addProblem(reading, '/discount_value', {
      code: 'required',
      message: '`discount_type` needs a `discount_value`.',
      fix: 'Send `discount_value`, or `discount_type` null for no discount.',
    })
    return undefined
  }
  const amount = readNumber(reading, value, numberRules[type])
  if (amount === undefined || gross === undefined) return undefined
  if (type === 'percent') return percentOf(gross, amount)
  const discount = toMinor(amount)
  if (discount <= gross) return discount
  const most = minorText(gross)
  addProblem(reading, '/discount_value', {
    code: 'out_of_range',
    message: `A fixed discount is at most the line's gross, ${most} (got ${minorText(discount)}).`,
    fix: `Send at most ${most}; it applies once per line, not per unit.`,
  })
  return undefined
}

/** `pointer` leads from the line to the field; it is empty for the line as a whole. */
function addProblem(reading: LineContext, pointer: string, finding: LineProblem): void {
  reading.problems.push({ param: `/line_items/${reading.index}${pointer}`, ...finding })
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
  const rising = [...groups.values()].sort((a, b) => a.taxRate - b.taxRate)
  const breakdown = rising.map(taxOfGroup)
  const tax = breakdown.reduce((sum, group) => sum + group.tax, 0n)
  const total = subtotal + tax
  return { lines, subtotal, discount_total: discountTotal, tax, total, tax_breakdown: breakdown }
}

/**
 * The tax of one rate, rounded once, then dealt out to its lines: each gets its exact tax without
 * the fraction, and the cents still missing go to the largest fractions, the first line first.
 */
function taxOfGroup(group: RateGroup): RateTotals {
  const unit = powerOfTen(group.rate.scale)
  const tax = divideHalfUp(group.taxable * group.rate.unscaled, unit)
  let missing = tax
  const shares = group.lines.map((line) => {
    const exact = line.net * group.rate.unscaled
    line.tax_amount = exact / unit
    missing -= line.tax_amount
    return { line, fraction: exact % unit }
  })
  // There are never more cents missing than lines with a fraction.
  if (missing > 0n) {
    shares.sort((a, b) => Number(b.fraction - a.fraction))
    for (const { line } of shares.slice(0, Number(missing))) line.tax_amount += 1n
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
    fix: lines.length < min ? 'Send at least one line item.' : 'Split it into several documents.',
  }
}

function totalTooLargeProblem(total: bigint): Problem {
  const most = minorText(moneyBounds.documentTotalMaxMinor)
  return {
    param: '/line_items',
    code: 'out_of_range',
    message: `A document's total is at most ${most} (got ${minorText(total)}).`,
    fix: 'Send the prices in major units (19.99, not 1999), or split the document.',
  }
}
