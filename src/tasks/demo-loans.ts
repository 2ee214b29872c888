/** Plays the due steps of demo counterparties in loans. */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { isStillDue } from '../changes/organization-clock.ts'
import { type DemoLoanFacts, playDemoLoan } from '../changes/sandbox/play-demo-loan.ts'
import { listingById } from '../store/finance/listings.ts'
import { openConnectionBetween } from '../store/identity/connections.ts'
import { type DueScript, dueScripts } from '../store/sandbox/demo-scripts.ts'
import { performAsSystem } from './system-write.ts'
import { scheduledTask } from './scheduled-work.ts'

const playDueLoan = async (
  context: Context,
  { id, organization_id: demo }: DueScript,
): Promise<void> => {
  const db = context.database.background
  const listing = await listingById(db, id)
  const { document_id: invoice, borrower_id: borrower } = listing
  const connection = borrower === demo ? undefined : await openConnectionBetween(db, borrower, demo)
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

export const playDemoLoans = scheduledTask({
  name: 'demo-loans',
  everyMs: limits.scheduledWorkEveryMs,
  limit: limits.scheduledWorkRowsPerRound,
  searches: [
    async ({ database }, request) =>
      (await dueScripts(database.background, 'demo_loans', request)).map((script) => ({
        dueAtMs: Date.parse(script.due_at),
        key: script.id,
        run: (context) => playDueLoan(context, script),
      })),
  ],
})
