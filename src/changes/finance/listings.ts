/** Listings: creating and ending them, together with their offers (domain 5.2). */
import assert from 'node:assert/strict'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import { type ListingStatus, listingMoves, offerMoves } from '../../contract/finance-states.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { ListingCreate } from '../../contract/shapes/finance.ts'
import { addDays, dayMs } from '../../core/dates.ts'
import { financeOf, serializeFinance } from '../../core/finance/document-finance.ts'
import { type ListingRow, type OfferRow, collateralText } from '../../core/finance/finance-views.ts'
import { fingerprintsOf, receivableOf } from '../../core/finance/twins.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { checkTakesMore } from '../documents/transitions.ts'
import { changeTime } from '../organization-counters.ts'
import { organizationClockMs } from '../organization-clock.ts'
import { consumeQuotas, releaseQuota } from '../quotas.ts'
import { borrowerSetup, checkInvoice, checkPrincipal } from './eligibility.ts'
import { referencedRow } from './referenced-rows.ts'
import { unpledgedFingerprints } from './receivables.ts'
import { requestedTerms, termsProblems } from './requested-terms.ts'
import { checkListing, openOffersOf } from './open-offers.ts'

/** A span in days, by an organization's clock. */
export interface ExpirySpan {
  nowMs: number
  defaultDays: number
  maxDays: number
}

/** When it expires: as requested, or after the default span. */
export const expiryOf = (
  requested: string | undefined,
  { nowMs, defaultDays, maxDays }: ExpirySpan,
): string => {
  if (requested === undefined) return new Date(nowMs + defaultDays * dayMs).toISOString()
  // A date means the start of that day, in UTC.
  const at = Date.parse(requested)
  const last = new Date(nowMs + maxDays * dayMs).toISOString()
  if (at > nowMs && at <= Date.parse(last)) return new Date(at).toISOString()
  throw invalidRequest({
    param: '/expires_at',
    code: 'out_of_range',
    message: `Must be after ${new Date(nowMs).toISOString()} and not after ${last}.`,
    fix: `leave it out for ${defaultDays} days, or send a time up to ${last}`,
  })
}

export const listingProblems = ({ terms }: Partial<ListingCreate>): Problem[] =>
  terms === undefined ? [] : termsProblems(terms)

export const createListing = (
  change: ChangeContext,
  borrower: string,
  invoice: DocumentRow,
  body: ListingCreate,
): ListingRow => {
  const { unit } = change
  borrowerSetup(unit, borrower)
  checkInvoice(unit, invoice, borrower, { isListed: false })
  const terms = requestedTerms(body.terms, invoice)
  checkPrincipal(invoice, terms)
  checkScenario(unit, borrower, body)
  unpledgedFingerprints(unit, invoice)
  checkTakesMore(invoice.head_seq, 'listing')
  const expires_at = expiryOf(body.expires_at, {
    nowMs: organizationClockMs(unit, borrower),
    defaultDays: limits.listingDefaultDays,
    maxDays: limits.listingMaxDays,
  })
  consumeQuotas(change, borrower, ['open_listings'])

  // From here the change must succeed.
  const at = changeTime(unit, [borrower])
  const receivable = receivableOf(invoice)
  const listing: ListingRow = {
    id: unit.newId(),
    mode: invoice.mode,
    borrower_id: borrower,
    debtor_id: invoice.counterparty_id,
    document_id: invoice.id,
    status: 'open',
    ...terms,
    notice: body.notice ?? 'undisclosed',
    fingerprint: fingerprintsOf(receivable)[0]!,
    reference: receivable.reference,
    invoice_total: receivable.total,
    invoice_date: receivable.date,
    collateral: collateralText(invoice),
    sandbox_scenario: body.sandbox_scenario ?? null,
    expires_at,
    created_at: at,
    updated_at: at,
    open_offers: '[]',
  }
  unit.save('finance_listings', listing)
  const finance = serializeFinance({ ...financeOf(invoice), listing: listing.id })
  unit.save('documents', { ...invoice, finance })
  return listing
}

