/**
 * Removes files whose attachment was never committed. The row that the commit would need is marked
 * as abandoned first, so an attachment never loses its file; and nothing is removed until the
 * history of its document proves that it has no such attachment (docs/decisions/0183).
 */
import {
  IntegrityFailure,
  failureOfSeal,
  hasNewServerKey,
  raiseIntegrityAlarm,
} from '../changes/provenance/integrity-failure.ts'
import { checkUnattached, isOfOlderProcess } from '../changes/provenance/unattached-files.ts'
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { databaseNow } from '../database/database-clock.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import {
  type PendingFileRow,
  abandonPendingFiles,
  deletePendingFile,
} from '../store/documents/pending-files.ts'
import type { Task } from './runner.ts'
import { later } from '../core/dates.ts'

export const purgeOrphanedFiles: Task = {
  name: 'purge-orphaned-files',
  everyMs: limits.purgeEveryMs,
  run: async (context) => {
    const { background } = context.database
    const now = await databaseNow(background)
    const before = later(now, -limits.pendingFileMaxAgeMs)
    const rows = await abandonPendingFiles(background, before, limits.pendingFilesPerRound)
    let finished = 0
    for (const row of rows) {
      const verdict = await verdictOn(context, row)
      if (verdict === 'undecided') continue
      if (verdict === 'unattached') await context.fileStore.remove(row.id)
      await deletePendingFile(background, row.id)
      finished += 1
    }
    return finished === limits.pendingFilesPerRound
  },
}

/** A file that is kept stays in the store for good; one that is undecided is looked at again. */
type Verdict = 'unattached' | 'kept' | 'undecided'

const verdictOn = async (context: Context, row: PendingFileRow): Promise<Verdict> => {
  try {
    await checkUnattached(context, row)
    if (!isOfOlderProcess(row)) return 'unattached'
    context.log.info({ file: row.id }, 'unattached_file_kept')
    return 'kept'
  } catch (error) {
    const failure = error instanceof BrokenSeal ? failureOfSeal(error) : error
    if (!(failure instanceof IntegrityFailure)) throw error
    if (await hasNewServerKey(context)) return 'undecided'
    if (!failure.isOnHold && !failure.isTransient) await raiseIntegrityAlarm(context, failure)
    return error instanceof BrokenSeal ? 'kept' : 'undecided'
  }
}
