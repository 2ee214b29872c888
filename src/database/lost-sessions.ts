/** SQLSTATEs after which a connection is given up, since its session cannot go on. */

/** The server ended it, or became a standby, so the statement has no result. */
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
