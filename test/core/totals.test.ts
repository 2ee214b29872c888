/** Totals: vectors, refusals and an exact model of another algorithm (domain 3.1, 3.2, 3.4). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { fromMinor } from '../../src/core/money.ts'
import { type LineInput, type Totals, computeTotals } from '../../src/core/documents/totals.ts'
import type { Problem } from '../../src/contract/problem.ts'
import vectors from '../vectors/money.json' with { type: 'json' }

const samples = process.env['LONG'] ? 1_000_000 : 20_000
const hostileSamples = process.env['LONG'] ? 100_000 : 2_000

const plain = { description: 'x', quantity: 1, unit_price: 50, tax_rate: 0 }

function totalsOf(lines: LineInput[]): Totals {
  const result = computeTotals(lines)
  assert(result.ok)
  return result.totals
}

function problemsOf(lines: LineInput[]): Problem[] {
  const result = computeTotals(lines)
  assert(!result.ok, 'these lines must be refused')
  assert(result.problems.every(({ message, fix }) => /\.$/.test(message) && /[^.]$/.test(fix!)))
  return result.problems
}

const refusalsOf = (lines: LineInput[]): string[] =>
  problemsOf(lines).map(({ param, code }) => `${param} ${code}`)

const majorUnits = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? fromMinor(v) : v)))

for (const { id, line_items, expected } of vectors.cases) {
  test(`3.4 ${id} has the expected lines, tax per rate and totals`, () => {
    const { discount_total: _, ...totals } = totalsOf(line_items as LineInput[])
    assert.deepEqual(majorUnits(totals), expected)
  })
}

for (const { why, line_items, param, code } of vectors.refused) {
  test(`3.1 ${why}: refused with ${param} ${code}`, () => {
    assert.deepEqual(refusalsOf(line_items as LineInput[]), [`${param} ${code}`])
  })
}

test('3.2 discount_total is the sum of the discounts', () => {
  const percent = { ...plain, discount_type: 'percent' as const, discount_value: 12.5 }
  const fixed = { ...plain, discount_type: 'fixed' as const, discount_value: 4.99 }
  assert.equal(totalsOf([percent, fixed, plain]).discount_total, 625n + 499n)
})

// field, value → code, null where the value is accepted
const bounds: [keyof LineInput, number, Problem['code'] | null][] = [
  ['quantity', 999_999_999.999999, 'out_of_range'], // the line is then too large, not the quantity
  ['quantity', 1_000_000_000, 'out_of_range'],
  ['quantity', 0, null],
  ['quantity', -0, null],
  ['quantity', -0.000001, 'out_of_range'],
  ['quantity', 0.0000015, 'too_precise'],
  ['quantity', 1.1234567, 'too_precise'],
  ['quantity', NaN, 'out_of_range'],
  ['quantity', Infinity, 'out_of_range'],
  ['quantity', Number('9007199254740993'), 'out_of_range'],
  ['unit_price', 1e21, 'out_of_range'],
  ['unit_price', 1e15, 'out_of_range'],
  ['unit_price', 1e-7, 'too_precise'],
  ['unit_price', 0.1 + 0.2, 'too_precise'],
  ['unit_price', 999_999_999.999999, null],
  ['tax_rate', 1, null],
  ['tax_rate', 1.000001, 'out_of_range'],
  ['tax_rate', 0.0000001, 'too_precise'],
  ['tax_rate', 0.1234567, 'too_precise'],
  ['tax_rate', -0, null],
]

for (const [field, value, code] of bounds) {
  test(`3.1 ${field} ${Object.is(value, -0) ? '-0' : value} is ${code ?? 'accepted'}`, () => {
    const lines = [{ ...plain, [field]: value }]
    if (code === null) totalsOf(lines)
    else assert.equal(problemsOf(lines)[0]?.code, code)
  })
}

// discount_type, discount_value on a gross of 50.00 → discount in cents, or the refusal
const discounts: [LineInput['discount_type'], number | null | undefined, bigint | string][] = [
  [undefined, undefined, 0n],
  [undefined, 0, 0n],
  [null, undefined, 0n],
  [null, 0, 0n],
  [null, 5, '/discount_type required'],
  [undefined, -1, '/discount_type required'],
  ['percent', 0, 0n],
  ['percent', 100, 5000n],
  ['percent', 33.3333, 1667n],
  ['percent', 33.33333, '/discount_value too_precise'],
  ['percent', -1, '/discount_value out_of_range'],
  ['fixed', 50, 5000n],
  ['fixed', 0.01, 1n],
  ['fixed', 0.001, '/discount_value too_precise'],
  ['fixed', 50.01, '/discount_value out_of_range'],
  ['fixed', 1e21, '/discount_value out_of_range'],
  ['fixed', undefined, '/discount_value required'],
  ['percent', null, '/discount_value required'],
  [null, null, 0n],
]

for (const [type, value, expected] of discounts) {
  test(`3.1 discount ${type} ${value} on 50.00 gives ${expected}`, () => {
    const line: LineInput = { ...plain }
    if (type !== undefined) line.discount_type = type
    if (value !== undefined) line.discount_value = value
    if (typeof expected === 'string')
      assert.deepEqual(refusalsOf([line]), [`/line_items/0${expected}`])
    else assert.equal(totalsOf([line]).discount_total, expected)
  })
}

test('3.1 a line totals at most 9 999 999 999.99 after rounding', () => {
  const line = { ...plain, quantity: 10 }
  assert.equal(totalsOf([{ ...line, unit_price: 999_999_999.9994 }]).total, 999_999_999_999n)
  const beyond = [{ ...line, unit_price: 999_999_999.9995 }]
  assert.deepEqual(refusalsOf(beyond), ['/line_items/0 out_of_range'])
})

test('3.1 a document totals at most 999 999 999 999.99, tax included', () => {
  const lines = Array(50).fill({ ...plain, quantity: 10, unit_price: 999_999_999.999, tax_rate: 1 })
  const largest = [...lines, { ...plain, unit_price: 0.99 }]
  assert.equal(totalsOf(largest).total, 99_999_999_999_999n)
  const beyond = [...lines, { ...plain, unit_price: 1 }]
  assert.deepEqual(refusalsOf(beyond), ['/line_items out_of_range'])
})

test('contract 2: all problems are listed at once in the order of the lines', () => {
  const bad = { ...plain, quantity: -1, unit_price: 1e-7, tax_rate: 8, discount_value: 5 }
  assert.deepEqual(refusalsOf([plain, bad, { ...plain, tax_rate: 20 }]), [
    '/line_items/1/quantity out_of_range',
    '/line_items/1/unit_price too_precise',
    '/line_items/1/tax_rate out_of_range',
    '/line_items/1/discount_type required',
    '/line_items/2/tax_rate out_of_range',
  ])
})

// field, value → the fix of the refusal
const fixes: [keyof LineInput, number, string][] = [
  ['tax_rate', 8, 'send 0.08 for 8 %'],
  ['tax_rate', 8.25, 'send 0.0825 for 8.25 %'],
  ['tax_rate', 14.975, 'send 0.14975 for 14.975 %'],
  ['tax_rate', 800, 'send 0.08 for 8 %'],
  ['quantity', 0.1 + 0.2, 'send 0.3'],
  ['unit_price', 1e-7, 'round it before sending'],
  ['quantity', -1, 'send 0 or more; use a credit_note to refund'],
  ['quantity', 1e9, 'send at most 999999999.999999'],
]

test('contract 2: a refusal says what to send instead', () => {
  for (const [field, value, fix] of fixes) {
    assert.equal(problemsOf([{ ...plain, [field]: value }])[0]?.fix, fix)
  }
})

test('3.2 a rate of −0 is grouped with the rate 0 and has no sign', () => {
  const { tax_breakdown } = totalsOf([{ ...plain, tax_rate: -0 }, plain])
  assert.deepEqual(tax_breakdown, [{ tax_rate: 0, taxable: 10_000n, tax: 0n }])
})

test('3.1 no combination of doubles throws', () => {
  const line = fc.record(
    {
      description: fc.constant('x'),
      quantity: fc.double(),
      unit_price: fc.double(),
      tax_rate: fc.double(),
      discount_type: fc.constantFrom('percent' as const, 'fixed' as const, null),
      discount_value: fc.double(),
    },
    { requiredKeys: ['description', 'quantity', 'unit_price', 'tax_rate'] },
  )
  const property = fc.property(fc.array(line, { maxLength: 3 }), (lines) => {
    const result = computeTotals(lines)
    assert(result.ok || result.problems.length > 0)
  })
  fc.assert(property, { numRuns: hostileSamples })
})

/** The digits of a line that is always accepted: value = digits / 10^scale. */
interface Digits {
  quantity: [bigint, number]
  price: [bigint, number]
  rate: [bigint, number]
  discount: ['percent' | 'fixed', bigint, number] | null
}

