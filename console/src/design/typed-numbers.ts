/**
 * Numbers as people type them: with the digits and signs in which the console shows them to the
 * reader. A text that may mean two numbers is none, since a thousandfold amount would be sent.
 */

/** Amounts of money may have other signs than numbers: in Austria, a point between thousands. */
const parts = [{}, { style: 'currency', currency: 'EUR' } as const].flatMap((style) =>
  new Intl.NumberFormat(undefined, { ...style, minimumFractionDigits: 1 }).formatToParts(1e6),
)
const isShownAs = (type: 'decimal' | 'group', sign: string) =>
  parts.some((part) => part.type === type && part.value.replace('٫', '.') === sign)
const hasDecimalComma = parts.find(({ type }) => type === 'decimal')?.value === ','
const ownDigits = new Intl.NumberFormat(undefined, { useGrouping: false }).format(9876543210)

/** What is no number is sent as it is, and the service says what is wrong with it. */
export const numberOf = (text: string): number | string => {
  const plain = plainNumber(text)
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
}

/**
 * Why an amount with one sign before three digits is no number to this reader, and what to write for
 * each of the two; undefined of any other text.
 */
export const doubtOf = (text: string): string | undefined => {
  if (plainNumber(text) !== '') return undefined
  const [whole = '', decimals = ''] = [...text.matchAll(/\p{Nd}+/gu)].map(([digits]) => digits)
  if (decimals === '') return undefined
  return `“${text.trim()}” may mean two numbers: write ${whole}${decimals} for thousands, or ${typedNumber(`${whole}.${decimals}`)} for decimals.`
}

/** A number of the service as the reader would type it; one more decimal takes away a doubt. */
export const typedNumber = (plain: string): string => {
  const typed = hasDecimalComma ? plain.replace('.', ',') : plain
  return plainNumber(typed) === '' && typed !== '' ? `${typed}0` : typed
}

/** As the reader would type it, without the marks of a spreadsheet; what is no number stays. */
export const tidyNumber = (text: string): string =>
  typeof numberOf(text) === 'number' ? typedNumber(plainNumber(text)) : text.trim()

/**
 * With a decimal point only: $1,234.50, 1.234,50 €, 1’234.50 and ۱٬۲۳۴٫۵۰ are 1234.50. Empty for
 * 1.234 and 1,234 where the sign may stand between thousands or before decimals.
 */
const plainNumber = (text: string): string => {
  const plain = text
    .replaceAll(/\p{Nd}/gu, (digit) => latinDigit(digit))
    .replaceAll(/[\s\p{Cf}’'٬$€£]/gu, '')
    .replace('٫', '.')
  if (/^[1-9]\d?\d?(\.\d{3})+,\d+$|^[1-9]\d?\d?(\.\d{3}){2,}$/.test(plain))
    return plain.replaceAll('.', '').replace(',', '.')
  const [, sign] = /^[1-9]\d?\d?([.,])\d{3}$/.exec(plain) ?? []
  if (sign !== undefined) {
    const isDecimal = isShownAs('decimal', sign)
    const isDoubtful = isDecimal === isShownAs('group', sign)
    // Programs write a decimal point for every reader.
    if (isDoubtful || (sign === '.' && !isDecimal)) return ''
    return plain.replace(',', isDecimal ? '.' : '')
  }
  if (/^[1-9]\d?\d?(,\d{2,3})*,\d{3}(\.\d+)?$/.test(plain)) return plain.replaceAll(',', '')
  return /^\d+,\d+$/.test(plain) ? plain.replace(',', '.') : plain
}

/** A digit of the reader's script; one of another script stays. */
const latinDigit = (digit: string): string => {
  const place = [...ownDigits].indexOf(digit)
  return place < 0 ? digit : String(9 - place)
}

/** Moves the decimal point in the digits themselves: 8.25 by −2 is 0.0825, exactly. */
export const shiftedText = (text: string, by: number): string => {
  const plain = plainNumber(text)
  const match = /^(\d*)\.?(\d*)$/.exec(plain)
  if (match === null || plain === '') return text
  const [, whole = '', fraction = ''] = match
  const digits = whole + fraction
  const point = whole.length + by
  const padded = digits.padStart(digits.length - Math.min(0, point), '0').padEnd(point, '0')
  const at = Math.max(0, point)
  const left = padded.slice(0, at).replace(/^0+(?=\d)/, '') || '0'
  const right = padded.slice(at).replace(/0+$/, '')
  return right === '' ? left : `${left}.${right}`
}
