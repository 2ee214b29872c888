/** Performs a change on behalf of the system, through the same engine as any other write. */
import type { ChangeContext } from '../changes/change-context.ts'
import { systemChangeContext } from '../changes/system-change-context.ts'
import type { Context } from '../context.ts'
import type { RowsToLock } from '../engine/rows-to-lock.ts'
import { newId } from '../database/new-ids.ts'

export const performAsSystem = async (
  context: Context,
  organization: string,
  rowsToLock: RowsToLock,
  decide: (change: ChangeContext) => void,
): Promise<void> => {
  const requestId = newId()
  const outcome = await context.engine.perform({
    organization,
    requestId,
    dryRun: false,
    inputBytes: 0,
    write: {
      kind: 'batched',
      rowsToLock,
      decide: (unit) => {
        decide(systemChangeContext(unit, requestId, context))
        return { status: 200, body: '' }
      },
    },
  })
  // Nothing is lost: due work stays due.
  if (outcome.kind === 'refused') throw outcome.refusal
}
