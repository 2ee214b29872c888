/**
 * Files that only their owner can read. Whoever reads one sees the whole old or the whole new
 * content, and processes that change one do so one after the other.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CredentialsError, UsageError } from './failures.ts'

/** Undefined when there is no such file. One that others can read is refused, as by ssh. */
export const readPrivate = (file: string): string | undefined => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new CredentialsError(`Others can read ${file}: run chmod 600 ${file}`)
  }
  return readFileSync(file, 'utf8')
}

/** The object in a file; undefined if somebody has damaged it. */
export const parsedPrivate = <T extends object>(
  text: string,
  isValid: (value: Partial<T>) => boolean,
): T | undefined => {
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) && isValid(value as Partial<T>) ? (value as T) : undefined
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Writes what `change` makes of the content, which no other process changes meanwhile. */
export const changePrivate = async (
  file: string,
  change: (text: string | undefined) => unknown,
): Promise<void> => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const release = await lockOf(file)
  try {
    writePrivate(file, change(readPrivate(file)))
  } finally {
    release()
  }
}

const writePrivate = (file: string, value: unknown): void => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

/** A change takes milliseconds: whoever holds a lock for longer was killed. */
const holderMaxMs = 5_000
const waitMaxMs = 30_000
const retryMs = 10

/** What a folder that is not empty, or, on Windows, one that is there, answers. */
const codesOfLock = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES']

/**
 * The lock is a folder with one entry, which names its holder. A folder is renamed only onto one
 * that is empty or not there, so one process gets it. And whoever removes the entry of a holder
 * that was killed cannot remove that of its successor, which has another name.
 */
const lockOf = async (file: string): Promise<() => void> => {
  const lock = `${file}.lock`
  const holder = `${process.pid}-${randomBytes(6).toString('hex')}`
  const draft = `${lock}.${holder}`
  mkdirSync(draft, { mode: 0o700 })
  for (const endsAt = performance.now() + waitMaxMs; performance.now() < endsAt;) {
    writeFileSync(join(draft, holder), '')
    const { mtimeMs: now } = statSync(join(draft, holder))
    const isLocked = isDone(() => renameSync(draft, lock), codesOfLock)
    if (isLocked) return () => removeHolder(lock, holder)
    for (const other of entriesOf(lock)) {
      const since = statSync(join(lock, other), { throwIfNoEntry: false })?.mtimeMs ?? now
      if (now - since > holderMaxMs) removeHolder(lock, other)
    }
    await sleep(retryMs)
  }
  rmSync(draft, { recursive: true })
  throw new UsageError(`Other processes keep ${file} locked: remove ${lock} if there are none.`)
}

/** The folder of the lock goes, too, unless the next holder has it already. */
const removeHolder = (lock: string, holder: string): void => {
  rmSync(join(lock, holder), { force: true })
  isDone(() => rmdirSync(lock), ['ENOENT', ...codesOfLock])
}

const entriesOf = (folder: string): string[] => {
  let entries: string[] = []
  isDone(() => (entries = readdirSync(folder)), ['ENOENT'])
  return entries
}

/** False if it failed in a way that another process causes. */
const isDone = (act: () => unknown, codes: readonly string[]): boolean => {
  try {
    act()
    return true
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
