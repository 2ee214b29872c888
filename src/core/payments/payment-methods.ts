/** Payment methods per currency, and the kind and accounts of a payment (domain 4). */
import type { Currency } from '../../contract/currencies.ts'

/** The bank debit is the first. `book` transfers between two accounts of this service. */
const methodsByCurrency = {
  USD: ['ach', 'wire', 'book'],
  EUR: ['sepa', 'book'],
  GBP: ['faster_payments', 'book'],
  CAD: ['eft', 'book'],
} as const satisfies Record<Currency, readonly string[]>

/** The first is the default. Live money is taken from the bank alone (docs/decisions/0193). */
export const paymentMethodsOf = ({
  mode,
  currency,
}: {
  mode: string
  currency: string
}): readonly string[] => {
  const methods = methodsByCurrency[currency as Currency]
  return mode === 'live' ? methods.slice(0, 1) : methods
}

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
