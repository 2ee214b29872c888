/** The next steps of the sandbox's played counterparties; all at once on a clock advance. */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { playStep } from '../changes/sandbox/demo-counterparty.ts'
import { type DueScript, dueScripts, pendingScripts } from '../store/sandbox/demo-steps.ts'
import { decideAsSystem } from './system-write.ts'
import type { FindDue } from './scheduled-work.ts'
import type { Task } from './runner.ts'

const play = (context: Context, { document_id: id, organization_id }: DueScript): Promise<void> =>
  decideAsSystem(context, organization_id, { documents: [id], payments: [id] }, (change) => {
    const script = change.world.get('demo_scripts', id)
    const document = change.world.get('documents', id)
    if (script === undefined || script.due_at === null || document === undefined) return
    playStep(change, script, document)
  })

export const demoPlays: Task = {
  name: 'demo-plays',
  everyMs: limits.dueEveryMs,
  run: async (context) => {
    const due = await dueScripts(context.database.read, limits.dueRowsPerRound)
    await Promise.all(due.map((script) => play(context, script)))
    return due.length === limits.dueRowsPerRound
  },
}

/** All steps of some organizations, whenever: those that come later are taken at once. */
export const findSteps: FindDue = async ({ database }, organizations) => {
  const pending = await pendingScripts(database.read, organizations)
  return pending.map((script) => ({
    at: Date.parse(script.due_at),
    name: script.document_id,
    run: (context) => play(context, script),
  }))
}
