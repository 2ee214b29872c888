/**
 * The borrower accepts an offer (domain 5.4): in one transaction the listing is matched, the other
 * offers lapse, the invoice is pledged, and the agreement begins with its three documents.
 */
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { isSameDigest } from '../../core/consent-digest.ts'
import { dayMs } from '../../core/dates.ts'
import type { LoanParts } from '../../core/finance/document-finance.ts'
import {
  type AgreementRow,
  type ListingRow,
  type OfferRow,
  collateralText,
} from '../../core/finance/finance-views.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { parseMinor } from '../../core/money.ts'
import type { Rows } from '../../database/rows.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { changeTime } from '../organization-counters.ts'
import { organizationClockMs } from '../organization-clock.ts'
import { wakeDemoLoan } from '../sandbox/demo-loan-scripts.ts'
import { borrowerSetup, checkInvoice, isStillEligible, lends, notConnected } from './eligibility.ts'
import { endListing, isOpen, listingNotOpen } from './listings.ts'
import { requireAcceptanceApproval } from './loan-approval.ts'
import { referencedRow } from './referenced-rows.ts'
import { type NewLoanDocuments, createLoanDocuments } from './new-loan.ts'
import { offerNotOpen } from './offers.ts'
import { savePledgeRows } from './pledges.ts'
import { unpledgedFingerprints } from './receivables.ts'

export interface Acceptance {
  offer: OfferRow
  connection: Rows['connections']
  digest: string
  /** To the payment processor, where the money is not simulated. */
  isLenderConnected: boolean
}

export interface AcceptedLoan {
  agreement: AgreementRow
  documents: NewLoanDocuments
}

export const acceptOffer = (change: ChangeContext, input: Acceptance): AcceptedLoan => {
  const { unit } = change
  const { offer, connection, digest, isLenderConnected } = input
  const listing = referencedRow(unit, 'finance_listings', offer.listing_id)
  const invoice = unit.get('documents', offer.document_id)!
  borrowerSetup(unit, offer.borrower_id)
  if (!lends(unit, offer.lender_id) || !isLenderConnected) {
    throw offerNotOpen(offer, 'The lender cannot lend at present.')
  }
  if (connection.status !== 'active') throw notConnected()
  if (!isOpen(unit, listing)) throw listingNotOpen(listing)
  checkInvoice(unit, invoice, offer.borrower_id, { isListed: true })
  if (!isStillEligible(unit, invoice, offer)) {
    throw listingNotOpen(listing, 'The invoice no longer covers the principal.')
  }
  if (!isSameDigest(digest, offer.authorization_digest)) throw digestMismatch(offer)
  const fingerprints = unpledgedFingerprints(unit, invoice)
  requireAcceptanceApproval(change, offer, listing)

  // From here the change must succeed.
  const parties = [offer.borrower_id, offer.lender_id, invoice.counterparty_id]
  const at = changeTime(unit, parties)
  const loan: LoanParts = {
    agreement: unit.newId(),
    documents: { agreement: unit.newId(), disbursement: unit.newId(), repayment: unit.newId() },
    invoice: invoice.id,
  }
  endListing(change, listing, 'matched', offer)
  const authorized = JSON.parse(offer.authorization_text) as AuthorizedFacts
  const credited = creditedAtOffer(authorized, invoice)
  const isDiluted = credited < invoice.amount_credited
  const agreement = newAgreement(unit, { offer, authorized, listing, invoice, loan, at, isDiluted })
  unit.save('finance_agreements', agreement)
  savePledgeRows(unit, { agreement: agreement.id, invoice, fingerprints, at })
  wakeDemoLoan(change, listing.id, 'the acceptance')
  const begun = { offer, connection, fingerprints, credited, agreement, loan, at }
  return { agreement, documents: createLoanDocuments(change, begun) }
}

const digestMismatch = (offer: OfferRow): Error =>
  refuse(
    'conflict',
    'The digest is not that of the offer: read standing_authorization of the offer, and accept what it says.',
    { reason: 'authorization_digest_mismatch', offer_id: encodeId('ofr', offer.id) },
  )

/** What an acceptance needs of the standing authorization. */
interface AuthorizedFacts {
  borrower: { settlement_account_id: string }
  lender: { funding_account_id: string }
  pledge: { balance_due: string }
}

/** The lender has signed what was left to be paid then; nothing of it was paid since. */
const creditedAtOffer = (
  { pledge }: AuthorizedFacts,
  { total, amount_paid }: DocumentRow,
): bigint => total - amount_paid - parseMinor(Number(pledge.balance_due))!

interface AgreementFacts {
  offer: OfferRow
  authorized: AuthorizedFacts
  listing: ListingRow
  invoice: DocumentRow
  loan: LoanParts
  at: string
  /** By a credit note since the offer. */
  isDiluted: boolean
}

const newAgreement = (
  unit: UnitOfWork,
  { offer, authorized, listing, invoice, loan, at, isDiluted }: AgreementFacts,
): AgreementRow => {
  const { borrower, lender } = authorized
  const nowMs = organizationClockMs(unit, offer.lender_id)
  const funding_deadline = new Date(nowMs + limits.fundingDays * dayMs).toISOString()
  return {
    id: loan.agreement,
    mode: offer.mode,
    offer_id: offer.id,
    listing_id: offer.listing_id,
    connection_id: offer.connection_id,
    borrower_id: offer.borrower_id,
    lender_id: offer.lender_id,
    debtor_id: listing.debtor_id,
    invoice_id: invoice.id,
    agreement_document: loan.documents.agreement,
    disbursement_document: loan.documents.disbursement,
    repayment_document: loan.documents.repayment,
    currency: offer.currency,
    principal: offer.principal,
    fee_type: offer.fee_type,
    fee_value: offer.fee_value,
    grace_days: offer.grace_days,
    due_date: offer.due_date,
    notice: listing.notice,
    settlement_account: decodeId('acct', borrower.settlement_account_id)!,
    funding_account: decodeId('acct', lender.funding_account_id)!,
    authorization_digest: offer.authorization_digest,
    accepted_at: at,
    funding_deadline,
    status: 'accepted',
    is_funded: false,
    amount_owed: 0n,
    amount_repaid: 0n,
    collateral: collateralText(invoice),
    flags: '[]',
    trigger_payment_id: null,
    closed_reason: null,
    // The flag is raised within a round of the task, and mostly before the lender pays.
    due_at: isDiluted ? new Date(nowMs).toISOString() : funding_deadline,
    due_by: offer.lender_id,
    funded_at: null,
    repaid_at: null,
    closed_at: null,
    updated_at: at,
  }
}
