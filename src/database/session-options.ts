/** The settings of every session of the service, which precede those of its role and database. */
import { limits } from '../contract/limits.ts'

export const sessionOptions = [
  'timezone=UTC',
  // Of the tables, and of functions such as clock_timestamp(), a setting of the role or database
  // would otherwise find those in another schema.
  'search_path=public,pg_temp',
  'datestyle=ISO',
  'bytea_output=hex',
  // No statement runs long enough to be worth compiling, and up to PostgreSQL 17 the cost penalty
  // of enable_seqscan=off would trigger compilation.
  'jit=off',
  `statement_timeout=${limits.statementTimeoutMs}`,
  `lock_timeout=${limits.lockTimeoutMs}`,
  `idle_in_transaction_session_timeout=${limits.idleInTransactionTimeoutMs}`,
  `client_connection_check_interval=${limits.clientGoneCheckMs}`,
]
  .map((option) => `-c ${option}`)
  .join(' ')
