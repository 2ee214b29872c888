/** Plays the steps of a demo counterparty as lender, debtor or borrower (domain 6). */
import { Refusal } from '../../contract/errors.ts'
import { addDays, startOfDay } from '../../core/dates.ts'
import { financeOf } from '../../core/finance/document-finance.ts'
import { flagAfterOf } from '../../core/finance/loan-terms.ts'
import { type DemoLoanStep, counterTerms, lateDays } from '../../core/sandbox/demo-loans.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { acceptOffer } from '../finance/accept-offer.ts'
import { followLoan } from '../finance/follow-loan.ts'
import type { ListingRow } from '../../core/finance/finance-views.ts'
import { loanOf } from '../finance/loan-facts.ts'
import { referencedRow } from '../finance/referenced-rows.ts'
import { createOffer, endOffer } from '../finance/offers.ts'
import { organizationClockMs } from '../organization-clock.ts'
import { payDocument } from '../payments/initiate-payment.ts'
import { type DemoLoan, stepsOf } from './demo-loan-scripts.ts'

/** What a step needs besides the rows that it locks. */
export interface DemoLoanFacts {
  /** Connects the demo counterparty and the borrower; undefined for its own listing. */
  connection: string | undefined
}

/** Plays the step that is due. One that the rules refuse is not tried again. */
export const playDemoLoan = (
  change: ChangeContext,
  script: DemoLoan,
  facts: DemoLoanFacts,
): void => {
  const { unit } = change
  const listing = referencedRow(unit, 'finance_listings', script.listing_id)
  // When the clock jumps, every step still runs at the time it was due.
  const due = Date.parse(script.due_at ?? unit.now)
  unit.lateMs = Math.max(0, organizationClockMs(unit, script.organization_id) - due)
  const steps = stepsOf(script)
  const step = steps[script.step]
  const isDone = step !== undefined && tryStep(change, { script, listing, facts }, step)
  const next = steps[script.step + 1]
  unit.save('demo_loans', {
    ...script,
    step: isDone ? script.step + 1 : script.step,
    due_at: isDone && next !== undefined ? dueDateOf(next, listing) : null,
  })
}

/** When a step is due by itself; null for one that waits for the other side. */
const dueDateOf = ({ after }: DemoLoanStep, listing: ListingRow): string | null => {
  if (after === 'the due date') return startOfDay(listing.due_date)
  if (after !== 'the days of grace') return null
  return startOfDay(addDays(flagAfterOf(listing), lateDays))
}

interface Situation {
  script: DemoLoan
  listing: ListingRow
  facts: DemoLoanFacts
}

const tryStep = (change: ChangeContext, situation: Situation, step: DemoLoanStep): boolean => {
  try {
    return play(change, situation, step)
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Returns whether there was anything to do. */
const play = (change: ChangeContext, situation: Situation, step: DemoLoanStep): boolean => {
  if (step.does === 'offers') return offer(change, situation, step.kind)
  if (step.does === 'funds') return fund(change, situation)
  if (step.does === 'pays the invoice') return payInvoice(change, situation)
  return answerOffer(change, situation, step.does)
}

const offer = (
  change: ChangeContext,
  { script, listing, facts }: Situation,
  kind: 'at_ask' | 'counter',
): boolean => {
  const connection = connectionOf(change, facts.connection)
  if (connection === undefined) return false
  const terms = kind === 'counter' ? { terms: counterTerms(listing) } : {}
  createOffer(change, {
    lender: script.organization_id,
    listing,
    connection,
    body: { kind, ...terms },
  })
  return true
}

const connectionOf = (
  { unit }: ChangeContext,
  id: string | undefined,
): Rows['connections'] | undefined => (id === undefined ? undefined : unit.get('connections', id))

/** The lender pays the disbursement, if it was its offer that was accepted. */
const fund = (change: ChangeContext, { script, listing }: Situation): boolean => {
  const { unit } = change
  const parts = financeOf(unit.get('documents', listing.document_id)!).loan
  if (parts === null) return false
  const { agreement, disbursement } = loanOf(unit, parts)
  const isOwn =
    agreement.listing_id === listing.id && agreement.lender_id === script.organization_id
  if (!isOwn) return false
  followLoan(change, payDocument(change, disbursement, 'counterparty', {}))
  return true
}

const payInvoice = (change: ChangeContext, { script, listing }: Situation): boolean => {
  const invoice: DocumentRow = change.unit.get('documents', listing.document_id)!
  if (invoice.counterparty_id !== script.organization_id) return false
  followLoan(change, payDocument(change, invoice, 'counterparty', {}))
  return true
}

/** The borrower accepts or declines the newest offer. */
const answerOffer = (
  change: ChangeContext,
  { listing }: Situation,
  does: 'accepts' | 'declines',
): boolean => {
  const { unit } = change
  const open = unit.find(
    'finance_offers',
    ({ listing_id, status }) => listing_id === listing.id && status === 'open',
  )
  const newest = open.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]
  if (newest === undefined) return false
  if (does === 'declines') {
    endOffer(change, newest, 'declined')
    return true
  }
  const { connection_id } = newest
  if (!unit.isNamed('connections', connection_id)) unit.needRows({ connections: [connection_id] })
  const connection = unit.get('connections', connection_id)!
  const digest = newest.authorization_digest
  acceptOffer(change, { offer: newest, connection, digest, isLenderConnected: true })
  return true
}
