/** What went wrong with the database, and what a caller is told of it. */
import { type Refusal, refuse } from '../contract/errors.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable, databaseError } from '../database/sql.ts'

export const isOutage = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || error instanceof CommitOutcomeUnknown

/** A lock or a statement that was not done in time, or a deadlock: nothing was kept. */
const transientCodes = ['55P03', '57014', '40P01', '53300']

/** Whether a later attempt may well succeed: the caller is told so, and that nothing is lost. */
export const isTransient = (error: unknown): boolean =>
  isOutage(error) || transientCodes.includes(databaseError(error)?.code ?? '')

/**
 * With the same Idempotency-Key a retry is safe in either case: it finds the effect or makes it.
 */
export const unavailableRefusal = (error: unknown): Refusal =>
  refuse(
    'service_unavailable',
    error instanceof CommitOutcomeUnknown
      ? 'The outcome of this request is not known. Send it again with the same Idempotency-Key: it takes effect once.'
      : 'The database is not reachable right now. Send the same request with the same Idempotency-Key again.',
    undefined,
    { retryAfterSeconds: 1 },
  )
