/**
 * The standing authorization (domain 5.3): what the borrower accepts by repeating its digest. Its
 * canonical bytes are frozen when the offer is created.
 */
import { canonicalIntegerJson } from '../canonical-json.ts'
import { encodeId } from '../ids.ts'
import { minorText } from '../money.ts'
import {
  type Disclosure,
  type LoanTerms,
  authorizedDisclosure,
  authorizedTerms,
} from './loan-terms.ts'

export interface AuthorizationFacts {
  offer: string
  listing: string
  expiresAt: string
  borrower: string
  settlementAccount: string
  lender: string
  fundingAccount: string
  pledge: {
    document: string
    issuerNumber: string
    balanceDue: bigint
    currency: string
    dueDate: string
  }
  terms: LoanTerms
  disclosure: Disclosure
  notice: string
  /** How many near twins of the invoice there are. */
  nearTwins: number
}

/** What the sweep may do, and nothing else. */
export const authority = {
  amount: 'min(proceeds,amount_owed)',
  attempts_per_settlement: 1,
  credit: 'lender.funding_account_id',
  debit: 'borrower.settlement_account_id',
  ends: 'amount_owed_zero_or_agreement_closed',
  rail: 'same_as_trigger',
  trigger: 'pledged_invoice_settled',
}

/** The canonical text. Version 2 adds the disclosure, the notice and the warning of duplicates. */
export const standingAuthorization = (facts: AuthorizationFacts): string =>
  canonicalIntegerJson({
    authority,
    borrower: {
      organization_id: encodeId('org', facts.borrower),
      settlement_account_id: encodeId('acct', facts.settlementAccount),
    },
    disclosure: authorizedDisclosure(facts.disclosure),
    duplicate_warning: { matches: facts.nearTwins },
    expires_at: facts.expiresAt,
    lender: {
      funding_account_id: encodeId('acct', facts.fundingAccount),
      organization_id: encodeId('org', facts.lender),
    },
    listing_id: encodeId('lst', facts.listing),
    notice: facts.notice,
    offer_id: encodeId('ofr', facts.offer),
    pledge: {
      balance_due: minorText(facts.pledge.balanceDue),
      currency: facts.pledge.currency,
      document_id: encodeId('doc', facts.pledge.document),
      due_date: facts.pledge.dueDate,
      issuer_number: facts.pledge.issuerNumber,
    },
    terms: authorizedTerms(facts.terms),
    type: 'finance.standing_authorization',
    version: 2,
  })
