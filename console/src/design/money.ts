/** Amounts as text, always in the same form: a minus is U+2212, as wide as the plus and the digits. */
import type { Currency } from '../api/types.ts'

export interface MoneyStyle {
  /** Whether a positive amount has a plus, as where amounts come in and go out. */
  isSigned?: boolean
}

/** Adds whole cents, since doubles do not add up. */
export const sumOf = (amounts: readonly number[]): number =>
  amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100

const formats = new Map<string, Intl.NumberFormat>()

const formatOf = (currency: Currency, signDisplay: 'negative' | 'exceptZero') => {
  const key = currency + signDisplay
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.NumberFormat(undefined, { style: 'currency', currency, signDisplay })
    formats.set(key, format)
  }
  return format
}

export const moneyText = (
  amount: number,
  currency: Currency,
  { isSigned = false }: MoneyStyle = {},
): string => numberText(formatOf(currency, isSigned ? 'exceptZero' : 'negative'), amount)

export const numberText = (format: Intl.NumberFormat, value: number): string =>
  format
    .formatToParts(value)
    .map(({ type, value: text }) => (type === 'minusSign' ? '−' : text))
    .join('')
