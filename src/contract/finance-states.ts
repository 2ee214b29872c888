/**
 * The states of listings, offers and agreements, and the moves between them, as tables (domain 5.2
 * and 5.4). The changes, the docs and the exhaustive tests all read them.
 */

export type FinanceActor = 'borrower' | 'lender' | 'system'

export interface FinanceMove {
  from: string
  to: string
  by: FinanceActor
  /** What brings it about. */
  when: string
}

const movesOf = (
  rows: readonly (readonly [string, string, FinanceActor, string])[],
): readonly FinanceMove[] => rows.map(([from, to, by, when]) => ({ from, to, by, when }))

export const listingStatuses = ['open', 'matched', 'withdrawn', 'expired', 'invalidated'] as const
export type ListingStatus = (typeof listingStatuses)[number]

export const listingMoves = movesOf([
  ['open', 'matched', 'borrower', 'one of its offers is accepted'],
  ['open', 'withdrawn', 'borrower', 'POST /v1/finance/listings/{id}/withdraw'],
  ['open', 'expired', 'system', "`expires_at` has passed by the borrower's clock"],
  ['open', 'invalidated', 'system', 'the invoice is no longer eligible, as after its due date'],
])

export const offerStatuses = [
  'open',
  'accepted',
  'declined',
  'withdrawn',
  'superseded',
  'expired',
  'lapsed',
] as const
export type OfferStatus =
  | 'open'
  | 'accepted'
  | 'declined'
  | 'withdrawn'
  | 'superseded'
  | 'expired'
  | 'lapsed'

export const offerMoves = movesOf([
  ['open', 'accepted', 'borrower', 'POST /v1/finance/offers/{id}/accept'],
  ['open', 'declined', 'borrower', 'POST /v1/finance/offers/{id}/decline'],
  ['open', 'withdrawn', 'lender', 'POST /v1/finance/offers/{id}/withdraw'],
  ['open', 'superseded', 'lender', 'the same lender makes another offer for the listing'],
  ['open', 'expired', 'system', "`expires_at` has passed by the lender's clock"],
  ['open', 'lapsed', 'system', 'the listing has ended'],
])

export const agreementStatuses = ['accepted', 'funded', 'flagged', 'repaid', 'closed'] as const
export type AgreementStatus = (typeof agreementStatuses)[number]

/** A flag with this cure stays until nothing is owed, whatever is under way meanwhile. */
export const everythingIsRepaid = 'everything is repaid'

/** Why an agreement is flagged, and what cures it (domain 5.4). */
export const flagCodes = {
  funding_overdue: {
    meaning: 'The funding deadline has passed without a settled disbursement.',
    cure: 'the disbursement settles',
  },
  repayment_overdue: { meaning: 'Something is owed after `flag_after`.', cure: everythingIsRepaid },
  sweep_shortfall: {
    meaning: 'The pledged invoice has settled, and what was swept does not cover what is owed.',
    cure: everythingIsRepaid,
  },
  sweep_failed: {
    meaning: 'The sweep has failed. It is not tried again.',
    cure: everythingIsRepaid,
  },
  collateral_disputed: {
    meaning: 'The pledged invoice is disputed.',
    cure: 'the dispute ends and the invoice is approved',
  },
  collateral_diluted: {
    meaning: 'Less is left to be paid on the pledged invoice than is owed.',
    cure: 'no more is owed than is left',
  },
  proceeds_returned: {
    meaning: 'The payment of the pledged invoice was returned while something is owed.',
    cure: 'the invoice is paid again, or everything is repaid',
  },
  disbursement_returned: {
    meaning: 'The disbursement was returned.',
    cure: 'the disbursement settles again',
  },
  repayment_returned: { meaning: 'A repayment or a sweep was returned.', cure: everythingIsRepaid },
} as const satisfies Record<string, { meaning: string; cure: string }>

export type FlagCode = keyof typeof flagCodes

export const flagCodeNames = Object.keys(flagCodes) as readonly FlagCode[]

export const closedReasons = ['repaid', 'withdrawn', 'collateral_settled'] as const
export type ClosedReason = (typeof closedReasons)[number]
