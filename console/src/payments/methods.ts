/** The rails that a person can choose for a payment, by currency. */
import type { Currency, PaymentMethod } from '../api/types.ts'

type Method = readonly [PaymentMethod | '', string]

const methods: Record<Currency, readonly Method[]> = {
  USD: [
    ['', 'Default'],
    ['ach', 'ACH'],
    ['wire', 'Wire'],
  ],
  EUR: [
    ['', 'Default'],
    ['sepa', 'SEPA'],
  ],
  GBP: [
    ['', 'Default'],
    ['faster_payments', 'Faster Payments'],
  ],
  CAD: [
    ['', 'Default'],
    ['eft', 'EFT'],
  ],
}

/** The processor of a live organization debits bank accounts, by the first method of a currency. */
export const methodsOf = (currency: Currency, isSandbox: boolean): readonly Method[] =>
  isSandbox ? methods[currency] : methods[currency].slice(0, 2)
