/**
 * Vouches for the transparency logs from outside of the database (PROVENANCE_KEYS_DIR): holds the
 * signing keys and the last signed checkpoint. A database alone can therefore not sign, and one
 * restored from a backup cannot sign a second history: signing compares and swaps the last
 * checkpoint here first.
 *
 *   <log>/keys.json                 origin, keys, and the log sizes at which each key signs
 *   <log>/<key id>.pem              private keys, PKCS#8, mode 600
 *   <log>/signed/after-<size>       the successor of the checkpoint of this size; the newest counts
 *   <log>/signed/published-<size>   the database has committed the checkpoint of this size
 *   <log>/audit.json                how far the auditor is (audit-position.ts)
 *
 * after-<size> is linked into place as a whole and never replaced: if two processes sign after the
 * same checkpoint, one wins, whatever their databases hold. Publication is recorded separately: a
 * signed checkpoint that has not reached the database is no loss, a published one that is gone is.
 */
import { type KeyObject, createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { signedCheckpoint } from '../core/provenance/inclusion.ts'
import {
  type LogId,
  type SigningKey,
  epochOf,
  logIds,
  signNote,
  vkeyOf,
} from '../core/provenance/signed-notes.ts'
import type { AuditPosition } from '../core/provenance/audit-position.ts'
import { replaceDurably, syncFolder, writeDurably } from '../files/durable-files.ts'
import { readAuditPosition, writeAuditPosition } from './audit-position.ts'
import {
  type LatestCheckpoint,
  type SignedCheckpoint,
  latestCheckpoint,
  markPublished,
  openCheckpointCache,
  swapCheckpoint,
} from './checkpoint-files.ts'
import {
  earlierEpochFolders,
  epochFolder,
  fileVersion,
  renameIfFree,
  undoInterruptedEpoch,
} from './epoch-folders.ts'
import type { RollbackGuard } from './guard-records.ts'
import { hasRoom, orUnavailable } from './log-folder.ts'
import { type LoggedHeads, openLoggedHeads } from './logged-heads.ts'
import { type SigningBackoff, openSigningBackoff } from './signing-backoff.ts'
import type { Witnesses } from './witnesses.ts'
import { type Checkpoint, type Trust, readTrust } from '../../verifier/verify-bundle.mjs'

export interface LogKey {
  vkey: string
  from_size: number
  until_size: number | null
  added_at: string
}

export interface TransparencyLog {
  id: LogId
  origin: string
  keys: readonly LogKey[]
  /** The verifier's view of the keys. */
  trust: Trust
  /** Parses a checkpoint and verifies its signatures, once per note. */
  checkpointOf(note: string): Checkpoint
  /** The first size from this one on at which no key has been retired, so that all can sign. */
  keySize(size: number): number
  /** A note signed with every key that signs at this size. */
  sign(body: string, size: number): string
}

/** What it cannot read throws LogFolderUnavailable. */
export interface Notary {
  /** The current state of the log's files. */
  log(id: LogId): Promise<TransparencyLog>
  latestCheckpoint(id: LogId): Promise<LatestCheckpoint | undefined>
  /** For readers: reloads only when the folder has changed. */
  cachedCheckpoint(id: LogId): Promise<LatestCheckpoint | undefined>
  /** Whether the folder takes bytes. */
  hasRoom(): Promise<boolean>
  /** Returns false if another checkpoint already follows the same one. */
  swapCheckpoint(id: LogId, signed: SignedCheckpoint): Promise<boolean>
  /** Records that the database holds the checkpoint of this size. */
  markPublished(id: LogId, size: number): Promise<void>
  /** Creates a key that signs from this size on, alongside the current keys. */
  addKey(id: LogId, fromSize: number, at: string): Promise<LogKey>
  /** Stops the key at this size and destroys its private half. */
  retireKey(id: LogId, vkey: string, untilSize: number): Promise<void>
  /** Undefined if nobody cosigns. */
  witnesses: Witnesses | undefined
  /** When a log that could not be signed is tried again. */
  signingBackoff: SigningBackoff
  /** What this process remembers of the log's leaves; nothing at first in every epoch. */
  loggedHeads(log: Pick<TransparencyLog, 'id' | 'origin'>): LoggedHeads
  /** The document's last event that this process remembers; 0 if it remembers none. */
  lastLoggedSeq(documentId: string): number
  /** How far the auditor is. */
  auditPosition(id: LogId): Promise<AuditPosition>
  saveAuditPosition(id: LogId, position: AuditPosition): Promise<void>
  /** The last checkpoint signed in any earlier epoch. */
  earlierEpochCheckpoint(id: LogId): Promise<SignedCheckpoint | undefined>
  /** Archives the log's files and starts an epoch with this origin and a new key. */
  newEpoch(id: LogId, origin: string): Promise<TransparencyLog>
}

export const openNotary = async (
  config: Pick<Config, 'provenanceKeysDir' | 'provenanceOrigin'>,
  guard?: RollbackGuard,
  witnesses?: Witnesses,
): Promise<Notary> => {
  const folderOf = (id: LogId) => join(config.provenanceKeysDir, id)
  const logs = new Map<LogId, { version: string; log: TransparencyLog }>()

  const readCurrent = async (id: LogId): Promise<TransparencyLog> => {
    const file = join(folderOf(id), 'keys.json')
    const version = await fileVersion(file, folderOf(id))
    const cached = logs.get(id)
    if (cached?.version === version) return cached.log
    const current = await readLog(id, folderOf(id))
    logs.set(id, { version, log: current })
    return current
  }
  const log = (id: LogId) => orUnavailable(() => readCurrent(id))
  const readCached = openCheckpointCache(folderOf)

  for (const id of logIds) {
    await undoInterruptedEpoch(folderOf(id))
    await createLog(config.provenanceKeysDir, `${config.provenanceOrigin}/${id}/1`, folderOf(id))
    await log(id)
  }
  return {
    log,
    witnesses,
    latestCheckpoint: (id) => orUnavailable(() => latestCheckpoint(join(folderOf(id), 'signed'))),
    cachedCheckpoint: (id) => orUnavailable(() => readCached(id)),
    hasRoom: () => hasRoom(config.provenanceKeysDir),
    swapCheckpoint: (id, signed) => swapCheckpoint(join(folderOf(id), 'signed'), signed),
    markPublished: async (id, size) => {
      const folder = join(folderOf(id), 'signed')
      await markPublished(folder, size)
      if (guard === undefined) return
      const latest = await latestCheckpoint(folder)
      if (latest?.size === size) await guard.recordCheckpoint(id, latest.note)
    },
    addKey: async (id, fromSize, at) => {
      const { origin, keys } = await log(id)
      const key = await createKey(folderOf(id), origin, { fromSize, at })
      await writeKeys(folderOf(id), origin, [...keys, key])
      return key
    },
    retireKey: async (id, vkey, untilSize) => {
      const { origin, keys } = await log(id)
      const updated = keys.map((key) =>
        key.vkey === vkey ? { ...key, until_size: untilSize } : key,
      )
      await writeKeys(folderOf(id), origin, updated)
      await rm(pemOf(folderOf(id), vkey), { force: true })
    },
    signingBackoff: openSigningBackoff(),
    ...openLoggedHeads(),
    auditPosition: (id) => readAuditPosition(folderOf(id)),
    saveAuditPosition: (id, position) => writeAuditPosition(folderOf(id), position),
    earlierEpochCheckpoint: async (id) => {
      for (const folder of await earlierEpochFolders(folderOf(id))) {
        const signed = await latestCheckpoint(join(folder, 'signed'))
        if (signed !== undefined) return signed
      }
      return undefined
    },
    newEpoch: async (id, origin) => {
      const before = epochOf((await log(id)).origin)
      const draft = await draftLog(origin, folderOf(id))
      await rename(folderOf(id), epochFolder(folderOf(id), before))
      await placeDraft(draft, folderOf(id))
      await syncFolder(config.provenanceKeysDir)
      return log(id)
    },
  }
}

/** Renames a complete folder into place, so that concurrent starts agree on one key. */
const createLog = async (keysDir: string, origin: string, folder: string): Promise<void> => {
  const exists = await stat(join(folder, 'keys.json')).then(
    () => true,
    () => false,
  )
  if (exists) return
  await mkdir(keysDir, { recursive: true, mode: 0o700 })
  const draft = await draftLog(origin, folder)
  if (!(await renameIfFree(draft, folder))) await rm(draft, { recursive: true })
}

/** The files of a new log in a folder of their own, which is complete. */
const draftLog = async (origin: string, folder: string): Promise<string> => {
  const draft = `${folder}.${randomBytes(6).toString('hex')}`
  await mkdir(join(draft, 'signed'), { recursive: true, mode: 0o700 })
  const key = await createKey(draft, origin, { fromSize: 0, at: new Date().toISOString() })
  await writeKeys(draft, origin, [key])
  return draft
}

const placeDraft = async (draft: string, folder: string): Promise<void> => {
  if (await renameIfFree(draft, folder)) return
  await rm(draft, { recursive: true })
  throw new Error(`another process has put ${folder} back: begin the epoch again`)
}

const pemOf = (folder: string, vkey: string): string =>
  join(folder, `${vkey.split('+')[1] ?? ''}.pem`)

const createKey = async (
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

const writeKeys = (folder: string, origin: string, keys: readonly LogKey[]): Promise<void> =>
  replaceDurably(join(folder, 'keys.json'), `${JSON.stringify({ origin, keys }, null, 2)}\n`)

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
  const trust = readTrust({ origin, keys: keys.map(({ vkey }) => vkey), windows })
  // Consecutive reads verify the same note; a signature costs far more than the rest of a check.
  let lastVerified: { note: string; checkpoint: Checkpoint } | undefined
  return {
    id,
    origin,
    keys,
    trust,
    checkpointOf: (note) => {
      if (lastVerified?.note !== note) {
        lastVerified = { note, checkpoint: signedCheckpoint(note, trust) }
      }
      return lastVerified.checkpoint
    },
    keySize: (size) => {
      for (let at = size; ;) {
        const retired = keys.flatMap(({ from_size: from, until_size: until }) =>
          until !== null && from <= at && at < until ? [until] : [],
        )
        if (retired.length === 0) return at
        at = Math.max(...retired)
      }
    },
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
