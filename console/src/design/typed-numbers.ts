/**
 * Numbers as people type them: with the digits and signs in which the console shows them to the
 * reader. A text that may mean two numbers is none, since a thousandfold amount would be sent.
 */

const parts = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1 }).formatToParts(1e6)
const signOf = (type: 'decimal' | 'group') => parts.find((part) => part.type === type)?.value
const hasDecimalComma = signOf('decimal') === ','
/** Programs write a decimal point for these readers as well. */
const isPointDoubtful = signOf('group') === '.'
const ownDigits = new Intl.NumberFormat(undefined, { useGrouping: false }).format(9876543210)

/** What is no number is sent as it is, and the service says what is wrong with it. */
export const numberOf = (text: string): number | string => {
  const plain = plainNumber(text)
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
}

/** A number of the service as the reader would type it. */
export const typedNumber = (plain: string): string =>
  hasDecimalComma ? plain.replace('.', ',') : plain

/** As the reader would type it, without the marks of a spreadsheet; what is no number stays. */
export const tidyNumber = (text: string): string =>
  typeof numberOf(text) === 'number' ? typedNumber(plainNumber(text)) : text.trim()

/**
 * With a decimal point only: $1,234.50, 1.234,50 €, 1’234.50 and ۱٬۲۳۴٫۵۰ are 1234.50. Empty for what
 * may have a point between thousands or before decimals.
 */
const plainNumber = (text: string): string => {
  const plain = text
    .replaceAll(/\p{Nd}/gu, (digit) => latinDigit(digit))
    .replaceAll(/[\s\p{Cf}’'٬$€£]/gu, '')
    .replace('٫', '.')
  if (/^[1-9]\d?\d?(\.\d{3})+,\d+$|^[1-9]\d?\d?(\.\d{3}){2,}$/.test(plain))
    return plain.replaceAll('.', '').replace(',', '.')
  if (/^[1-9]\d?\d?\.\d{3}$/.test(plain)) return isPointDoubtful ? '' : plain
  const isGrouped = /^[1-9]\d?\d?(,\d{2,3})*,\d{3}(\.\d+)?$/.test(plain)
  if (isGrouped && !(hasDecimalComma && /^\d+,\d+$/.test(plain))) return plain.replaceAll(',', '')
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
