/** CSV for accounting programs (RFC 4180), in which no cell is a formula. */

const plainNumber = /^-?\d+(\.\d+)?$/

/** A text that a spreadsheet would calculate is preceded by an apostrophe; numbers stay numbers. */
const formulaSafe = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !plainNumber.test(text) ? `'${text}` : text

const cell = (value: string | null): string => {
  const text = formulaSafe(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line with its end. */
export const csvRow = (values: readonly (string | null)[]): string =>
  `${values.map(cell).join(',')}\r\n`
