/** The folders of a log: that of its current epoch, and those that archive its earlier ones. */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { readFile, readdir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../contract/limits.ts'
import { epochOf } from '../core/provenance/signed-notes.ts'

export const epochFolder = (folder: string, epoch: number): string => `${folder}.epoch-${epoch}`

/** The archived folders of this log, newest first. */
export const earlierEpochFolders = async (folder: string): Promise<string[]> => {
  const names = await readdir(dirname(folder)).catch(() => [])
  const prefix = epochFolder(basename(folder), 0).slice(0, -1)
  return names
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .toSorted((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)))
    .map((name) => join(dirname(folder), name))
}

/** Returns false if another process was faster: there is such a folder, or nothing to rename. */
export const renameIfFree = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EEXIST', 'ENOTEMPTY', 'ENOENT'].includes(code)) return false
    throw error
  }
}

/**
 * Puts the newest archived folder back in its place if no folder of a later epoch followed it: the
 * process that began one died, and its transaction with it. What an earlier version of the service
 * has made in that place, a first epoch with a key that has signed nothing, is set aside. Other
 * processes may do the same, or begin an epoch, at the same time.
 */
export const undoInterruptedEpoch = async (folder: string): Promise<void> => {
  const [archived] = await earlierEpochFolders(folder)
  if (archived === undefined) return
  const current = await originIn(folder)
  if (current === undefined) return putBack(folder)
  const before = await originIn(archived)
  const isLater = before === undefined || epochOf(current) > epochOf(before)
  if (isLater || (await hasSigned(folder))) return
  const unused = `${folder}.unused-${randomBytes(6).toString('hex')}`
  if (!(await renameIfFree(folder, unused))) return
  const [still] = await earlierEpochFolders(folder)
  // Another process was faster, and this was the folder that it had put back.
  if (still !== archived || (await hasSigned(unused))) await renameIfFree(unused, folder)
  else await putBack(folder)
}

/** Listed only now that the folder is missing: the epoch that began last is among them. */
const putBack = async (folder: string): Promise<void> => {
  const [newest] = await earlierEpochFolders(folder)
  if (newest !== undefined) await renameIfFree(newest, folder)
}

const hasSigned = async (folder: string): Promise<boolean> =>
  (await readdir(join(folder, 'signed'))).length > 0

const originIn = async (folder: string): Promise<string | undefined> => {
  const text = await readFile(join(folder, 'keys.json'), 'utf8').catch(ifMissing(undefined))
  return text === undefined ? undefined : (JSON.parse(text) as { origin: string }).origin
}

/** The version of a file of a log; waits if it is missing because a new epoch begins. */
export const fileVersion = async (path: string, folder: string): Promise<string> => {
  const version = versionNow(path)
  if (version !== undefined) return version
  await sleep(limits.epochBeginsMs)
  // Later than that, the epoch has failed to begin.
  await undoInterruptedEpoch(folder)
  const later = versionNow(path)
  if (later === undefined) throw new Error(`${path} is missing`)
  return later
}

/** Runs on every read: a synchronous stat costs less than a trip through the thread pool. */
const versionNow = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.mtimeNs} ${found.ino}`
}

/** The public keys of the log's current epoch, and of all its epochs. Creates nothing. */
export const storedKeys = async (
  folder: string,
): Promise<{ now: readonly string[]; ever: readonly string[] }> => {
  const now = await keysIn(folder)
  const before = await Promise.all((await earlierEpochFolders(folder)).map(keysIn))
  return { now, ever: [...now, ...before.flat()] }
}

const keysIn = async (folder: string): Promise<string[]> => {
  const text = await readFile(join(folder, 'keys.json'), 'utf8').catch(ifMissing('{"keys":[]}'))
  return (JSON.parse(text) as { keys: { vkey: string }[] }).keys.map(({ vkey }) => vkey)
}

const ifMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value
    throw error
  }
