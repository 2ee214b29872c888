/** Plays the due steps of demo counterparties in loans. */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { isStillDue } from '../changes/organization-clock.ts'
import { type DemoLoanFacts, playDemoLoan } from '../changes/sandbox/play-demo-loan.ts'
import { listingById } from '../store/finance/listings.ts'
import { openConnectionBetween } from '../store/identity/connections.ts'
import { type DueDemoLoan, dueDemoLoans } from '../store/sandbox/demo-loans.ts'
import { openDueWork } from './due-work.ts'
import { performAsSystem } from './system-write.ts'
import type { FindScheduledWork } from './scheduled-work.ts'
import type { Task } from './runner.ts'

const dueWork = openDueWork('demo-loans')

const playDueLoan = async (
  context: Context,
  { listing_id: id, organization_id: demo }: DueDemoLoan,
): Promise<void> => {
  const db = context.database.background
  const listing = await listingById(db, id)
  const { document_id: invoice, borrower_id: borrower } = listing
  const [a, b] = [borrower, demo].toSorted()
  const connection = borrower === demo ? undefined : await openConnectionBetween(db, a!, b!)
  const connections = connection === undefined ? [] : [connection.id]
  const facts: DemoLoanFacts = { connection: connection?.id }
  const rows = {
    documents: [invoice],
    paymentsOfDocuments: [invoice],
    listings: [id],
    similarTo: [listing],
    connections,
    counters: [demo, borrower],
    setups: [demo, borrower],
    accountsOfOrganizations: [demo, borrower],
    receivables: [invoice],
  }
  await performAsSystem(context, demo, rows, (change) => {
    const script = change.unit.get('demo_loans', id)
    if (script === undefined || !isStillDue(change.unit, demo, script.due_at)) return
    playDemoLoan(change, script, facts)
  })
}

export const playDemoLoans: Task = {
  name: 'demo-loans',
  everyMs: limits.scheduledWorkEveryMs,
  run: (context) =>
    dueWork.perform(context, {
      limit: limits.scheduledWorkRowsPerRound,
      find: (most) => dueDemoLoans(context.database.background, most),
      keyOf: (script) => script.listing_id,
      run: (script) => playDueLoan(context, script),
    }),
}

/** The due steps of some organizations. */
export const findDemoLoanSteps: FindScheduledWork = async ({ database }, organizations) => {
  const due = await dueDemoLoans(
    database.background,
    limits.scheduledWorkRowsPerRound,
    organizations,
  )
  return due.map((script) => ({
    dueAtMs: Date.parse(script.due_at),
    key: script.listing_id,
    run: (context) => playDueLoan(context, script),
  }))
}
