/**
 * One owner per data directory.
 * The lock is SQLite's exclusive lock on an empty file: the kernel drops it when the owner dies, however
 * it dies, and it holds between containers that share a volume. A file with a pid in it can do neither.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { postmasterPid } from './leftover.ts'

const sqliteBusy = 5

/** A lock that nobody refers to would be garbage, and collected garbage is closed. */
const held = new Set<DatabaseSync>()

/** Returns what unlocks it again. */
export function lockDirectory(root: string): () => void {
  const file = new DatabaseSync(join(root, 'postgres.lock'), { timeout: 0 })
  try {
    file.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    file.close()
    if (!(error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy)) throw error
    const pid = postmasterPid(join(root, 'postgres'))
    const server = pid === undefined ? '' : ` (its PostgreSQL is process ${pid})`
    throw new Error(`The data directory ${root} is in use by another process${server}.`, {
      cause: error,
    })
  }
  held.add(file)
  return () => {
    if (held.delete(file)) file.close()
  }
}
