/** What a server says before a connection is given up, since its session cannot go on. */

/** SQLSTATEs: the server ended it, or became a standby, so the statement has no result. */
const ended = ['57P01', '57P02', '57P03', '57P05', '25P03', '25P04', '25006']

/** A connection pooler has lost the server, or the server an outcome. */
const connectionExceptions = '08'

/**
 * The table of a prepared statement has other columns since, as after the migration of a newer
 * process: only another session can run it.
 */
const planIsOld = '0A000'

export const endsSession = (code: string): boolean =>
  ended.includes(code) || code.startsWith(connectionExceptions) || code === planIsOld

/** SQLSTATE of warnings that have none of their own. */
const warning = '01000'

/** The routine of PostgreSQL that waits for synchronous standbys: texts may be translated. */
const standbyWait = 'SyncRepWaitForLSN'

/**
 * Whether a warning says that a synchronous standby may lack the transaction. Others have another
 * reason, such as a trigger of the operator, unless something on the way left the routine out.
 */
export const doubtsStandby = ({
  code,
  routine,
}: {
  code?: string | undefined
  routine?: string | undefined
}): boolean => code === warning && (routine ?? standbyWait) === standbyWait
