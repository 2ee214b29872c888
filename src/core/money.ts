/**
 * Money: exact decimals, minor units and the only rounding of the service (domain 3.1 to 3.3).
 *
 * Amounts are bigint cents from parsing to printing. A JSON number enters through `parseDecimal`,
 * which recovers the digits that the client wrote, and leaves through `fromMinor` (JSON) or
 * `minorText` (digests). All four currencies have two decimals, so no function here takes a
 * currency. Doubles are never multiplied, added or rounded.
 */

/** The number n / 10^s, never negative. */
export type Decimal = { readonly unscaled: bigint; readonly scale: number }

/** Every numeric bound of domain 3.1; names that end in `Minor` are cents. */
export const moneyBounds = {
  significantDigits: 15,
  lines: { min: 1, max: 200 },
  quantity: { max: 999_999_999.999999, decimals: 6 },
  unitPrice: { max: 999_999_999.999999, decimals: 6 },
  taxRate: { max: 1, decimals: 6 },
  discountPercent: { max: 100, decimals: 4 },
  discountFixed: { max: 9_999_999_999.99, decimals: 2 },
  lineGrossMaxMinor: 999_999_999_999n,
  documentTotalMaxMinor: 99_999_999_999_999n,
  basisPoints: { max: 10_000 },
} as const

const minorDecimals = 2
const basisPointsPerUnit = 10_000n
const firstTooLong = 10 ** moneyBounds.significantDigits
const fewPlaces = 6
const firstPlain = 1e-6 // String() of anything smaller has an exponent.
const powersOfTen = Array.from({ length: 25 }, (_, exponent) => 10n ** BigInt(exponent))

/**
 * The decimal that the client wrote, recovered from its double (domain 3.3): the shortest decimal
 * that reads back as `x`. Undefined unless it has at most 15 digits in plain notation, so for
 * 0.1 + 0.2, 1e-7, 1e15 and above, negative numbers, NaN, Infinity. -0 reads as 0.
 */
export function parseDecimal(x: number): Decimal | undefined {
  if (!(x >= 0 && x < firstTooLong)) return undefined
  if (Number.isInteger(x)) return { unscaled: BigInt(x), scale: 0 }
  if (x < firstPlain) return undefined
  return decimalOfFewPlaces(x) ?? decimalOfText(x)
}

/**
 * The same for at most six decimals, which all prices and quantities have, without printing x:
 * digits below 10^15 and powers of ten are exact as doubles and a quotient is rounded correctly, so
 * the decimal reads back as x exactly if the quotient is x. No other of 15 digits does.
 */
function decimalOfFewPlaces(x: number): Decimal | undefined {
  for (let scale = 1, power = 10; scale <= fewPlaces; scale += 1, power *= 10) {
    const digits = Math.round(x * power)
    if (digits >= firstTooLong) return undefined
    if (digits / power === x) return { unscaled: BigInt(digits), scale }
  }
  return undefined
}

function decimalOfText(x: number): Decimal | undefined {
  const text = String(x)
  const point = text.indexOf('.')
  const digits = Number(text.slice(0, point) + text.slice(point + 1))
  if (digits >= firstTooLong) return undefined
  return { unscaled: BigInt(digits), scale: text.length - point - 1 }
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { unscaled: a.unscaled * b.unscaled, scale: a.scale + b.scale }
}

/** A decimal of major units in cents, half up (domain 3.2, round2). */
export function toMinor(d: Decimal): bigint {
  if (d.scale <= minorDecimals) return d.unscaled * powerOfTen(minorDecimals - d.scale)
  return divideHalfUp(d.unscaled, powerOfTen(d.scale - minorDecimals))
}

/** An amount from JSON in cents; undefined unless it is exact with at most two decimals. */
export function parseMinor(x: number): bigint | undefined {
  const decimal = parseDecimal(x)
  return decimal === undefined || decimal.scale > minorDecimals ? undefined : toMinor(decimal)
}

/** Cents as major units for JSON. Exact for every amount of at most 14 digits (domain 3.3). */
export function fromMinor(cents: bigint): number {
  return Number(cents) / 100
}

/** Cents as text with two decimals, for digests and ledgers: "108.02", "0.00", "-0.05". */
export function minorText(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(minorDecimals + 1, '0')
  const text = `${digits.slice(0, -minorDecimals)}.${digits.slice(-minorDecimals)}`
  return cents < 0n ? `-${text}` : text
}

/**
 * Formats a result of `fromMinor` like `minorText` its cents. Exact up to 14 digits: 100 times the
 * double differs from the cents by less than a hundredth.
 */
export function majorText(x: number): string {
  if (!(Math.abs(x) < firstTooLong)) throw new RangeError('the amount is too large')
  const cents = Math.round(Math.abs(x) * 100)
  const part = cents % 100
  return `${x < 0 ? '-' : ''}${(cents - part) / 100}.${part < 10 ? '0' : ''}${part}`
}

/**
 * An accepted input number as the plain decimal text of provenance bodies (provenance 1.2): "2.5",
 * "0.000001". Throws a RangeError for a number that `parseDecimal` refuses: that is a bug.
 */
export function decimalText(x: number): string {
  if (parseDecimal(x) === undefined) throw new RangeError('only accepted numbers have a text')
  return String(x)
}

/** Half up, in cents. */
export function percentOf(cents: bigint, percent: Decimal): bigint {
  return divideHalfUp(cents * percent.unscaled, powerOfTen(percent.scale + 2))
}

/**
 * The fee on a principal in cents: round2(principal × bps / 10000) (domain 5.2). `bps` is whole.
 */
export function basisPointFee(principal: bigint, bps: number): bigint {
  return divideHalfUp(principal * BigInt(bps), basisPointsPerUnit)
}

/** The quotient of non-negative integers, half up. Throws a RangeError for a negative numerator. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n) throw new RangeError('money is rounded before it gets a sign')
  return (numerator + denominator / 2n) / denominator
}

export function powerOfTen(exponent: number): bigint {
  return powersOfTen[exponent] ?? 10n ** BigInt(exponent)
}