const scaled = (max: bigint, scaleMax: number) =>
  fc
    .nat({ max: scaleMax })
    .chain((scale) =>
      fc.tuple(fc.bigInt({ min: 0n, max: max * 10n ** BigInt(scale) }), fc.constant(scale)),
    )
const rates: [bigint, number][] = [
  [0n, 0],
  [5n, 2],
  [725n, 4],
  [2n, 1],
  [14975n, 5],
  [333333n, 6],
]
const digits: fc.Arbitrary<Digits> = fc.record({
  quantity: fc.oneof(scaled(10n, 6), scaled(90_000n, 3)),
  price: fc.oneof(scaled(1n, 3), scaled(90_000n, 6)),
  rate: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...rates) }, scaled(1n, 6)),
  discount: fc.oneof(
    fc.constant(null),
    scaled(100n, 4).map(([n, s]) => ['percent', n, s] as ['percent', bigint, number]),
    scaled(3n, 2).map(([n, s]) => ['fixed', n, s] as ['fixed', bigint, number]),
  ),
})

const written = ([n, s]: [bigint, number]): number => Number(`${n}e-${s}`)

function lineOf({ quantity, price, rate, discount }: Digits): LineInput {
  const amounts = { quantity: written(quantity), unit_price: written(price) }
  const line = { ...plain, ...amounts, tax_rate: written(rate) }
  if (discount === null) return line
  const [discount_type, ...share] = discount
  return { ...line, discount_type, discount_value: written(share) }
}

