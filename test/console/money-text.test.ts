/** Amounts in the console: one minus, and a plus only where amounts come in and go out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountsIn } from '../../console/src/design/amounts-in.ts'
import { moneyText } from '../../console/src/design/money.ts'
import type { Currency } from '../../console/src/api/types.ts'

const cases: readonly [amount: number, currency: Currency, plain: string, signed: string][] = [
  [259.07, 'USD', '$259.07', '+$259.07'],
  [-259.07, 'USD', '−$259.07', '−$259.07'],
  [-1_234_567.5, 'EUR', '−€1,234,567.50', '−€1,234,567.50'],
  [0, 'GBP', '£0.00', '£0.00'],
  [-0, 'GBP', '£0.00', '£0.00'],
]

for (const [amount, currency, plain, signed] of cases)
  test(`${amount} ${currency} is written as ${plain}, or as ${signed} beside others`, () => {
    assert.equal(moneyText(amount, currency), plain)
    assert.equal(moneyText(amount, currency, { isSigned: true }), signed)
  })

test('an amount within a text of the service is written as elsewhere, and nothing else is', () => {
  for (const [text, shown] of [
    [
      'Pay 203111.19 USD to Oak & Elm for bill BILL-000036',
      'Pay $203,111.19 to Oak & Elm for bill BILL-000036',
    ],
    ['Bill, submitted, 9002.00 EUR', 'Bill, submitted, €9,002.00'],
    ['Pay 1.00 USD to 24.00 ABC Ltd and 24.00 ABCD', 'Pay $1.00 to 24.00 ABC Ltd and 24.00 ABCD'],
    ['INV-12.50 USD, 7.5 USD, 80 USD', 'INV-12.50 USD, 7.5 USD, 80 USD'],
  ] as const)
    assert.equal(amountsIn(text), shown)
})
