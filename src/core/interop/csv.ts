/** CSV for accounting programs (RFC 4180), in which no cell is a formula. */

const plainNumber = /^-?\d+(\.\d+)?$/

/** Spreadsheets of some languages take the wide forms of the signs for the signs. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/

/**
 * Spreadsheets of many languages take semicolons or tabs for separators. A quotation mark counts
 * only where a cell begins for them, so a quoted cell is divided as well. The mark of a text is
 * doubled, which is an empty quoted text for them, followed by the formula.
 */
const innerFormula = /(?<=[;\t\r\n])'*(?="?[=+\-@＝＋－＠])/g

/** A text that a spreadsheet would calculate is preceded by an apostrophe; numbers stay numbers. */
const formulaSafe = (text: string): string => {
  if (plainNumber.test(text)) return text
  const safe = text.replace(innerFormula, "'$&")
  return formula.test(text) ? `'${safe}` : safe
}

/** The text of a cell, without the apostrophes that were put into it. */
export const textOfCell = (cell: string): string => {
  const text = cell.replace(innerFormula, (apostrophes) => apostrophes.slice(1))
  return cell.startsWith("'") && formula.test(cell) ? text.slice(1) : text
}

/** Spreadsheets also take semicolons and tabs for separators. */
const isQuoted = /[",;\t\r\n]/

const cell = (value: string | null): string => {
  const text = formulaSafe(value ?? '')
  return isQuoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line with its end. */
export const csvRow = (values: readonly (string | null)[]): string =>
  `${values.map(cell).join(',')}\r\n`