const checkScenario = (unit: UnitOfWork, borrower: string, body: ListingCreate): void => {
  if (body.sandbox_scenario === undefined) return
  if (unit.get('organizations', borrower)!.mode === 'test') return
  throw invalidRequest({
    param: '/sandbox_scenario',
    code: 'invalid_value',
    message: 'Only a sandbox plays scenarios.',
    fix: 'leave sandbox_scenario out',
  })
}

/** The open listing as its borrower withdraws it; refuses a lender, and one that has ended. */
export const openListingOf = (unit: UnitOfWork, organization: string, id: string): ListingRow => {
  const listing = referencedRow(unit, 'finance_listings', id)
  if (listing.borrower_id !== organization) {
    throw refuse('conflict', 'Only the borrower withdraws a listing.', {
      reason: 'illegal_transition',
      allowed: [],
      from: listing.status,
      to: 'withdrawn',
      side: 'lender',
    })
  }
  if (!isOpen(unit, listing)) throw listingNotOpen(listing)
  return listing
}

/**
 * When an open listing ends by its borrower's clock, and how: the invoice secures nothing any more
 * after its due date. store/finance/listings.ts finds those that end.
 */
const endOf = ({
  expires_at,
  due_date,
}: ListingRow): { atMs: number; to: 'expired' | 'invalidated' } => {
  const expiresMs = Date.parse(expires_at)
  const overdueMs = Date.parse(addDays(due_date, 1))
  return overdueMs < expiresMs
    ? { atMs: overdueMs, to: 'invalidated' }
    : { atMs: expiresMs, to: 'expired' }
}

/** False also for one that has expired but is not ended yet. Throws BrokenSeal for an old row. */
export const isOpen = (unit: UnitOfWork, listing: ListingRow): boolean => {
  checkListing(unit, listing)
  const { status, borrower_id } = listing
  return status === 'open' && endOf(listing).atMs > organizationClockMs(unit, borrower_id)
}

export const listingNotOpen = (listing: ListingRow, why?: string): Error => {
  const { status } = listing
  return refuse(
    'conflict',
    why ?? `The listing is ${status === 'open' ? endOf(listing).to : status}.`,
    { reason: 'listing_not_open', from: status },
  )
}

/** Ends a listing; its open offers lapse, except the accepted one. */
export const endListing = (
  change: ChangeContext,
  listing: ListingRow,
  to: Exclude<ListingStatus, 'open'>,
  accepted?: OfferRow,
): ListingRow => {
  const { unit } = change
  assert(
    listingMoves.some((move) => move.from === listing.status && move.to === to),
    `a listing does not move from ${listing.status} to ${to}`,
  )
  const offers = openOffersOf(unit, listing)
  const lenders = offers.map(({ lender_id }) => lender_id)
  const updated_at = changeTime(unit, [listing.borrower_id, ...new Set(lenders)])
  for (const offer of offers) {
    moveOffer(unit, offer, offer.id === accepted?.id ? 'accepted' : 'lapsed', updated_at)
  }
  const invoice = unit.get('documents', listing.document_id)!
  const finance = serializeFinance({ ...financeOf(invoice), listing: null })
  unit.save('documents', { ...invoice, finance })
  releaseQuota(change, listing.borrower_id, 'open_listings')
  const collateral = collateralText(invoice)
  const ended = { ...listing, status: to, collateral, updated_at, open_offers: '[]' }
  unit.save('finance_listings', ended)
  return ended
}

export const moveOffer = (
  unit: UnitOfWork,
  offer: OfferRow,
  to: OfferRow['status'],
  updated_at: string,
): OfferRow => {
  assert(
    offerMoves.some((move) => move.from === offer.status && move.to === to),
    `an offer does not move from ${offer.status} to ${to}`,
  )
  const moved = { ...offer, status: to, updated_at }
  unit.save('finance_offers', moved)
  return moved
}

/** Ends a listing that has expired by its borrower's clock. */
export const endDueListing = (change: ChangeContext, id: string): void => {
  const listing = change.unit.get('finance_listings', id)
  if (listing?.status !== 'open' || isOpen(change.unit, listing)) return
  endListing(change, listing, endOf(listing).to)
}
