/**
 * One owner per data directory.
 * The lock is SQLite's exclusive lock on an empty file: the kernel drops it when the owner dies,
 * however it dies, and it holds between containers that share a volume. A file with a pid in it can
 * do neither.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { postmasterPid } from './orphaned-server.ts'

const sqliteBusy = 5

/** A lock that nobody refers to would be garbage, and collected garbage is closed. */
const heldLocks = new Set<DatabaseSync>()

/** Returns what unlocks it again. */
export function lockDataDirectory(root: string): () => void {
  const file = openExclusively(root)
  heldLocks.add(file)
  // Only for the message: who holds the lock is the lock's own matter.
  writeFileSync(ownerFile(root), `${process.pid}\n`)
  return () => {
    if (!heldLocks.delete(file)) return
    rmSync(ownerFile(root), { force: true })
    file.close()
  }
}

const ownerFile = (root: string): string => join(root, 'service.pid')

function openExclusively(root: string): DatabaseSync {
  try {
    const file = new DatabaseSync(join(root, 'postgres.lock'), { timeout: 0 })
    // Memory, so that a kill leaves no journal beside the file.
    file.exec('pragma journal_mode = memory; begin exclusive')
    return file
  } catch (error) {
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
    if (!isBusy) throw new Error(`The data directory ${root} is not writable.`, { cause: error })
    throw new Error(`The data directory ${root} is in use by ${ownerOf(root)}.`, { cause: error })
  }
}

/** As far as it is known: the files may be a moment behind. */
function ownerOf(root: string): string {
  const owner = existsSync(ownerFile(root)) ? readFileSync(ownerFile(root), 'utf8').trim() : ''
  const service = owner === '' ? 'another process' : `another service, process ${owner}`
  const pid = postmasterPid(join(root, 'postgres'))
  return pid === undefined ? service : `${service} (its PostgreSQL is process ${pid})`
}
