/**
 * Integrates a log for the sequencer's timer and for exports that wait for it. If it cannot be
 * signed, both leave it and its witnesses alone for a while, longer after each failure.
 */
import { randomFraction } from '../../database/new-ids.ts'
import { isOutage } from '../../database/outages.ts'
import { databaseError } from '../../database/sql.ts'
import type { LogId } from '../../core/provenance/signed-notes.ts'
import type { AlarmDependencies } from './integrity-failure.ts'
import { type IntegrationResult, type SequencerDependencies, integrate } from './sequencer.ts'

export type PacedDependencies = SequencerDependencies & Pick<AlarmDependencies, 'log' | 'metrics'>

/** Undefined if the log cannot be signed now. What fails in the database is left to the caller. */
export const integrateUnlessWaiting = async (
  dependencies: PacedDependencies,
  id: LogId,
): Promise<IntegrationResult | undefined> => {
  const { notary, log, metrics } = dependencies
  const { signingBackoff } = notary
  // Without its folder, the log has no origin.
  const { origin } = await notary.log(id).catch(() => ({ origin: id }))
  if (!signingBackoff.mayTry(origin)) return undefined
  try {
    const result = await integrate(dependencies, id)
    if (result.isBusy) signingBackoff.noteNothing(origin)
    else signingBackoff.noteSuccess(origin)
    return result
  } catch (error) {
    if (isOutage(error) || databaseError(error) !== undefined) {
      signingBackoff.noteNothing(origin)
      throw error
    }
    const retry_ms = signingBackoff.noteFailure(origin, randomFraction())
    metrics.count('docex_log_unsigned_total', `log="${id}"`)
    log.error({ error, log: id, retry_ms }, 'log_not_signed')
    return undefined
  }
}
