/** Runs the sequencer: queued events become leaves of their log, and a checkpoint is signed. */
import { limits } from '../contract/limits.ts'
import { integrateUnlessWaiting } from '../changes/provenance/paced-integration.ts'
import type { Context } from '../context.ts'
import { encodeId } from '../core/ids.ts'
import { type LogId, logIds } from '../core/provenance/signed-notes.ts'
import { hasUnpublishedEvents } from '../store/provenance/transparency-log.ts'
import type { Task } from './runner.ts'

export const sequenceLogs: Task = {
  name: 'sequence-log',
  everyMs: limits.sequenceEveryMs,
  runsWhenRolledBack: true,
  run: async (context) => {
    let hasMore = false
    for (const id of logIds) hasMore = (await sequenceLog(context, id)) || hasMore
    return hasMore
  },
}

/** Returns true after a full batch, since there may be more. */
const sequenceLog = async (context: Context, id: LogId): Promise<boolean> => {
  const { database, keyring, log, metrics } = context
  if (keyring.history === null || !(await hasUnpublishedEvents(database.background, id)))
    return false
  const integrated = await integrateUnlessWaiting(context, id)
  if (integrated === undefined) return false
  const { dequeuedCount, rejected, isBusy } = integrated
  const byReason = Map.groupBy(rejected, ({ reason }) => reason)
  for (const [reason, rows] of byReason) {
    metrics.count('docex_log_refused_total', `log="${id}",reason="${reason}"`)
    const document = encodeId('doc', rows[0]!.document_id)
    const error = new Error(`the queue has rows that this service did not write: ${reason}`)
    log.error({ error, log: id, reason, count: rows.length, document }, 'log_refused_events')
  }
  return !isBusy && dequeuedCount === limits.logBatchMaxLeaves
}
