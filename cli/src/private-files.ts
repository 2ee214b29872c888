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
import { basename, dirname, join } from 'node:path'
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
  signal: AbortSignal,
): Promise<void> => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const release = await lockOf(file, signal)
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
const codesOfLock = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY']

/**
 * The lock is a folder with one entry, which names its holder. A folder is renamed only onto one
 * that is empty, or, on Windows, where there is none, so one process gets it. And whoever removes
 * the entry of a holder that was killed cannot remove that of its successor, whose name is another.
 */
const lockOf = async (file: string, signal: AbortSignal): Promise<() => void> => {
  const lock = `${file}.lock`
  const holder = `${process.pid}-${randomBytes(6).toString('hex')}`
  for (const endsAt = performance.now() + waitMaxMs; performance.now() < endsAt;) {
    const { isLocked, now } = tryLock(lock, holder)
    if (isLocked) {
      removeDrafts(lock, now)
      return () => removeHolder(lock, holder)
    }
    removeKilled(lock, now)
    await sleep(retryMs, undefined, { signal })
  }
  throw new UsageError(`Other processes keep ${file} locked: remove ${lock} if there are none.`)
}

/** `now` is the time of the file system, whose clock may be that of another machine. */
const tryLock = (lock: string, holder: string): { isLocked: boolean; now: number } => {
  const draft = `${lock}.${holder}`
  try {
    mkdirSync(draft, { mode: 0o700 })
    writeFileSync(join(draft, holder), '')
    const { mtimeMs: now } = statSync(draft)
    return { isLocked: isDone(() => renameSync(draft, lock), codesOfLock), now }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Removes the drafts of processes that were killed while they tried. */
const removeDrafts = (lock: string, now: number): void => {
  const folder = dirname(lock)
  const drafts = entriesOf(folder).filter((name) => name.startsWith(`${basename(lock)}.`))
  for (const draft of drafts) {
    const path = join(folder, draft)
    if (ageOf(path, now) <= waitMaxMs) continue
    isDone(() => rmSync(path, { recursive: true, force: true }), codesOfLock)
  }
}

const removeKilled = (lock: string, now: number): void => {
  const holders = entriesOf(lock)
  // Its holder was killed between the two removals.
  if (holders.length === 0) removeEmpty(lock)
  for (const holder of holders) {
    if (ageOf(join(lock, holder), now) > holderMaxMs) removeHolder(lock, holder)
  }
}

const ageOf = (path: string, now: number): number =>
  now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now)

const removeHolder = (lock: string, holder: string): void => {
  rmSync(join(lock, holder), { force: true })
  removeEmpty(lock)
}

/** The folder of the lock goes, unless the next holder has it already. */
const removeEmpty = (lock: string): void => {
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
