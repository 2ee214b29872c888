/** A change that nobody asked for, through the same engine as every other. */
import type { Change } from '../changes/acting-caller.ts'
import { changeBySystem } from '../changes/acting-system.ts'
import type { Context } from '../context.ts'
import type { Needs } from '../engine/write-request.ts'
import { newId } from '../database/new-ids.ts'

export const decideAsSystem = async (
  context: Context,
  organization: string,
  needs: Needs,
  decide: (change: Change) => void,
): Promise<void> => {
  const requestId = newId()
  const outcome = await context.engine.perform({
    organization,
    requestId,
    dryRun: false,
    bytes: 0,
    write: {
      kind: 'decided',
      needs,
      decide: (world) => {
        decide(changeBySystem(world, requestId, context))
        return { status: 200, body: '' }
      },
    },
  })
  // Nothing is lost: what is due stays due.
  if (outcome.kind === 'refused') throw outcome.refusal
}
