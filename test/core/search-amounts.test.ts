/** How people write amounts that they look for (contract 8, console 4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryAmounts } from '../../src/core/documents/search-terms.ts'

const read = (text: string): string[] =>
  queryAmounts(text).map(({ minor, currency }) => `${minor} ${currency}`.trim())

for (const [texts, expected] of [
  [['1234.50', '1234.5', '1234,50', '1,234.50', '1.234,50', '1’234.50', "1'234,5"], '123450'],
  [['1\u00a0234,50', '1\u202f234,50', '$1,234.50', 'CA$1234.50', '1234.50 $'], '123450'],
  [['1234', '1,234', '1.234', '1234.00'], '123400'],
  [['1.234.567,89', '1,234,567.89', '1234567.89', '12,34,567.89'], '123456789'],
  [['۱٬۲۳۴٫۵۰', '١٬٢٣٤٫٥', '\u200e۱۲۳۴٫۵'], '123450'],
  [['‎€۱٬۲۳۴٫۵۰', '‏١٬٢٣٤٫٥٠ €'], '123450 EUR'],
  [['0.05', '0,05'], '5'],
  [
    [
      '12 500,00',
      '12 500.00',
      '12 500',
      '12\u00a0500,00',
      '12\u202f500',
      '12\u2007500,00',
      '$12 500',
    ],
    '1250000',
  ],
  [['12 500,00 EUR', 'EUR 12 500', '€12 500,0', '12  500\u00a0€', '12 500€'], '1250000 EUR'],
  [['1 234 567,89'], '123456789'],
  [
    ['EUR 1234.50', '1.234,50 EUR', 'eur1234.5', '1234.50EUR', '€1,234.50', '1.234,50 €'],
    '123450 EUR',
  ],
  [['USD 12', '12 usd'], '1200 USD'],
  [['£7', '7\u00a0£'], '700 GBP'],
  [['999999999999.99'], '99999999999999'],
] as const) {
  test(`${texts.join(' and ')} are the amount ${expected}`, () => {
    for (const text of texts) assert.deepEqual(new Set(read(text)), new Set([expected]), text)
  })
}

test('three decimals, two kinds of points, other currencies and references are no amounts', () => {
  for (const text of [
    '1234.567',
    '1,234.567',
    '1,23,4',
    '1.2.3',
    '12,34.5',
    '0123.45',
    '007',
    '.50',
    '5.',
    'SKU-9',
    'INV-000042',
    '2026-11-27',
    'JPY 5000',
    'CHF12.50',
    'EUR',
    '$',
    'EUR5USD',
    '9999999999999.99',
    '-5.00',
    'inv 42',
    '30 days net',
    '',
  ]) {
    assert.deepEqual(read(text), [], text)
  }
})

test('numbers beside other words, or in other groups, are numbers of their own', () => {
  assert.deepEqual(read('inv 42 500.00'), ['50000'])
  assert.deepEqual(read('12 50,00'), ['5000'])
  assert.deepEqual(read('2026 500,00'), ['50000'])
  assert.deepEqual(read('12 500 7'), [])
  assert.deepEqual(read('+49 170 555'), [])
})

test('an amount stands beside other words, if it has decimals, groups or a currency', () => {
  assert.deepEqual(read('harbour 12.50'), ['1250'])
  assert.deepEqual(read('harbour 1,250'), ['125000'])
  assert.deepEqual(new Set(read('harbour 12 EUR cafe')), new Set(['1200 EUR']))
  assert.deepEqual(read('harbour 12 cafe'), [])
  assert.deepEqual(new Set(read('EUR 5 USD 10')), new Set(['500 EUR', '1000 USD']))
})
