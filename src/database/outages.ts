/** Failures that say nothing of the rows concerned: the same statements may work later. */
import { MissingServerKey } from '../core/server-keys.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable, databaseError } from './sql.ts'

export const isOutage = (error: unknown): boolean =>
  [DatabaseUnavailable, CommitOutcomeUnknown, MissingServerKey].some(
    (kind) => error instanceof kind,
  )

/** PostgreSQL gave up waiting for a lock, or ended a circle of waits. */
export const isStillLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(databaseError(error)?.code ?? '')
