/** Amounts in the console: one minus, and a plus only where amounts come in and go out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
