/**
 * Begins to count the rows of organizations that an older version has created, which do not say how
 * many they have (docs/decisions/0213). The first round of a process counts nothing: a process of
 * the older version that still runs beside it would add and remove rows without counting them.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import { recountRows, uncountedOrganizations } from '../store/identity/row-counts.ts'
import type { Task } from './runner.ts'

const started = new WeakSet<Context>()

export const countUncountedRows: Task = {
  name: 'count-rows',
  everyMs: limits.countRowsEveryMs,
  run: async (context) => {
    if (!started.has(context)) {
      started.add(context)
      return false
    }
    const ids = await uncountedOrganizations(context.database.background, limits.countRowsPerRound)
    let counted = 0
    for (const id of ids) if (await countRowsOf(context, id)) counted += 1
    if (counted > 0) context.log.info({ organizations: counted }, 'rows_counted')
    return counted === limits.countRowsPerRound
  },
}

/** Returns false for one that cannot be believed, which keeps no other from its turn. */
const countRowsOf = async (context: Context, id: string): Promise<boolean> => {
  try {
    await context.database.transaction((tx) => recountRows(tx, id))
    return true
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error
    await context.refuseBrokenSeal(error)
    return false
  }
}
