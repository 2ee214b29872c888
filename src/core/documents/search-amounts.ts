/**
 * Amounts in a search (contract 8, docs/decisions/0135): how people write them, and the words by
 * which the index finds them.
 *
 * A total is indexed as one word, such as `=1234.50;eur`. The mark at its beginning keeps it apart
 * from the words of texts, and the semicolon ends the amount: a search without a currency looks for
 * `=1234.50;`, so a prefix is always an exact number of cents.
 */
import { currencies } from '../../contract/currencies.ts'
import { minorText } from '../money.ts'

/** An amount that somebody looks for. */
export interface QueryAmount {
  minor: bigint
  /** Empty = in any currency. */
  currency: string
  /** It has decimals, groups of thousands or a currency, so it is hardly anything else. */
  isWrittenOut: boolean
}

/** What the amount belongs to: the document, or one of its payments. */
export type AmountOwner = 'document' | 'payment'

const marks = { document: '=', payment: '+' } as const satisfies Record<AmountOwner, string>

/** The word of an amount, or the beginning of such words if no currency is given. */
export const amountWord = (owner: AmountOwner, minor: bigint, currency: string): string =>
  `${marks[owner]}${minorText(minor)};${currency.toLowerCase()}`

/** A search, split at blanks, but for those that group the digits of a number. */
export const chunksOf = (text: string): string[] =>
  text.replaceAll(digitGroupSeparators, '').trim().split(/\s+/u)

/** As in 1 234,50 (with the blanks that browsers print) and 1’234.50. */
const digitGroupSeparators = /(?<=\d)[\u00a0\u2007\u2009\u202f'’](?=\d{3}(?!\d))/gu

const numberForms = [
  /^(?:0|[1-9]\d{0,11})(?:[.,]\d{1,2})?$/, // 1234, 1234.5, 1234,50
  /^[1-9]\d{0,2}(?:,\d{3}){1,3}(?:\.\d{1,2})?$/, // 1,234 and 1,234.50
  /^[1-9]\d?(?:,\d{2}){1,3},\d{3}(?:\.\d{1,2})?$/, // 12,34,567.50, as in India
  /^[1-9]\d{0,2}(?:\.\d{3}){1,3}(?:,\d{1,2})?$/, // 1.234 and 1.234,50
] as const

/** Symbols that stand for one of the currencies. Any other, such as $, stands for any of them. */
const symbols: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' }
const anySymbol = /^\p{L}{0,2}\p{Sc}$/u

const currencyParts = /^(?<before>[^\d.,]*)(?<number>[\d.,]+)(?<after>[^\d.,]*)$/u

/**
 * The amount that each chunk of a search states, or to which it gives the currency. A number
 * without anything else is an amount only if it is the whole search, so that `inv 42` does not find
 * all that costs 42.00.
 */
export const amountsOf = (chunks: readonly string[]): (QueryAmount | undefined)[] => {
  const whole = spacedAmountIn(chunks.join(' '))
  if (whole !== undefined) return chunks.map(() => whole)
  const amounts = chunks.map(amountIn)
  for (const [i, chunk] of chunks.entries()) {
    const currency = currencyOf(chunk)
    const at = [i - 1, i + 1].find((place) => amounts[place]?.currency === '')
    if (currency === undefined || at === undefined) continue
    amounts[at] = { ...amounts[at]!, currency, isWrittenOut: true }
    amounts[i] = amounts[at]
  }
  return amounts.map((one) => (one?.isWrittenOut || chunks.length === 1 ? one : undefined))
}

const spacedForm =
  /^(?<before>[^\d.,]*?) ?(?<number>[1-9]\d{0,2}(?: \d{3}){1,3}(?:[.,]\d{1,2})?) ?(?<after>[^\d.,]*)$/u

/**
 * A number with the blanks of a keyboard between its thousands, as in `12 500,00 EUR`. Beside other
 * words they are numbers of their own, so that `inv 42 500.00` finds invoice 42.
 */
const spacedAmountIn = (text: string): QueryAmount | undefined => {
  const { before = '', number, after = '' } = spacedForm.exec(text)?.groups ?? {}
  return (number && amountIn(`${before}${number.replaceAll(' ', '')}${after}`)) || undefined
}

/** Digits and signs of Arabic and Persian, with the marks of direction that browsers print. */
const latinText = (chunk: string): string =>
  chunk
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replaceAll(/[٬\p{Cf}]/gu, '')
    .replace('٫', '.')

const amountIn = (chunk: string): QueryAmount | undefined => {
  const {
    before = '',
    number = '',
    after = '',
  } = currencyParts.exec(latinText(chunk))?.groups ?? {}
  const currency = currencyOf(before + after)
  const hasCurrency = before !== '' || after !== ''
  if (hasCurrency && (currency === undefined || (before !== '' && after !== ''))) return undefined
  if (!numberForms.some((form) => form.test(number))) return undefined
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(number)!
  return {
    minor: BigInt(whole.replaceAll(/\D/g, '') + decimals.padEnd(2, '0')),
    currency: currency ?? '',
    isWrittenOut: hasCurrency || /[.,]/.test(number),
  }
}

/** Empty for a symbol that is not of one currency; undefined if it is none. */
const currencyOf = (text: string): string | undefined =>
  currencies.find((code) => code === text.toUpperCase()) ??
  symbols[text] ??
  (anySymbol.test(text) ? '' : undefined)
