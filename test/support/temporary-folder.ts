/**
 * Temporary folders of this process, in memory where the system has room there: the files of
 * PostgreSQL are most of what tests write. A watchdog removes them, however the process ends.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, realpathSync, statfsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryFolder = '/dev/shm'
const memoryMinBytes = 4 * 1024 ** 3

const parentFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    return bavail * bsize >= memoryMinBytes ? memoryFolder : tmpdir()
  } catch {
    return tmpdir()
  }
}

const root = realpathSync(mkdtempSync(join(parentFolder(), 'docex-')))
// Other accounts must be able to reach the folders that a test gives to them.
chmodSync(root, 0o711)

// The pipe to the shell closes when this process ends, even by kill -9. A server that is still
// stopping may then add a file to its folder, so the shell retries.
const script = 'read line; for i in 1 2 3 4 5 6 7 8 9; do rm -rf "$1" && exit; sleep 1; done'
const watchdog = spawn('sh', ['-c', script, 'sh', root], {
  detached: true,
  stdio: ['pipe', 'ignore', 'ignore'],
})
watchdog.unref()
;(watchdog.stdin as Socket).unref()

export const temporaryFolder = (): string => mkdtempSync(join(root, 'folder-'))
