/** Plays the due steps of demo counterparties. */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { followLoan } from '../changes/finance/follow-loan.ts'
import { isStillDue } from '../changes/organization-clock.ts'
import { runDemoStep } from '../changes/sandbox/demo-counterparty.ts'
import { type DueDemoScript, dueDemoScripts } from '../store/sandbox/demo-scripts.ts'
import { openDueWork } from './due-work.ts'
import { performAsSystem } from './system-write.ts'
import type { FindScheduledWork } from './scheduled-work.ts'
import type { Task } from './runner.ts'

const dueWork = openDueWork('demo-counterparty')

const playDueStep = (
  context: Context,
  { document_id: id, organization_id }: DueDemoScript,
): Promise<void> =>
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

export const playDemoSteps: Task = {
  name: 'demo-counterparty',
  everyMs: limits.scheduledWorkEveryMs,
  run: (context) =>
    dueWork.perform(context, {
      limit: limits.scheduledWorkRowsPerRound,
      find: (most) => dueDemoScripts(context.database.background, most),
      keyOf: (script) => script.document_id,
      run: (script) => playDueStep(context, script),
    }),
}

/** The due steps of some organizations. */
export const findDemoSteps: FindScheduledWork = async ({ database }, organizations) => {
  const due = await dueDemoScripts(
    database.background,
    limits.scheduledWorkRowsPerRound,
    organizations,
  )
  return due.map((script) => ({
    dueAtMs: Date.parse(script.due_at),
    key: script.document_id,
    run: (context) => playDueStep(context, script),
  }))
}
