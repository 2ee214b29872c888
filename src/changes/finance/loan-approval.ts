/** The approval of an offer, and of its acceptance: each binds its party to pay. */
import type { ListingRow, OfferRow } from '../../core/finance/finance-views.ts'
import { type LoanTerms, totalRepayableOf } from '../../core/finance/loan-terms.ts'
import type { ApprovalSubject } from '../../core/approvals/approval-statement.ts'
import { encodeId } from '../../core/ids.ts'
import { minorText } from '../../core/money.ts'
import { requireApproval } from '../approvals/required-approval.ts'
import type { ChangeContext } from '../change-context.ts'
import { todayOf } from '../organization-clock.ts'

export const listingSubject = ({ id, updated_at }: ListingRow): ApprovalSubject => ({
  listing: { id: encodeId('lst', id), updated_at },
})

/** The listing moves with the balance of its invoice, and the offer never does. */
export const offerSubject = (
  { id, updated_at }: OfferRow,
  listing: ListingRow,
): ApprovalSubject => ({
  offer: { id: encodeId('ofr', id), updated_at },
  ...listingSubject(listing),
})

/** The lender will pay the principal. */
export const requireOfferApproval = (
  change: ChangeContext,
  listing: ListingRow,
  { lender, terms, connection }: { lender: string; terms: LoanTerms; connection: string },
): void => {
  const { principal: amount, currency } = terms
  requireApproval(change, {
    amount,
    currency,
    uncounted: amount,
    payee: listing.borrower_id,
    subject: listingSubject(listing),
    document_type: null,
    connection_id: connection,
    day: todayOf(change.unit, lender),
    summary: `Offer to lend ${minorText(amount)} ${currency} to ${nameOf(change, listing.borrower_id)}`,
  })
}

/** The borrower will repay all of it. */
export const requireAcceptanceApproval = (
  change: ChangeContext,
  offer: OfferRow,
  listing: ListingRow,
): void => {
  const { currency, lender_id: payee } = offer
  const amount = totalRepayableOf(offer)
  requireApproval(change, {
    amount,
    currency,
    uncounted: amount,
    payee,
    subject: offerSubject(offer, listing),
    document_type: null,
    connection_id: offer.connection_id,
    day: todayOf(change.unit, offer.borrower_id),
    summary: `Borrow ${minorText(offer.principal)} ${currency} from ${nameOf(change, payee)}, to repay ${minorText(amount)}`,
  })
}

const nameOf = ({ unit }: ChangeContext, organization: string): string =>
  unit.get('organizations', organization)?.name ?? encodeId('org', organization)
