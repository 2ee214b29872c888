/** What fails because of the database as a whole, whichever rows it concerned. */
import { MissingServerKey } from '../core/server-keys.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable } from './sql.ts'

export const isOutage = (error: unknown): boolean =>
  [DatabaseUnavailable, CommitOutcomeUnknown, MissingServerKey].some(
    (kind) => error instanceof kind,
  )
