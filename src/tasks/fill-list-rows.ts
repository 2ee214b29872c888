/**
 * Fills what a process of an older version has left empty in the list rows that it wrote after the
 * migration that added the columns (docs/decisions/0157). Such a row is found by neither its
 * currency nor its due date, and contradicts its document when that is verified.
 */
import { limits } from '../contract/limits.ts'
import { fillListRows } from '../store/documents/unfilled-list-rows.ts'
import type { Task } from './runner.ts'

export const fillUnfilledListRows: Task = {
  name: 'fill-list-rows',
  everyMs: limits.purgeEveryMs,
  run: async ({ database, log }) => {
    const filled = await database.transaction((tx) =>
      fillListRows(tx, limits.listRowsFilledPerRound),
    )
    if (filled.length > 0) log.info({ documents: filled.length }, 'list_rows_filled')
    return filled.length > 0
  },
}
