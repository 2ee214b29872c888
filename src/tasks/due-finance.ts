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
import { type DueWork, openDueWork } from './due-work.ts'
import { performAsSystem } from './system-write.ts'
import type { Task } from './runner.ts'

const dueWork = {
  offers: openDueWork('due-finance'),
  listings: openDueWork('due-finance'),
  agreements: openDueWork('due-finance'),
}

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

interface KindOfWork {
  dueWork: DueWork
  /** What ends first comes first. */
  find(organizations: readonly string[] | undefined, most: number): Promise<ScheduledWork[]>
}

const kindsOfWork = ({ database: { background: db } }: Context): KindOfWork[] => [
  {
    dueWork: dueWork.offers,
    find: async (of, most) => (await lapsedFinanceOffers(db, most, of)).map(offerWork),
  },
  {
    dueWork: dueWork.listings,
    find: async (of, most) => (await listingsToEnd(db, most, of)).map(listingWork),
  },
  {
    dueWork: dueWork.agreements,
    find: async (of, most) => (await dueAgreements(db, most, of)).map(agreementWork),
  },
]

export const findDueFinance: FindScheduledWork = async (context, organizations) => {
  const most = limits.scheduledWorkRowsPerRound
  const due = await Promise.all(kindsOfWork(context).map(({ find }) => find(organizations, most)))
  return due.flat()
}

export const advanceDueFinance: Task = {
  name: 'due-finance',
  everyMs: limits.financeDueEveryMs,
  run: async (context) => {
    const rounds = kindsOfWork(context).map(({ dueWork: ofKind, find }) =>
      ofKind.perform(context, {
        limit: limits.scheduledWorkRowsPerRound,
        find: (most) => find(undefined, most),
        keyOf: ({ key }) => key,
        run: (work) => work.run(context),
      }),
    )
    return (await Promise.all(rounds)).includes(true)
  },
}
