/** Numbers in the console as people type them, and what is sent of each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bodyOf,
  emptyDraft,
  linesFromTable,
  newLine,
  numberOf,
  shiftedText,
} from '../../console/src/documents/draft.ts'

const cases: readonly [text: string, number: number | string][] = [
  ['12.5', 12.5],
  ['1,5', 1.5],
  ['0,500', 0.5],
  ['1234,50', 1234.5],
  ['1,234', 1234],
  ['1,234,567.89', 1_234_567.89],
  ['$1,234.50', 1234.5],
  ['1’234,5', 1234.5],
  ['1.234,50', '1.234,50'],
  ['1,2,3', '1,2,3'],
  ['-2', '-2'],
  ['a dozen', 'a dozen'],
]

for (const [text, number] of cases)
  test(`“${text}” is sent as ${typeof number === 'number' ? number : 'it is typed'}`, () => {
    assert.equal(numberOf(text), number)
  })

const sentLine = (line: ReturnType<typeof newLine>) =>
  bodyOf({ ...emptyDraft, lines: [line] }, false).line_items[0]!

test('a tax in percent with a decimal comma is the same fraction as with a point', () => {
  for (const taxPercent of ['8,25', '8.25'])
    assert.equal(sentLine(newLine({ unitPrice: '1,5', taxPercent })).tax_rate, 0.0825)
  assert.equal(sentLine(newLine({ unitPrice: '1,5', taxPercent: '0,5' })).tax_rate, 0.005)
})

test('rows of a spreadsheet may have decimal commas', () => {
  const { quantity, unit_price, tax_rate } = sentLine(
    linesFromTable('Oak\t2,5\t1.234,50\t7,7%')[0]!,
  )
  assert.deepEqual([quantity, unit_price, tax_rate], [2.5, '1.234,50', 0.077])
})

test('a fee in percent with a decimal comma has the same basis points as with a point', () => {
  for (const fee of ['2,5', '2.5']) assert.equal(numberOf(shiftedText(fee, 2)), 250)
})
