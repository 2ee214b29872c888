/** The number of the invoice that an offer is for, from the document that accepting it signs. */
import type { FinanceOffer } from '../api/types.ts'

/** The parts of the document that its reader needs in words. */
interface AuthorizationDocument {
  pledge: { issuer_number: string }
}

export const invoiceNumberOf = ({ standing_authorization: { document } }: FinanceOffer): string =>
  (document as unknown as AuthorizationDocument).pledge.issuer_number
