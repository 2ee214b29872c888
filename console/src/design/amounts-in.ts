/** The service writes an amount as “203111.19 USD”, and the console everywhere as a person does. */
import { currencies } from '../../../src/contract/currencies.ts'
import type { Currency } from '../api/types.ts'
import { moneyText } from './money.ts'

const amount = new RegExp(`(?<![\\w.,-])(\\d+\\.\\d\\d) (${currencies.join('|')})\\b`, 'g')

export const amountsIn = (text: string): string =>
  text.replace(amount, (_, value: string, currency: Currency) => moneyText(Number(value), currency))
