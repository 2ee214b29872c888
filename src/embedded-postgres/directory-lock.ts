/**
 * Ensures that a data directory has one owner.
 * The lock is SQLite's exclusive lock on an empty file: the kernel releases it however the owner
 * dies, and it also works between containers that share a volume. A pid file can do neither.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { postmasterPid } from './orphaned-server.ts'

const sqliteBusy = 5

/** Two that ask at the same moment may each hold what the other needs: both ask again. */
const lockWaitMs = 250

/** Keeps the locks reachable: garbage collection would close, and so release, them. */
const heldLocks = new Set<DatabaseSync>()

/** Returns a function that releases the lock. */
export function lockDataDirectory(root: string): () => void {
  const file = openExclusively(root)
  heldLocks.add(file)
  const unlock = () => {
    if (!heldLocks.delete(file)) return
    rmSync(ownerFile(root), { force: true })
    file.close()
  }
  try {
    // This file only serves error messages; the lock itself decides who owns the directory.
    writeFileSync(ownerFile(root), `${process.pid}\n`)
  } catch (error) {
    unlock()
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'ENOSPC' || code === 'EDQUOT' ? 'has no room left' : 'is not writable'
    throw new Error(`The data directory ${root} ${problem}: ${message}`, { cause: error })
  }
  return unlock
}

const ownerFile = (root: string): string => join(root, 'service.pid')

function openExclusively(root: string): DatabaseSync {
  try {
    const file = new DatabaseSync(join(root, 'postgres.lock'), { timeout: lockWaitMs })
    // The journal stays in memory, so that a kill leaves no journal file behind.
    file.exec('pragma journal_mode = memory; begin exclusive')
    return file
  } catch (error) {
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
    if (!isBusy) throw new Error(`The data directory ${root} is not writable.`, { cause: error })
    throw new Error(`The data directory ${root} is in use by ${ownerOf(root)}.`, { cause: error })
  }
}

/** Best effort: the files may lag behind the lock. */
function ownerOf(root: string): string {
  const owner = existsSync(ownerFile(root)) ? readFileSync(ownerFile(root), 'utf8').trim() : ''
  const service = owner === '' ? 'another process' : `another service, process ${owner}`
  const pid = postmasterPid(join(root, 'postgres'))
  return pid === undefined ? service : `${service} (its PostgreSQL is process ${pid})`
}
