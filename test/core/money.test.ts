/** Money: parsing, the single rounding rule and printing of decimals (domain 3.1 to 3.3, 5.2). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  majorText,
  basisPointFee,
  decimalText,
  divideHalfUp,
  parseMinor,
  fromMinor,
  minorText,
  moneyBounds,
  multiply,
  parseDecimal,
  percentOf,
  powerOfTen,
  toMinor,
} from '../../src/core/money.ts'
import vectors from '../vectors/money.json' with { type: 'json' }

const samples = process.env['LONG'] ? 1_000_000 : 20_000

// What the client wrote              n                  s
const accepted: [number, bigint, number][] = [
  [0, 0n, 0],
  [-0, 0n, 0],
  [1, 1n, 0],
  [1.005, 1005n, 3],
  [2.675, 2675n, 3],
  [0.08, 8n, 2],
  [0.000001, 1n, 6],
  [0.00000123456789012345, 123456789012345n, 20],
  [33.333333, 33333333n, 6],
  [999999999.999999, 999999999999999n, 6],
  [999999999999999, 999999999999999n, 0],
]

test('3.3 exactly the digits that the client wrote are recovered from the double', () => {
  for (const [x, n, s] of accepted)
    assert.deepEqual(parseDecimal(x), { unscaled: n, scale: s }, String(x))
})

const refused = [
  NaN,
  Infinity,
  -Infinity,
  -1,
  -0.1,
  1e-7,
  9.99999999e-7,
  5e-324,
  1e15,
  1e21,
  1e300,
  0.30000000000000004,
  0.1 + 0.2,
  1234567890.123456,
  Number('9007199254740993'),
  2 ** 53,
]

test('3.3 a number without a plain decimal of at most 15 digits is refused', () => {
  for (const x of refused) {
    assert.equal(parseDecimal(x), undefined, String(x))
    assert.equal(parseMinor(x), undefined, String(x))
    assert.throws(() => decimalText(x), RangeError, String(x))
  }
})

test('3.3 any decimal of at most 15 digits survives decimal → double → decimal', () => {
  const digits = fc.bigInt({ min: 0n, max: 999_999_999_999_999n })
  const property = fc.property(digits, fc.nat({ max: 6 }), (n, s) => {
    const padded = String(n).padStart(s + 1, '0')
    const text = s === 0 ? padded : `${padded.slice(0, -s)}.${padded.slice(-s)}`
    const read = parseDecimal(JSON.parse(text))
    assert(read !== undefined)
    assert.equal(read.unscaled * powerOfTen(s), n * powerOfTen(read.scale))
    assert(read.scale === 0 || read.unscaled % 10n > 0n, `${text} has no zeros at its end`)
  })
  fc.assert(property, { numRuns: samples })
})

test('3.3 a double is accepted if and only if it prints as ^\\d+(\\.\\d+)?$ in 15 digits', () => {
  const property = fc.property(fc.double(), (x) => {
    const text = String(x)
    const digits = text.replace('.', '').replace(/^0+/, '')
    const plain = /^\d+(\.\d+)?$/.test(text) && digits.length <= 15
    assert.equal(parseDecimal(x) !== undefined, plain, text)
    if (plain) assert.equal(decimalText(x), text)
  })
  fc.assert(property, { numRuns: samples })
})

// major units, half up to cents
const rounded: [number, bigint][] = [
  [0.004, 0n],
  [0.005, 1n],
  [0.0049, 0n],
  [0.015, 2n],
  [0.025, 3n],
  [1.005, 101n],
  [2.675, 268n],
  [1.0049999, 100n],
  [8, 800n],
  [8.1, 810n],
  [8.12, 812n],
  [0.000005, 0n],
  [99.995, 10_000n],
]

test('3.2 rounding is half up, never banker’s, and never on a double', () => {
  for (const [x, cents] of rounded) assert.equal(toMinor(parseDecimal(x)!), cents, String(x))
})

test('3.2 half up is floor(2n + d over 2d), and a negative amount throws', () => {
  const numerator = fc.bigInt({ min: 0n, max: 10n ** 30n })
  const property = fc.property(numerator, fc.bigInt({ min: 1n, max: 10n ** 14n }), (n, d) => {
    assert.equal(divideHalfUp(n, d), (2n * n + d) / (2n * d))
  })
  fc.assert(property, { numRuns: samples })
  assert.throws(() => divideHalfUp(-1n, 2n), RangeError)
})

test('3.2 a product keeps every digit', () => {
  const largest = parseDecimal(999_999_999.999999)!
  assert.deepEqual(multiply(largest, largest), { unscaled: 999_999_999_999_999n ** 2n, scale: 12 })
  assert.equal(toMinor(multiply(parseDecimal(1000)!, parseDecimal(0.000005)!)), 1n)
})

test('3.2 a percentage of an amount is rounded half up', () => {
  assert.equal(percentOf(2997n, parseDecimal(33.3333)!), 999n)
  assert.equal(percentOf(10_000n, parseDecimal(12.5)!), 1250n)
  assert.equal(percentOf(1n, parseDecimal(50)!), 1n)
  assert.equal(percentOf(1n, parseDecimal(49.9999)!), 0n)
  assert.equal(percentOf(123n, parseDecimal(100)!), 123n)
  assert.equal(percentOf(123n, parseDecimal(0)!), 0n)
})

for (const { principal, bps, fee } of vectors.basis_point_fees) {
  test(`5.2 ${bps} basis points on ${principal} are ${fee}`, () => {
    assert.equal(fromMinor(basisPointFee(parseMinor(principal)!, bps)), fee)
  })
}

test('5.2 a basis point fee is a share of ten thousand, up to the whole principal', () => {
  assert.equal(basisPointFee(99_999_999_999_999n, moneyBounds.basisPoints.max), 99_999_999_999_999n)
  assert.equal(basisPointFee(99_999_999_999_999n, 0), 0n)
  assert.equal(basisPointFee(49n, 100), 0n)
  assert.equal(basisPointFee(50n, 100), 1n)
  assert.throws(() => basisPointFee(100n, 12.5), RangeError)
})

test('3.3 every amount of at most 14 digits prints as its digits and reads back', () => {
  const edges = [0n, 1n, 9n, 10n, 99n, 100n, 101n, 10_802n, moneyBounds.documentTotalMaxMinor]
  const amount = fc.bigInt({ min: 0n, max: moneyBounds.documentTotalMaxMinor })
  const roundTrip = (cents: bigint) => {
    const printed = JSON.stringify(fromMinor(cents))
    assert.equal(parseMinor(JSON.parse(printed)), cents)
    assert.equal(majorText(fromMinor(cents)), minorText(cents))
    assert.equal(BigInt(minorText(cents).replace('.', '')), cents)
  }
  edges.forEach(roundTrip)
  fc.assert(fc.property(amount, roundTrip), { numRuns: samples })
  assert.throws(() => majorText(1e15), RangeError)
})

test('3.3 amounts as text have two decimals and one minus', () => {
  const table: [bigint, string][] = [
    [0n, '0.00'],
    [1n, '0.01'],
    [10n, '0.10'],
    [100n, '1.00'],
    [10_802n, '108.02'],
    [-5n, '-0.05'],
    [-12_345n, '-123.45'],
    [99_999_999_999_999n, '999999999999.99'],
  ]
  for (const [cents, text] of table) assert.equal(minorText(cents), text)
})

test('3.3 an input number as text has no exponent and no sign', () => {
  const table: [number, string][] = [
    [2, '2'],
    [-0, '0'],
    [2.5, '2.5'],
    [0.000001, '0.000001'],
    [33.333333, '33.333333'],
  ]
  for (const [x, text] of table) assert.equal(decimalText(x), text)
})

test('3.1 an amount that must be exact has at most two decimals', () => {
  const table: [number, bigint | undefined][] = [
    [0, 0n],
    [0.1, 10n],
    [4.99, 499n],
    [4.999, undefined],
    [1e-7, undefined],
    [-1, undefined],
    [999_999_999_999.99, 99_999_999_999_999n],
  ]
  for (const [x, cents] of table) assert.equal(parseMinor(x), cents, String(x))
})
