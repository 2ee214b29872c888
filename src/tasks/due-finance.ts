/**
 * What falls due in loans: listings and offers end, and agreements meet their deadlines, each by
 * the clock of whom it concerns. Each is decided again under its locks, so running twice changes
 * nothing twice.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { followLoan } from '../changes/finance/follow-loan.ts'
import { endDueListing } from '../changes/finance/listings.ts'
import { expireFinanceOffer } from '../changes/finance/offers.ts'
import { type DueAgreement, dueAgreements } from '../store/finance/agreements.ts'
import { type DueListing, listingsToEnd } from '../store/finance/listings.ts'
import { type DueOffer, lapsedFinanceOffers } from '../store/finance/offers.ts'
import type { FindScheduledWork, ScheduledWork } from './scheduled-work.ts'
import { performAsSystem } from './system-write.ts'
import type { Task } from './runner.ts'

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

/** The due work of some organizations, or of all. */
const dueWork = async (
  { database }: Context,
  organizations?: readonly string[],
): Promise<ScheduledWork[]> => {
  const [db, most] = [database.background, limits.scheduledWorkRowsPerRound]
  const [listings, offers, agreements] = await Promise.all([
    listingsToEnd(db, most, organizations),
    lapsedFinanceOffers(db, most, organizations),
    dueAgreements(db, most, organizations),
  ])
  return [...offers.map(offerWork), ...listings.map(listingWork), ...agreements.map(agreementWork)]
}

export const findDueFinance: FindScheduledWork = dueWork

export const advanceDueFinance: Task = {
  name: 'finance-due',
  everyMs: limits.financeDueEveryMs,
  run: async (context) => {
    const due = await dueWork(context)
    await Promise.all(due.map((work) => work.run(context)))
    return due.length >= limits.scheduledWorkRowsPerRound
  },
}
