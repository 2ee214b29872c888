/**
 * What falls due in loans: listings and offers end, and agreements meet their deadlines, each by
 * the clock of whom it concerns. Each is decided again under its locks, so running twice changes
 * nothing twice.
 */
import { limits } from '../contract/limits.ts'
import { followLoan } from '../changes/finance/follow-loan.ts'
import { endDueListing } from '../changes/finance/listings.ts'
import { expireFinanceOffer } from '../changes/finance/offers.ts'
import { type DueAgreement, dueAgreements } from '../store/finance/agreements.ts'
import { type DueListing, listingsToEnd } from '../store/finance/listings.ts'
import { type DueOffer, lapsedFinanceOffers } from '../store/finance/offers.ts'
import { type ScheduledWork, scheduledTask } from './scheduled-work.ts'
import { performAsSystem } from './system-write.ts'

const listingWork = (due: DueListing): ScheduledWork => ({
  dueAtMs: Date.parse(due.ends_at),
  key: due.id,
  run: (context) =>
    performAsSystem(
      context,
      due.borrower_id,
      { documents: [due.document_id], listings: [due.id] },
      (change) => endDueListing(change, due.id),
    ),
})

const offerWork = (due: DueOffer): ScheduledWork => ({
  dueAtMs: Date.parse(due.expires_at),
  key: due.id,
  run: (context) =>
    performAsSystem(
      context,
      due.lender_id,
      { documents: [due.document_id], listings: [due.listing_id] },
      (change) => expireFinanceOffer(change, due.id),
    ),
})

const agreementWork = (due: DueAgreement): ScheduledWork => ({
  dueAtMs: Date.parse(due.due_at),
  key: due.id,
  run: (context) =>
    performAsSystem(context, due.due_by, { documents: [due.agreement_document] }, (change) => {
      const document = change.unit.get('documents', due.agreement_document)
      if (document !== undefined) followLoan(change, document)
    }),
})

export const advanceDueFinance = scheduledTask({
  name: 'due-finance',
  everyMs: limits.financeDueEveryMs,
  limit: limits.scheduledWorkRowsPerRound,
  searches: [
    async ({ database: { background } }, request) =>
      (await lapsedFinanceOffers(background, request)).map(offerWork),
    async ({ database: { background } }, request) =>
      (await listingsToEnd(background, request)).map(listingWork),
    async ({ database: { background } }, request) =>
      (await dueAgreements(background, request)).map(agreementWork),
  ],
})
