/**
 * Asks each rail which debits and returns it has notified, and applies those that did not arrive:
 * it gives up sending after some days, and an address that is not told of a kind of event never
 * hears of it. A debit that succeeds after its payment has failed is found by nothing else.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import type { NotifiedOf, Rail, RailEvent } from '../rails/rail.ts'
import { openDueWork } from './due-work.ts'
import { applyRailEvent } from './rail-events.ts'
import type { Task } from './runner.ts'

const dueWork = openDueWork('missed-rail-events')

export const applyMissedRailEvents: Task = {
  name: 'missed-rail-events',
  everyMs: limits.railEventsEveryMs,
  run: async (context) => {
    for (const rail of context.rails.values()) {
      await applyNotified(context, rail, 'returns')
      await applyNotified(context, rail, 'debits')
    }
    return false
  },
}

/**
 * Applies page by page, since the account of a rail may have many that are not about payments of
 * ours. Debits are many more than returns, so each kind has pages of its own. Applying one again
 * changes nothing, so a round that ends early loses nothing.
 */
const applyNotified = async (context: Context, rail: Rail, of: NotifiedOf): Promise<void> => {
  let page: RailEvent[] = []
  for (let asked = 0; asked < limits.railEventsMax; asked += limits.railEventsPerPage) {
    page = await rail.notified(of, page.at(-1)?.id)
    if (page.length === 0 || context.lifecycle() === 'draining') return
    await dueWork.perform(context, {
      limit: page.length,
      find: async () => page,
      keyOf: ({ id }) => id,
      run: async (event) => void (await applyRailEvent(context, rail.id, event)),
      inTurn: true,
    })
  }
}
