/** Payment methods per currency, and the kind and accounts of a payment (domain 4). */
import type { Currency } from '../../contract/currencies.ts'

/** `book` transfers any currency between two accounts of this service. */
export const methodsByCurrency = {
  USD: ['ach', 'wire', 'book'],
  EUR: ['sepa', 'book'],
  GBP: ['faster_payments', 'book'],
  CAD: ['eft', 'book'],
} as const satisfies Record<Currency, readonly string[]>

const kindByDocumentType: Readonly<Record<string, string>> = {
  credit_note: 'refund',
  disbursement: 'disbursement',
  repayment: 'repayment',
}

/** The kind of payment that pays a document of this type. */
export const paymentKindOf = (documentType: string): string =>
  kindByDocumentType[documentType] ?? 'document_payment'

/** The purposes of the accounts that pay and receive a payment by default. */
export const accountPurposesOf = (kind: string): { payer: string; payee: string } => ({
  payer: kind === 'disbursement' ? 'funding' : 'settlement',
  payee: kind === 'repayment' || kind === 'sweep' ? 'funding' : 'settlement',
})
