/** Plays the due steps of demo counterparties. */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { followLoan } from '../changes/finance/follow-loan.ts'
import { isStillDue } from '../changes/organization-clock.ts'
import { runDemoStep } from '../changes/sandbox/demo-counterparty.ts'
import { type DueScript, dueScripts } from '../store/sandbox/demo-scripts.ts'
import { performAsSystem } from './system-write.ts'
import { scheduledTask } from './scheduled-work.ts'

const playDueStep = (context: Context, { id, organization_id }: DueScript): Promise<void> =>
  performAsSystem(
    context,
    organization_id,
    { documents: [id], paymentsOfDocuments: [id] },
    (change) => {
      const script = change.unit.get('demo_scripts', id)
      const document = change.unit.get('documents', id)
      if (script === undefined || document === undefined) return
      if (!isStillDue(change.unit, organization_id, script.due_at)) return
      runDemoStep(change, script, document)
      followLoan(change, change.unit.get('documents', id)!)
    },
  )

export const playDemoSteps = scheduledTask({
  name: 'demo-counterparty',
  everyMs: limits.scheduledWorkEveryMs,
  limit: limits.scheduledWorkRowsPerRound,
  searches: [
    async ({ database }, request) =>
      (await dueScripts(database.background, 'demo_scripts', request)).map((script) => ({
        dueAtMs: Date.parse(script.due_at),
        key: script.id,
        run: (context) => playDueStep(context, script),
      })),
  ],
})
