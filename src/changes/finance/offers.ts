/** Offers for listings (domain 5.2). An offer never changes; another one supersedes it. */
import { invalidRequest, notFound, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { OfferCreate } from '../../contract/shapes/finance.ts'
import {
  type ListingRow,
  type OfferRow,
  projectListing,
  projectOffer,
} from '../../core/finance/finance-views.ts'
import { consentDigest } from '../../core/consent-digest.ts'
import { dayMs } from '../../core/dates.ts'
import { type LoanTerms, disclosureOf } from '../../core/finance/loan-terms.ts'
import { standingAuthorization } from '../../core/finance/standing-authorization.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import { encodeId } from '../../core/ids.ts'
import { minorText } from '../../core/money.ts'
import type { Rows } from '../../database/rows.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { emitEvent } from '../events.ts'
import { changeTime } from '../organization-counters.ts'
import { organizationClockMs, todayOf } from '../organization-clock.ts'
import { accountByPurpose } from '../payments/payment-accounts.ts'
import { borrows, checkPrincipal, lenderSetup, notConnected } from './eligibility.ts'
import { wakeDemoLoan } from '../sandbox/demo-loan-scripts.ts'
import { expiryOf, isOpen, listingNotOpen, moveOffer } from './listings.ts'
import { referencedRow } from './referenced-rows.ts'
import { nearTwinsOf } from './receivables.ts'
import { checkListing, nameOpenOffers, openOffersOf } from './open-offers.ts'
import { requireOfferApproval } from './loan-approval.ts'
import { requestedTerms, termsProblems } from './requested-terms.ts'

export const offerProblems = ({ kind, terms }: OfferCreate): Problem[] => {
  if (kind === 'counter' && terms === undefined) {
    const fix = 'send terms, or kind: at_ask'
    return [{ param: '/terms', code: 'required', message: 'A counter has terms of its own.', fix }]
  }
  if (kind === 'at_ask' && terms !== undefined) {
    const message = 'An offer at the ask has the terms of the listing.'
    const fix = 'leave terms out, or send kind: counter'
    return [{ param: '/terms', code: 'invalid_value', message, fix }]
  }
  return terms === undefined ? [] : termsProblems(terms)
}

export interface OfferInput {
  lender: string
  listing: ListingRow
  connection: Rows['connections']
  body: OfferCreate
}

export const createOffer = (change: ChangeContext, input: OfferInput): OfferRow => {
  const { unit } = change
  const { lender, listing, connection, body } = input
  const { borrower_id: borrower } = listing
  const setup = lenderSetup(unit, lender)
  if (connection.status !== 'active') throw notConnected()
  if (!isOpen(unit, listing)) throw listingNotOpen(listing)
  if (!borrows(unit, borrower)) throw listingNotOpen(listing, 'The borrower no longer borrows.')
  const invoice = unit.get('documents', listing.document_id)!
  const terms: LoanTerms =
    body.terms === undefined ? termsOf(listing) : requestedTerms(body.terms, invoice)
  checkPrincipal(invoice, terms)
  checkOwnMaximum(setup, terms)
  const [superseded, others] = openOffers(unit, listing, lender)
  if (others >= limits.openOffersPerListingMax) throw listingNotOpen(listing, tooManyOffers)
  const nowMs = organizationClockMs(unit, lender)
  const leftDays = (Date.parse(listing.expires_at) - organizationClockMs(unit, borrower)) / dayMs
  const expires_at = expiryOf(body.expires_at, {
    nowMs,
    defaultDays: Math.min(limits.offerDefaultDays, leftDays),
    maxDays: leftDays,
  })
  requireOfferApproval(change, listing, { lender, terms, connection: connection.id })

  // From here the change must succeed.
  const at = changeTime(unit, [borrower, lender])
  if (superseded !== undefined) moveOffer(unit, superseded, 'superseded', at)
  const nearTwins = nearTwinsOf(unit, listing)
  const offer = frozenOffer(unit, input, { terms, invoice, nearTwins, expires_at, at })
  unit.save('finance_offers', offer)
  nameOpenOffers(unit, listing.id)
  tellBorrower(change, offer, { listing, invoice, nearTwins })
  wakeDemoLoan(change, listing.id, 'an offer')
  return offer
}

const tooManyOffers = `The listing has ${limits.openOffersPerListingMax} open offers: ask the borrower to decline one.`

const termsOf = (listing: ListingRow): LoanTerms => ({
  currency: listing.currency,
  principal: listing.principal,
  fee_type: listing.fee_type,
  fee_value: listing.fee_value,
  grace_days: listing.grace_days,
  due_date: listing.due_date,
})

const checkOwnMaximum = (
  { max_principal: most }: Rows['finance_setups'],
  { principal }: LoanTerms,
): void => {
  if (most === null || principal <= most) return
  throw invalidRequest({
    param: '/terms/principal',
    code: 'out_of_range',
    message: `The principal exceeds your max_principal of ${minorText(most)}.`,
    fix: `send at most ${minorText(most)}, or raise max_principal in PUT /v1/finance/setup`,
  })
}

/** The lender's own open offer, and how many others there are. */
const openOffers = (
  unit: UnitOfWork,
  listing: ListingRow,
  lender: string,
): [own: OfferRow | undefined, others: number] => {
  const open = openOffersOf(unit, listing)
  const own = open.find((offer) => offer.lender_id === lender)
  return [own, open.length - (own === undefined ? 0 : 1)]
}

interface OfferFacts {
  terms: LoanTerms
  invoice: DocumentRow
  /** Listings of similar invoices. */
  nearTwins: number
  expires_at: string
  at: string
}

/** The offer with its standing authorization, which never changes. */
const frozenOffer = (
  unit: UnitOfWork,
  { lender, listing, connection, body }: OfferInput,
  facts: OfferFacts,
): OfferRow => {
  const { terms, invoice, nearTwins, expires_at, at } = facts
  const { borrower_id: borrower } = listing
  const { currency } = terms
  const id = unit.newId()
  const authorization_text = standingAuthorization({
    offer: id,
    listing: listing.id,
    expiresAt: expires_at,
    borrower,
    settlementAccount: accountByPurpose(unit, borrower, currency, 'settlement').id,
    lender,
    fundingAccount: accountByPurpose(unit, lender, currency, 'funding').id,
    pledge: {
      document: invoice.id,
      issuerNumber: invoice.issuer_number,
      balanceDue: balanceDue(invoice),
      currency,
      dueDate: terms.due_date,
    },
    terms,
    disclosure: disclosureOf(terms, todayOf(unit, lender)),
    notice: listing.notice,
    nearTwins,
  })
  return {
    id,
    mode: listing.mode,
    listing_id: listing.id,
    connection_id: connection.id,
    borrower_id: borrower,
    lender_id: lender,
    document_id: invoice.id,
    kind: body.kind,
    status: 'open',
    ...terms,
    authorization_text,
    authorization_digest: consentDigest(authorization_text),
    expires_at,
    created_at: at,
    updated_at: at,
  }
}

const tellBorrower = (
  change: ChangeContext,
  offer: OfferRow,
  told: { listing: ListingRow; invoice: DocumentRow; nearTwins: number },
): void => {
  const { unit } = change
  const { listing, invoice, nearTwins } = told
  const nameOf = (id: string) => unit.get('organizations', id)!.name
  const borrowerName = nameOf(listing.borrower_id)
  const lenderName = nameOf(offer.lender_id)
  const { document } = emitEvent(change, invoice, 'issuer', {
    type: 'finance.offer.received',
    at: offer.created_at,
    extraText: (receiver) => {
      const shownOffer = projectOffer(offer, receiver, { borrowerName, lenderName })
      const shownListing = projectListing(listing, receiver, { borrowerName, nearTwins })
      return `"offer":${JSON.stringify(shownOffer)},"listing":${JSON.stringify(shownListing)}`
    },
  })
  unit.save('documents', { ...invoice, ...document })
}

/** The offer as one of its parties moves it; refuses another's, and one that is not open. */
export const openOfferOf = (
  unit: UnitOfWork,
  organization: string,
  id: string,
  { role, to }: { role: 'borrower' | 'lender'; to: 'accepted' | 'declined' | 'withdrawn' },
): OfferRow => {
  const offer = unit.get('finance_offers', id)
  if (offer === undefined || ![offer.borrower_id, offer.lender_id].includes(organization)) {
    throw notFound('offer', encodeId('ofr', id))
  }
  checkListing(unit, referencedRow(unit, 'finance_listings', offer.listing_id))
  if (offer[`${role}_id`] !== organization) {
    throw refuse('conflict', `Only the ${role} makes this move.`, {
      reason: 'illegal_transition',
      allowed: offer.status === 'open' ? allowedMoves[role] : [],
      from: offer.status,
      to,
      side: otherRole[role],
    })
  }
  if (!isOfferOpen(unit, offer)) throw offerNotOpen(offer)
  return offer
}

/** What the other role may do, by the role that a move needs. */
const allowedMoves = { borrower: ['withdrawn'], lender: ['accepted', 'declined'] } as const

const otherRole = { borrower: 'lender', lender: 'borrower' } as const

const isOfferOpen = (unit: UnitOfWork, { status, expires_at, lender_id }: OfferRow) =>
  status === 'open' && Date.parse(expires_at) > organizationClockMs(unit, lender_id)

export const offerNotOpen = ({ status }: OfferRow, why?: string): Error =>
  refuse('conflict', why ?? `The offer is ${status === 'open' ? 'expired' : status}.`, {
    reason: 'offer_not_open',
    from: status,
  })

/** Ends an open offer without its listing. */
export const endOffer = (
  { unit }: ChangeContext,
  offer: OfferRow,
  to: 'declined' | 'withdrawn' | 'expired',
): OfferRow => {
  const at = changeTime(unit, [offer.borrower_id, offer.lender_id])
  const ended = moveOffer(unit, offer, to, at)
  nameOpenOffers(unit, offer.listing_id)
  return ended
}

/** Ends an offer that has expired by its lender's clock. */
export const expireFinanceOffer = (change: ChangeContext, id: string): void => {
  const offer = change.unit.get('finance_offers', id)
  if (offer?.status !== 'open' || isOfferOpen(change.unit, offer)) return
  checkListing(change.unit, referencedRow(change.unit, 'finance_listings', offer.listing_id))
  endOffer(change, offer, 'expired')
}
