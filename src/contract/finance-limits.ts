/** The limits of loans (domain 5). */
export const financeLimits = {
  listingDefaultDays: 14,
  listingMaxDays: 60,
  offerDefaultDays: 7,
  graceMaxDays: 90,
  fundingDays: 5,
  /** Open offers of one listing, all of which are loaded with it. */
  openOffersPerListingMax: 200,
  /** Invoices that an invoice replaces, one after the other, whose fingerprints it inherits. */
  replacedInvoicesMax: 20,
  /** Live listings of one issuer and debtor that are compared with an invoice. */
  nearTwinsComparedMax: 1_000,
  /** Invoices of one sum or number are near twins if their dates are no further apart. */
  nearTwinMaxDays: 7,
  /** Approved documents among which an invoice for a listing of a demo counterparty is searched. */
  demoInvoicesSearchedMax: 200,
  repaymentsShownMax: 200,
  financeDueEveryMs: 2_000,
  /** Banking days in which a repayment by ACH can be returned; the agreement closes afterwards. */
  achReturnBankingDays: 5,
} as const
