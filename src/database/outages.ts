/** What fails because of the database as a whole, or of another transaction, and may be repeated. */
import { MissingServerKey } from '../core/server-keys.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable, databaseError } from './sql.ts'

export const isOutage = (error: unknown): boolean =>
  [DatabaseUnavailable, CommitOutcomeUnknown, MissingServerKey].some(
    (kind) => error instanceof kind,
  )

/** PostgreSQL gave up waiting for a lock, or ended a circle of waits. */
export const isStillLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(databaseError(error)?.code ?? '')
