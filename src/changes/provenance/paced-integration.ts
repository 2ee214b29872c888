/**
 * Integrates a log for the sequencer's timer and for exports that wait for it. If it cannot be
 * signed, both leave it and its witnesses alone for a while, longer after each failure.
 */
import { limits } from '../../contract/limits.ts'
import { randomFraction } from '../../database/new-ids.ts'
import { isOutage } from '../../database/outages.ts'
import { databaseError } from '../../database/sql.ts'
import type { LogId } from '../../core/provenance/signed-notes.ts'
import { leafCount } from '../../store/provenance/transparency-log.ts'
import type { AlarmDependencies } from './integrity-failure.ts'
import { type IntegrationResult, type SequencerDependencies, integrate } from './sequencer.ts'

export type PacedDependencies = SequencerDependencies & Pick<AlarmDependencies, 'log' | 'metrics'>

/** Undefined if the log cannot be signed now. What fails in the database is left to the caller. */
export const integrateUnlessWaiting = async (
  dependencies: PacedDependencies,
  id: LogId,
): Promise<IntegrationResult | undefined> => {
  const { notary } = dependencies
  const { signingBackoff } = notary
  // Without its folder, the log has no origin.
  const { origin } = await notary.log(id).catch(() => ({ origin: id }))
  if (!signingBackoff.mayTry(origin)) return undefined
  try {
    const result = await integrate(dependencies, id)
    if (result.isBusy) await noteLocked(dependencies, id, origin)
    else signingBackoff.noteSuccess(origin)
    return result
  } catch (error) {
    if (isOutage(error) || databaseError(error) !== undefined) {
      signingBackoff.noteNothing(origin)
      throw error
    }
    const retry_ms = signingBackoff.noteFailure(origin, randomFraction())
    raiseAlarm(dependencies, { error, log: id, retry_ms })
    return undefined
  }
}

/** Any role of the database can take the lock, and keep it: then nothing is logged any more. */
const noteLocked = async (
  dependencies: PacedDependencies,
  id: LogId,
  origin: string,
): Promise<void> => {
  const { database, notary } = dependencies
  const leaves = await database.transaction((tx) => leafCount(tx, id))
  if (!notary.signingBackoff.noteLocked(origin, leaves)) return
  const error = new Error('another session holds the lock of the log, which does not grow')
  raiseAlarm(dependencies, { error, log: id, retry_ms: limits.sequenceEveryMs })
}

interface UnsignedLog {
  error: unknown
  log: LogId
  retry_ms: number
}

const raiseAlarm = ({ log, metrics }: PacedDependencies, unsigned: UnsignedLog): void => {
  metrics.count('docex_log_unsigned_total', `log="${unsigned.log}"`)
  log.error(unsigned, 'log_not_signed')
}
