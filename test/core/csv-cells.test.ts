/** CSV: no cell is a formula, by whatever separator a spreadsheet divides the rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvRow, textOfCell } from '../../src/core/interop/csv.ts'

/**
 * Spreadsheets of many languages take semicolons; a quotation mark counts where a cell begins. Two
 * of them are an empty text there, and what follows is added to it.
 */
const cellsBetween = (row: string, separator: RegExp): string[] =>
  row.split(separator).map((cell) => cell.replace(/^""?/, ''))

const isFormula = (cell: string): boolean => /^[=+\-@＝＋－＠]/.test(cell)

const signs = [
  '=1+1',
  '＝1',
  "'=1",
  '-',
  '@a',
  ';',
  ';;',
  '\t',
  '\n',
  '\r\n',
  'a',
  ' ',
  "'",
  '"',
  ',',
]
const hostileText = fc.array(fc.constantFrom(...signs)).map((parts) => parts.join(''))

test('no part of a cell is a formula, also between semicolons, tabs and line breaks', () => {
  const row = csvRow(['1', 'x;=cmd|A0;y', 'x\n=1+1', 'x\t@SUM(1)', 'x;＝1', 'x;"=1+1;y'])
  assert.deepEqual(cellsBetween(row, /[;\t\r\n]/).filter(isFormula), [])
  fc.assert(
    fc.property(hostileText, (text) => {
      const cells = cellsBetween(csvRow(['a', text]), /[;\t\r\n]/)
      assert.deepEqual(cells.filter(isFormula), [])
    }),
  )
})

test('an import reads every text as it was', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const quoted = csvRow([text]).replace(/\r\n$/, '')
      const cell = quoted.startsWith('"') ? quoted.slice(1, -1).replaceAll('""', '"') : quoted
      assert.equal(textOfCell(cell), text)
    }),
  )
})
