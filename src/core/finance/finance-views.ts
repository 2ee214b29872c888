/** Listings, offers and agreements as their parties read them (domain 5.2). */
import type { Agreement } from '../../contract/shapes/finance-agreements.ts'
import type { Listing, Offer } from '../../contract/shapes/finance.ts'
import type { Rows } from '../../database/rows.ts'
import { balanceDue } from '../documents/projection.ts'
import type { DocumentRecord } from '../documents/document-record.ts'
import { encodeId } from '../ids.ts'
import { fromMinor } from '../money.ts'
import { type RaisedFlag, shownFlag } from './loan-flags.ts'
import { commonTerms, projectTerms } from './loan-terms.ts'

export type ListingRow = Rows['finance_listings']
export type OfferRow = Rows['finance_offers']
export type AgreementRow = Rows['finance_agreements']

type CollateralView = Listing['collateral']

const roleOf = (row: { borrower_id: string }, viewer: string): 'borrower' | 'lender' =>
  row.borrower_id === viewer ? 'borrower' : 'lender'

/**
 * What a lender may see of an invoice, as listings and agreements store it. One whose payment has
 * settled is paid, though its document shows that a moment later: a pledge may end before.
 */
export const collateralText = (
  invoice: Pick<
    DocumentRecord,
    'type' | 'total' | 'amount_paid' | 'amount_credited' | 'due_date' | 'status'
  > & { currency: string },
): string => {
  const { currency, due_date, status } = invoice
  const balance = balanceDue(invoice)
  return JSON.stringify({
    currency,
    balance_due: fromMinor(balance),
    due_date,
    status: status === 'payment_scheduled' && balance === 0n ? 'paid' : status,
  })
}

export const parseCollateral = (text: string): CollateralView => JSON.parse(text) as CollateralView

const partyOf = (id: string, name: string) => ({ organization_id: encodeId('org', id), name })

export const projectListing = (
  listing: ListingRow,
  viewer: string,
  { borrowerName, nearTwins }: { borrowerName: string; nearTwins: number },
): Listing => {
  const role = roleOf(listing, viewer)
  return {
    id: encodeId('lst', listing.id),
    role,
    status: listing.status as Listing['status'],
    borrower: partyOf(listing.borrower_id, borrowerName),
    ...(role === 'borrower' ? { document_id: encodeId('doc', listing.document_id) } : {}),
    collateral: parseCollateral(listing.collateral),
    terms: projectTerms(listing),
    notice: listing.notice as Listing['notice'],
    duplicate_warning: { matches: nearTwins },
    expires_at: listing.expires_at,
    created_at: listing.created_at,
    updated_at: listing.updated_at,
  }
}

/** The disclosure that the borrower authorizes, with numbers in the place of decimal texts. */
const frozenDisclosure = ({ authorization_text: text }: OfferRow): Offer['disclosure'] => {
  const { disclosure } = JSON.parse(text) as { disclosure: Record<string, string | number> }
  const amount = (name: string) => Number(disclosure[name])
  return {
    amount_provided: amount('amount_provided'),
    finance_charge: amount('finance_charge'),
    total_repayable: amount('total_repayable'),
    term_days: amount('term_days'),
    annualized_cost: amount('annualized_cost'),
    ...commonTerms,
  }
}

export const projectOffer = (
  offer: OfferRow,
  viewer: string,
  { borrowerName, lenderName }: { borrowerName: string; lenderName: string },
): Offer => ({
  id: encodeId('ofr', offer.id),
  listing_id: encodeId('lst', offer.listing_id),
  role: roleOf(offer, viewer),
  kind: offer.kind as Offer['kind'],
  status: offer.status as Offer['status'],
  lender: partyOf(offer.lender_id, lenderName),
  borrower: partyOf(offer.borrower_id, borrowerName),
  terms: projectTerms(offer),
  disclosure: frozenDisclosure(offer),
  standing_authorization: {
    digest: offer.authorization_digest,
    document: JSON.parse(offer.authorization_text) as object,
  },
  expires_at: offer.expires_at,
  created_at: offer.created_at,
  updated_at: offer.updated_at,
})

export const flagsOf = ({ flags }: Pick<AgreementRow, 'flags'>): RaisedFlag[] =>
  JSON.parse(flags) as RaisedFlag[]

export const projectAgreement = (agreement: AgreementRow, viewer: string): Agreement => {
  const role = roleOf(agreement, viewer)
  return {
    id: encodeId('agr', agreement.id),
    status: agreement.status as Agreement['status'],
    role,
    offer_id: encodeId('ofr', agreement.offer_id),
    listing_id: encodeId('lst', agreement.listing_id),
    connection_id: encodeId('con', agreement.connection_id),
    ...(role === 'borrower' ? { pledged_document_id: encodeId('doc', agreement.invoice_id) } : {}),
    pledge: parseCollateral(agreement.collateral),
    documents: {
      agreement_id: encodeId('doc', agreement.agreement_document),
      disbursement_id: encodeId('doc', agreement.disbursement_document),
      repayment_id: encodeId('doc', agreement.repayment_document),
    },
    terms: projectTerms(agreement),
    notice: agreement.notice as Agreement['notice'],
    amount_owed: fromMinor(agreement.amount_owed),
    amount_repaid: fromMinor(agreement.amount_repaid),
    flag: shownFlag(flagsOf(agreement)),
    closed_reason: agreement.closed_reason as Agreement['closed_reason'],
    authorization_digest: agreement.authorization_digest,
    accepted_at: agreement.accepted_at,
    funding_deadline: agreement.funding_deadline,
    funded_at: agreement.funded_at,
    repaid_at: agreement.repaid_at,
    closed_at: agreement.closed_at,
    updated_at: agreement.updated_at,
  }
}
