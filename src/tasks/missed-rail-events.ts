/**
 * Asks each rail which returns it has notified, and applies those that did not arrive: it gives up
 * sending after some days, and an address that is not told of a kind of event never hears of it.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import type { Rail } from '../rails/rail.ts'
import { openDueWork } from './due-work.ts'
import { applyRailEvent } from './rail-events.ts'
import type { Task } from './runner.ts'

const dueWork = openDueWork('missed-rail-events')

export const applyMissedRailEvents: Task = {
  name: 'missed-rail-events',
  everyMs: limits.railEventsEveryMs,
  run: async (context) => {
    for (const rail of context.rails.values()) await applyReturns(context, rail)
    return false
  },
}

/** Applying one again changes nothing. */
const applyReturns = (context: Context, rail: Rail): Promise<boolean> =>
  dueWork.perform(context, {
    limit: limits.railEventsMax,
    find: () => rail.notifiedReturns(),
    keyOf: ({ id }) => id,
    run: async (event) => (await applyRailEvent(context, rail.id, event)) === 'applied',
    inTurn: true,
  })