/** Values are whole multiples of 10^-20, so that each is rounded only once. */
const one = 10n ** 20n
const millionth = one / 1_000_000n
const exactly = ([n, s]: [bigint, number]): bigint => (n * one) / 10n ** BigInt(s)
const nearestCent = (value: bigint, unit: bigint): bigint => {
  const below = (value * 100n) / unit
  return value * 100n - below * unit >= (below + 1n) * unit - value * 100n ? below + 1n : below
}

const sum = (values: Iterable<bigint>): bigint => [...values].reduce((a, b) => a + b, 0n)

/** Allots each remaining cent of tax to the line furthest below its exact tax. */
function modelOf(document: Digits[]) {
  const entries = document.map(({ quantity, price, rate, discount }) => {
    const gross = nearestCent(exactly(quantity) * exactly(price), one * one)
    const share = discount === null ? 0n : exactly([discount[1], discount[2]])
    const isPercent = discount?.[0] === 'percent'
    const discounted = isPercent ? nearestCent(gross * share, 10_000n * one) : (share * 100n) / one
    const exact = (gross - discounted) * exactly(rate)
    return { gross, discounted, rate: exactly(rate), exact, tax: exact / one }
  })
  const taxes = new Map<bigint, bigint>()
  for (const rate of entries.map((entry) => entry.rate)) {
    const group = entries.filter((entry) => entry.rate === rate)
    const tax = nearestCent(sum(group.map((entry) => entry.exact)), 100n * one)
    while (sum(group.map((entry) => entry.tax)) < tax) {
      const owed = (entry: (typeof group)[number]) => entry.exact - entry.tax * one
      group.reduce((furthest, entry) => (owed(entry) > owed(furthest) ? entry : furthest)).tax += 1n
    }
    taxes.set(rate, tax)
  }
  const lines = entries.map(({ gross, discounted, tax }) => {
    const net = gross - discounted
    return { gross, discount: discounted, net, tax_amount: tax, total: net + tax }
  })
  return { lines, taxes }
}

test(`3.2 ${samples} random documents agree with the exact model, and every sum holds`, () => {
  const property = fc.property(fc.array(digits, { minLength: 1, maxLength: 9 }), (document) => {
    const model = modelOf(document)
    const result = computeTotals(document.map(lineOf))
    const overdrawn = model.lines.findIndex((line) => line.net < 0n)
    if (overdrawn >= 0) {
      assert(!result.ok)
      return assert.equal(result.problems[0]?.param, `/line_items/${overdrawn}/discount_value`)
    }
    assert(result.ok)
    const { lines, subtotal, discount_total, tax, total, tax_breakdown } = result.totals
    assert.deepEqual(lines, model.lines)
    assert.equal(subtotal, sum(lines.map((line) => line.net)))
    assert.equal(discount_total, sum(lines.map((line) => line.discount)))
    assert.equal(tax, sum(lines.map((line) => line.tax_amount)))
    assert.equal(tax, sum(model.taxes.values()))
    assert.equal(total, subtotal + tax)
    assert.equal(sum(tax_breakdown.map((group) => group.taxable)), subtotal)
    const taxes = tax_breakdown.map((group) => [
      BigInt(Math.round(group.tax_rate * 1e6)),
      group.tax,
    ])
    const inMillionths = [...model.taxes].map(([rate, groupTax]) => [rate / millionth, groupTax])
    assert.deepEqual(
      taxes,
      inMillionths.sort(([a = 0n], [b = 0n]) => (a < b ? -1 : 1)),
    )
  })
  fc.assert(property, { numRuns: samples })
})
