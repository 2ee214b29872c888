/** Numbers in the console as people type them, and what is sent of each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, emptyDraft, linesFromTable, newLine } from '../../console/src/documents/draft.ts'
import { numberOf, shiftedText } from '../../console/src/design/typed-numbers.ts'
import { printedFor } from '../support/console/reader-process.ts'

const cases: readonly [text: string, number: number | string][] = [
  ['12.5', 12.5],
  ['1,5', 1.5],
  ['0,500', 0.5],
  ['1234,50', 1234.5],
  ['1,234', 1234],
  ['1,234,567.89', 1_234_567.89],
  ['$1,234.50', 1234.5],
  ['1’234,5', 1234.5],
  ['1 234,50 €', 1234.5],
  ['1.234,50', 1234.5],
  ['1.234.567,89', 1_234_567.89],
  ['1.234.567', 1_234_567],
  ['12,34,567.50', 1_234_567.5],
  ['1.234', 1.234],
  ['1.2.3', '1.2.3'],
  ['1.23,4', '1.23,4'],
  ['1,234.567,8', '1,234.567,8'],
  ['0.1e3', '0.1e3'],
  ['٣', '٣'],
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
  assert.deepEqual([quantity, unit_price, tax_rate], [2.5, 1234.5, 0.077])
})

test('a fee in percent with a decimal comma has the same basis points as with a point', () => {
  for (const fee of ['2,5', '2.5']) assert.equal(numberOf(shiftedText(fee, 2)), 250)
})

test('a pasted amount stands in its field without the marks of the spreadsheet', () => {
  const { unitPrice, taxPercent } = linesFromTable('Oak\t1\t$1,199.90\t7 %')[0]!
  assert.deepEqual([unitPrice, taxPercent], ['1199.90', '7'])
})

/** In the language of a reader, which a process takes from its environment. */
const readIn = (language: string, texts: readonly string[]) => {
  const script = `
    import { draftOf } from './console/src/documents/draft.ts'
    import { numberOf } from './console/src/design/typed-numbers.ts'
    const line = { quantity: 1.125, unit_price: 1234.5, tax_rate: 0.12345, discount_type: null }
    const [shown] = draftOf({ external_refs: {}, line_items: [line] }).lines
    const formats = [{ minimumFractionDigits: 2 }, { style: 'currency', currency: 'EUR' }].map(
      (style) => new Intl.NumberFormat(undefined, style),
    )
    const signOrDigits = ({ type, value }) => (type === 'currency' ? '' : value)
    const textOf = (format, amount) => format.formatToParts(amount).map(signOrDigits).join('')
    const amounts = [0, 0.05, 1.5, 999.99, 1234.5, 12345.67, 9999999999.99]
    console.log(JSON.stringify({
      numbers: ${JSON.stringify(texts)}.map(numberOf),
      shown: [shown.quantity, shown.unitPrice, shown.taxPercent],
      sent: [shown.quantity, shown.unitPrice, shown.taxPercent].map(numberOf),
      isRead: formats.every((format) =>
        amounts.every((amount) => numberOf(textOf(format, amount)) === amount),
      ),
    }))`
  return printedFor({ LC_ALL: `${language}.UTF-8` }, script) as {
    numbers: (number | string)[]
    shown: string[]
    sent: (number | string)[]
    isRead: boolean
  }
}

const readers: readonly [
  language: string,
  read: Record<string, number | string>,
  shown: readonly string[],
][] = [
  [
    'de_DE',
    { '1,234': 1.234, '1.234': '1.234', '1.234,5': 1234.5, '1.23': 1.23, '1,234,567': 1_234_567 },
    ['1,125', '1234,5', '12,345'],
  ],
  ['de_AT', { '1,234': 1.234, '1.234': '1.234', '1 234': 1234 }, ['1,125', '1234,5', '12,345']],
  ['de_CH', { '1,234': '1,234', '1.234': 1.234, '1’234': 1234 }, ['1.125', '1234.5', '12.345']],
  ['en_DE', { '1,234': '1,234', '1.234': '1.234' }, ['1,1250', '1234,5', '12,3450']],
  ['fr_FR', { '1,234': 1.234, '1.234': '1.234', '1 234': 1234 }, ['1,125', '1234,5', '12,345']],
  [
    'fa_IR',
    { '۱٬۲۳۴٫۵': 1234.5, '۱۲': 12, '12.5': 12.5, '1,234': '1,234' },
    ['1.125', '1234.5', '12.345'],
  ],
  ['ar_EG', { '١٬٢٣٤٫٥': 1234.5, '۱۲': '۱۲' }, ['1.125', '1234.5', '12.345']],
  ['ne_NP', { '१,२३४.५': 1234.5 }, ['1.125', '1234.5', '12.345']],
]

/** Also the first one, which may have the titles: those have no digit. */
test('a pasted row in digits of another script is no title', () => {
  assert.equal(linesFromTable('Oak\t۲\t۳').length, 1)
  assert.equal(linesFromTable('What\tHow many\tPrice').length, 0)
})

for (const [language, read, shown] of readers)
  test(`a reader in ${language} types numbers as the console shows them`, () => {
    const found = readIn(language, Object.keys(read))
    assert.deepEqual(found.numbers, Object.values(read))
    assert.deepEqual(found.shown, shown)
    assert.deepEqual(found.sent, [1.125, 1234.5, 12.345])
    assert(found.isRead, 'an amount that the console shows is read as that amount')
  })

const doubts: readonly [language: string, text: string, whole: string, decimals: string][] = [
  ['de_DE', '1.234', '1234', '1,234'],
  ['de_CH', '1,234', '1234', '1.234'],
  ['en_DE', '12,345', '12345', '12,3450'],
  ['fa_IR', '1,234', '1234', '1.234'],
]

for (const [language, text, whole, decimals] of doubts)
  test(`a reader in ${language} learns why ${text} is no number, and what to write for each`, () => {
    const script = `
      import { doubtOf, numberOf } from './console/src/design/typed-numbers.ts'
      const read = ['${whole}', '${decimals}'].map(numberOf)
      console.log(JSON.stringify({ said: doubtOf('${text}'), read, none: doubtOf('12.5') ?? null }))`
    const found = printedFor({ LC_ALL: `${language}.UTF-8` }, script) as Record<string, unknown>
    const said = `“${text}” may mean two numbers: write ${whole} for thousands, or ${decimals} for decimals.`
    assert.equal(found['said'], said)
    assert.deepEqual(found['read'], [Number(whole), Number(whole) / 1000])
    assert.equal(found['none'], null)
  })
