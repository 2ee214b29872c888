/** The files of a log's signed checkpoints: `after-<size>` and `published-<size>` (notary.ts). */
import { randomBytes } from 'node:crypto'
import { link, readFile, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogId } from '../core/provenance/signed-notes.ts'
import { syncFolder, writeDurably } from '../files/durable-files.ts'
import { fileVersion } from './epoch-folders.ts'
import { parseCheckpoint } from '../../verifier/verify-bundle.mjs'

export interface SignedCheckpoint {
  /** The size of the preceding checkpoint; -1 for the first. */
  previousSize: number
  size: number
  root: Buffer
  note: string
}

export interface LatestCheckpoint extends SignedCheckpoint {
  /** The database has committed it: a database without it has lost data. */
  isPublished: boolean
}

/** Only the newest checkpoint in `signed` is needed; the other helps an operator. */
const retainedCheckpoints = 2

/** The sizes in the names of the `after` and `published` files, ascending. */
const sizesIn = async (folder: string): Promise<{ after: number[]; published: number[] }> => {
  const names = await readdir(folder)
  const sizesOf = (pattern: RegExp) =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b)
  return { after: sizesOf(/^after-(-1|\d+)$/), published: sizesOf(/^published-(\d+)$/) }
}

export const latestCheckpoint = async (folder: string): Promise<LatestCheckpoint | undefined> => {
  const { after: sizes, published } = await sizesIn(folder)
  const previousSize = sizes.at(-1)
  if (previousSize === undefined) return undefined
  const note = await readFile(join(folder, `after-${previousSize}`), 'utf8')
  const { size, root } = parseCheckpoint(note)
  return { previousSize, size, root, note, isPublished: (published.at(-1) ?? -1) >= size }
}

/** For readers: reads the files of a log again only when its folder has changed. */
export const openCheckpointCache = (
  folderOf: (id: LogId) => string,
): ((id: LogId) => Promise<LatestCheckpoint | undefined>) => {
  const checkpoints = new Map<LogId, { version: string; latest: LatestCheckpoint | undefined }>()
  return async (id) => {
    const folder = join(folderOf(id), 'signed')
    const version = await fileVersion(folder, folderOf(id))
    const cached = checkpoints.get(id)
    if (cached?.version === version) return cached.latest
    const latest = await latestCheckpoint(folder)
    checkpoints.set(id, { version, latest })
    return latest
  }
}

/** Needs no sync: a mark lost in a crash is written again; until then the check is only laxer. */
export const markPublished = async (folder: string, size: number): Promise<void> => {
  const { published } = await sizesIn(folder)
  if ((published.at(-1) ?? -1) >= size) return
  await writeFile(join(folder, `published-${size}`), '')
  for (const older of published) await rm(join(folder, `published-${older}`), { force: true })
}

export const swapCheckpoint = async (
  folder: string,
  { previousSize, note }: SignedCheckpoint,
): Promise<boolean> => {
  const file = join(folder, `after-${previousSize}`)
  const draft = join(folder, `.${randomBytes(6).toString('hex')}`)
  try {
    await writeDurably(draft, note)
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    // A full folder may have taken the name and none of the bytes.
    await rm(draft, { force: true })
  }
  await syncFolder(folder)
  const { after: sizes } = await sizesIn(folder)
  // Another process has signed a later checkpoint and removed this file before ours was linked.
  if (sizes.at(-1) !== previousSize) {
    await unlink(file)
    return false
  }
  for (const size of sizes.slice(0, -retainedCheckpoints)) {
    await rm(join(folder, `after-${size}`), { force: true })
  }
  return true
}

/** Makes a checkpoint the latest one again, which a restored folder lacks. */
export const restoreCheckpoint = async (folder: string, note: string): Promise<void> => {
  const { origin, size, root } = parseCheckpoint(note)
  const latest = await latestCheckpoint(folder)
  const isSameLog = latest !== undefined && parseCheckpoint(latest.note).origin === origin
  if (isSameLog && latest.size >= size) return
  await swapCheckpoint(folder, { previousSize: latest?.size ?? -1, size, root, note })
  await markPublished(folder, size)
}
