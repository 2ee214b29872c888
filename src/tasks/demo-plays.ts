/** The next steps of the sandbox's played counterparties; all at once on a clock advance. */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { playStep } from '../changes/demo.ts'
import { type DueScript, dueScripts, pendingScripts } from '../store/demo.ts'
import { decideAsSystem } from './decide.ts'
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

export const runDemoPlays = async (
  context: Context,
  organizations: readonly string[],
): Promise<boolean> => {
  const pending = await pendingScripts(context.database.read, organizations)
  for (const script of pending) await play(context, script)
  return pending.length > 0
}
