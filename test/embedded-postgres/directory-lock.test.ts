/** The lock of a data directory between processes. */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { lockDataDirectory } from '../../src/embedded-postgres/directory-lock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const processes: ChildProcess[] = []
after(() => processes.forEach((child) => child.kill()))

/** Starts a process that tries to lock the directory; `tried` is what came of it. */
const startAttempt = async (directory: string): Promise<{ tried: Promise<string> }> => {
  const child = fork(new URL('../support/processes/lock-process.ts', import.meta.url))
  processes.push(child)
  await once(child, 'message')
  const reply = once(child, 'message') as Promise<[string]>
  child.send(directory)
  return { tried: reply.then(([outcome]) => outcome) }
}

const lockIn = async (directory: string): Promise<string> => (await startAttempt(directory)).tried

test('a process has the lock until it ends, and another one is refused', async () => {
  const directory = temporaryFolder()
  assert.equal(await lockIn(directory), 'locked')
  assert.equal(await lockIn(directory), 'refused')
})

test('an attempt that meets another one asks again, so that not both are refused', async () => {
  const directory = temporaryFolder()
  const other = new DatabaseSync(join(directory, 'postgres.lock'))
  // What SQLite holds between the two steps of taking an exclusive lock.
  other.exec('begin; select * from sqlite_schema')
  const { tried } = await startAttempt(directory)
  // Whoever does not ask again is refused long before this.
  await Promise.race([tried, setTimeout(100)])
  other.exec('rollback')
  other.close()
  assert.equal(await tried, 'locked')
})

test('a full file system is said to be that, with the directory', async () => {
  const directory = temporaryFolder()
  // Linux has a file on which no byte fits.
  symlinkSync('/dev/full', join(directory, 'service.pid'))
  assert.throws(() => lockDataDirectory(directory), {
    message: `The data directory ${directory} has no room left: ENOSPC: no space left on device, write`,
  })
})

test('a file that cannot be written for another reason is not said to be a full file system', () => {
  const directory = temporaryFolder()
  const file = join(directory, 'service.pid')
  symlinkSync(join(directory, 'nowhere/service.pid'), file)
  assert.throws(() => lockDataDirectory(directory), {
    message: `The data directory ${directory} is not writable: ENOENT: no such file or directory, open '${file}'`,
  })
})
