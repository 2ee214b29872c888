/**
 * What vouches for the logs, kept outside of the database (PROVENANCE_KEYS_DIR): the signing keys,
 * and the last checkpoint that was signed. A database alone can therefore neither sign nor,
 * restored from a backup, sign a second history: what was signed last is compared and swapped here
 * first.
 *
 *   <log>/keys.json             origin, keys and the sizes of the log at which each signs
 *   <log>/<key id>.pem          private keys, PKCS#8, mode 600
 *   <log>/signed/after-<size>   the checkpoint that followed that of this size; the newest counts
 *   <log>/signed/published-<size>   the database held the checkpoint of this size, committed
 *
 * A file after-<size> is linked into place whole and never replaced: of two processes that sign
 * after the same checkpoint one gets it, whatever databases they have. What was published is known
 * apart: a checkpoint that was signed and is not in the database yet is no loss, one that was there
 * and is gone is.
 */
import { type KeyObject, createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import {
  link,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import {
  type LogId,
  type SigningKey,
  epochOf,
  logIds,
  signNote,
  vkeyOf,
} from '../core/provenance/signed-notes.ts'
import { earlierEpochFolders, epochFolder, syncFolder, writeDurably } from './epoch-folders.ts'
import { type Trust, parseCheckpoint, readTrust } from '../../verifier/verify-bundle.mjs'

export interface LogKey {
  vkey: string
  from_size: number
  until_size: number | null
  added_at: string
}

export interface SignedCheckpoint {
  /** The size of the checkpoint that it follows; -1 for the first. */
  previousSize: number
  size: number
  root: Buffer
  note: string
}

export interface LatestCheckpoint extends SignedCheckpoint {
  /** It was in the database, committed: a database without it has lost it. */
  isPublished: boolean
}

export interface TransparencyLog {
  id: LogId
  origin: string
  keys: readonly LogKey[]
  /** The verifier's view of the keys. */
  trust: Trust
  /** A note signed with every key that signs at this size. */
  sign(body: string, size: number): string
}

export interface Notary {
  /** The log as its files say now. */
  log(id: LogId): Promise<TransparencyLog>
  latestCheckpoint(id: LogId): Promise<LatestCheckpoint | undefined>
  /** The same for readers: read anew when the folder has changed. */
  cachedCheckpoint(id: LogId): Promise<LatestCheckpoint | undefined>
  /** False: another checkpoint already follows the same one. */
  swapCheckpoint(id: LogId, signed: SignedCheckpoint): Promise<boolean>
  /** Notes that the database holds the checkpoint of this size. */
  markPublished(id: LogId, size: number): Promise<void>
  /** Makes a key that signs from this size on, beside the ones that sign already. */
  addKey(id: LogId, fromSize: number, at: string): Promise<LogKey>
  /** The key signs nothing from this size on; its private half is destroyed. */
  retireKey(id: LogId, vkey: string, untilSize: number): Promise<void>
  /** What the log signed last in any epoch before this one. */
  earlierEpochCheckpoint(id: LogId): Promise<SignedCheckpoint | undefined>
  /** Puts the log's files aside and begins an epoch of this origin, with a key of its own. */
  newEpoch(id: LogId, origin: string): Promise<TransparencyLog>
}

/** Checkpoints kept in `signed`; only the newest is ever needed, the other is for eyes. */
const keptCheckpoints = 2

export const openNotary = async (
  config: Pick<Config, 'provenanceKeysDir' | 'provenanceOrigin'>,
): Promise<Notary> => {
  const folderOf = (id: LogId) => join(config.provenanceKeysDir, id)
  const cached = new Map<LogId, { changed: string; log: TransparencyLog }>()
  const cachedLatest = new Map<LogId, { changed: string; signed: LatestCheckpoint | undefined }>()

  const log = async (id: LogId): Promise<TransparencyLog> => {
    const file = join(folderOf(id), 'keys.json')
    const changed = fileVersion(file)
    const known = cached.get(id)
    if (known?.changed === changed) return known.log
    const read = await readLog(id, folderOf(id))
    cached.set(id, { changed, log: read })
    return read
  }

  for (const id of logIds) {
    await createLog(config.provenanceKeysDir, `${config.provenanceOrigin}/${id}/1`, folderOf(id))
    await log(id)
  }
  return {
    log,
    latestCheckpoint: (id) => latestCheckpoint(join(folderOf(id), 'signed')),
    cachedCheckpoint: async (id) => {
      const folder = join(folderOf(id), 'signed')
      const changed = fileVersion(folder)
      const known = cachedLatest.get(id)
      if (known?.changed === changed) return known.signed
      const signed = await latestCheckpoint(folder)
      cachedLatest.set(id, { changed, signed })
      return signed
    },
    swapCheckpoint: (id, signed) => swapCheckpoint(join(folderOf(id), 'signed'), signed),
    markPublished: (id, size) => markPublished(join(folderOf(id), 'signed'), size),
    addKey: async (id, fromSize, at) => {
      const { origin, keys } = await log(id)
      const key = await makeKey(folderOf(id), origin, { fromSize, at })
      await writeKeys(folderOf(id), origin, [...keys, key])
      return key
    },
    retireKey: async (id, vkey, untilSize) => {
      const { origin, keys } = await log(id)
      const rest = keys.map((key) => (key.vkey === vkey ? { ...key, until_size: untilSize } : key))
      await writeKeys(folderOf(id), origin, rest)
      await rm(pemOf(folderOf(id), vkey), { force: true })
    },
    earlierEpochCheckpoint: async (id) => {
      for (const folder of await earlierEpochFolders(folderOf(id))) {
        const signed = await latestCheckpoint(join(folder, 'signed'))
        if (signed !== undefined) return signed
      }
      return undefined
    },
    newEpoch: async (id, origin) => {
      const before = epochOf((await log(id)).origin)
      await rename(folderOf(id), epochFolder(folderOf(id), before))
      await createLog(config.provenanceKeysDir, origin, folderOf(id))
      return log(id)
    },
  }
}

/** Asked on every read: a look at the inode costs less than a turn through the thread pool. */
const fileVersion = (path: string): string => {
  const { mtimeNs, ino } = statSync(path, { bigint: true })
  return `${mtimeNs} ${ino}`
}

/** Whole at once, so that two processes that start together agree on one key. */
const createLog = async (keysDir: string, origin: string, folder: string): Promise<void> => {
  const isThere = await stat(join(folder, 'keys.json')).then(
    () => true,
    () => false,
  )
  if (isThere) return
  await mkdir(keysDir, { recursive: true, mode: 0o700 })
  const draft = `${folder}.${randomBytes(6).toString('hex')}`
  await mkdir(join(draft, 'signed'), { recursive: true, mode: 0o700 })
  const key = await makeKey(draft, origin, { fromSize: 0, at: new Date().toISOString() })
  await writeKeys(draft, origin, [key])
  try {
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true })
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

const pemOf = (folder: string, vkey: string): string =>
  join(folder, `${vkey.split('+')[1] ?? ''}.pem`)

const makeKey = async (
  folder: string,
  origin: string,
  { fromSize, at }: { fromSize: number; at: string },
): Promise<LogKey> => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const vkey = vkeyOf(origin, privateKey)
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  await writeDurably(pemOf(folder, vkey), pem)
  return { vkey, from_size: fromSize, until_size: null, added_at: at }
}

const writeKeys = async (folder: string, origin: string, keys: readonly LogKey[]) => {
  const file = join(folder, 'keys.json')
  await writeDurably(`${file}.new`, `${JSON.stringify({ origin, keys }, null, 2)}\n`)
  await rename(`${file}.new`, file)
  await syncFolder(folder)
}

const readLog = async (id: LogId, folder: string): Promise<TransparencyLog> => {
  const { origin, keys } = JSON.parse(await readFile(join(folder, 'keys.json'), 'utf8')) as {
    origin: string
    keys: LogKey[]
  }
  const privateKeys = new Map<string, KeyObject>()
  for (const { vkey, until_size: until } of keys) {
    if (until === null) privateKeys.set(vkey, createPrivateKey(await readFile(pemOf(folder, vkey))))
  }
  const windows = Object.fromEntries(keys.map(({ vkey, ...window }) => [vkey, window]))
  return {
    id,
    origin,
    keys,
    trust: readTrust({ origin, keys: keys.map(({ vkey }) => vkey), windows }),
    sign: (body, size) => {
      const signing = keys.flatMap(({ vkey, from_size: from }): SigningKey[] => {
        const privateKey = privateKeys.get(vkey)
        return privateKey !== undefined && from <= size ? [{ vkey, privateKey }] : []
      })
      if (signing.length === 0) throw new Error(`no key of ${origin} signs at size ${size}`)
      return signNote(body, signing)
    },
  }
}

/** Sizes after which something was signed, and sizes that were published; ascending. */
const sizesIn = async (folder: string): Promise<{ after: number[]; published: number[] }> => {
  const names = await readdir(folder)
  const sizesOf = (name: RegExp) =>
    names
      .flatMap((one) => name.exec(one)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b)
  return { after: sizesOf(/^after-(-1|\d+)$/), published: sizesOf(/^published-(\d+)$/) }
}

const latestCheckpoint = async (folder: string): Promise<LatestCheckpoint | undefined> => {
  const { after: sizes, published } = await sizesIn(folder)
  const previousSize = sizes.at(-1)
  if (previousSize === undefined) return undefined
  const note = await readFile(join(folder, `after-${previousSize}`), 'utf8')
  const { size, root } = parseCheckpoint(note)
  return { previousSize, size, root, note, isPublished: (published.at(-1) ?? -1) >= size }
}

/** Without sync: a mark that a crash loses is made again, and until then only forgives. */
const markPublished = async (folder: string, size: number): Promise<void> => {
  const { published } = await sizesIn(folder)
  if ((published.at(-1) ?? -1) >= size) return
  await writeFile(join(folder, `published-${size}`), '')
  for (const older of published) await rm(join(folder, `published-${older}`), { force: true })
}

const swapCheckpoint = async (
  folder: string,
  { previousSize, note }: SignedCheckpoint,
): Promise<boolean> => {
  const file = join(folder, `after-${previousSize}`)
  const draft = join(folder, `.${randomBytes(6).toString('hex')}`)
  await writeDurably(draft, note)
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(draft)
  }
  await syncFolder(folder)
  const { after: sizes } = await sizesIn(folder)
  // Somebody has signed beyond `after` and tidied its file away before ours was there.
  if (sizes.at(-1) !== previousSize) {
    await unlink(file)
    return false
  }
  for (const size of sizes.slice(0, -keptCheckpoints)) {
    await rm(join(folder, `after-${size}`), { force: true })
  }
  return true
}
