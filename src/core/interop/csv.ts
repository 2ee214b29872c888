/** CSV for accounting programs (RFC 4180), in which no cell is a formula. */

const plainNumber = /^-?\d+(\.\d+)?$/

/** Spreadsheets of some languages take the wide forms of the signs for the signs. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A text that a spreadsheet would calculate is preceded by an apostrophe; numbers stay numbers. */
const formulaSafe = (text: string): string =>
  formula.test(text) && !plainNumber.test(text) ? `'${text}` : text

/** The text of a cell, without the apostrophe that was put before it. */
export const textOfCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

/** Spreadsheets also take semicolons and tabs for separators, but not within quotation marks. */
const isQuoted = /[",;\t\r\n]/

const cell = (value: string | null): string => {
  const text = formulaSafe(value ?? '')
  return isQuoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line with its end. */
export const csvRow = (values: readonly (string | null)[]): string =>
  `${values.map(cell).join(',')}\r\n`
