/**
 * Turns queued events into a signed checkpoint in two transactions, each under the lock of the log:
 * append the queued leaves to the tree, then sign the tree as it is stored.
 *
 * Invariants: a signed tree was read back from the database and contains the tree signed before, as
 * the published verifier checks it; the checkpoint is stored outside the database before it is
 * inserted, so neither a crash between the two, a second process nor a database restored from a
 * backup can create a second history; a signed checkpoint is published before the next one is
 * signed, so at most one is unpublished; witnesses, if any, cosign it in between
 * (docs/decisions/0059); only events that this service wrote are logged.
 */
import type { HistoryKeys } from '../../core/provenance/history-keys.ts'
import { limits } from '../../contract/limits.ts'
import { type LogId, checkpointBody, checkpointMac } from '../../core/provenance/signed-notes.ts'
import * as merkle from '../../core/provenance/merkle-tree.ts'
import type { LatestCheckpoint, SignedCheckpoint } from '../../notary/checkpoint-files.ts'
import type { LoggedHeads } from '../../notary/logged-heads.ts'
import type { TransparencyLog, Notary } from '../../notary/notary.ts'
import type { Database } from '../../database/pool.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import type { Connection } from '../../database/sql.ts'
import * as store from '../../store/provenance/transparency-log.ts'
import { insertRows } from '../../database/table-writes.ts'
import { nodeHashes, upsertTiles, tilesAt } from '../../store/provenance/tiles.ts'
import {
  checkSignatures,
  emptyRoot,
  isConsistent,
  parseCheckpoint,
} from '../../../verifier/verify-bundle.mjs'
import { type CosignedNote, LogRefusal, cosignedNote } from './cosigning.ts'
import { rejectionReason } from './rejection-reason.ts'

export interface SequencerDependencies {
  database: Pick<Database, 'transaction'>
  notary: Notary
  keyring: { history: HistoryKeys | null } & Pick<RowSeals, 'renew'>
}

export interface IntegrationResult {
  /** Rows taken from the queue; fewer than requested means that it is empty. */
  dequeuedCount: number
  /** Rows that this service did not write: they are set aside and their documents put on hold. */
  rejected: readonly { document_id: string; seq: number; reason: string }[]
  /** Another process holds the log's lock. */
  isBusy: boolean
}

/**
 * Appends one batch and signs a checkpoint over it. Safe to run at any time in any number of
 * processes. A tree that cannot be signed as stored is not extended either.
 */
export const integrate = async (
  dependencies: SequencerDependencies,
  id: LogId,
): Promise<IntegrationResult> => {
  if (!(await publish(dependencies, id))) return { dequeuedCount: 0, rejected: [], isBusy: true }
  const heads = dependencies.notary.loggedHeads(await dependencies.notary.log(id))
  const appended = await dependencies.database.transaction((tx) =>
    appendQueued(tx, dependencies, heads, id),
  )
  if (appended === undefined) return { dequeuedCount: 0, rejected: [], isBusy: true }
  const { size, accepted, ...result } = appended
  heads.add(accepted, size)
  return { ...result, isBusy: !(await publish(dependencies, id)) }
}

/**
 * Signs the tree or completes an unfinished publication; false if the log is locked. Witnesses are
 * asked between two transactions: their lines are frozen with the checkpoint that is published.
 */
const publish = async (dependencies: SequencerDependencies, id: LogId): Promise<boolean> => {
  const { database, notary } = dependencies
  let step = await database.transaction((tx) => signTree(tx, dependencies, id))
  if (step !== undefined && 'toCosign' in step) {
    const cosigned = await cosignedNote(dependencies, id, step.toCosign)
    step = await database.transaction((tx) => signTree(tx, dependencies, id, cosigned))
  }
  // Another process has published this checkpoint meanwhile, and signed the next.
  if (step === undefined || 'toCosign' in step) return false
  await notary.markPublished(id, step.publishedSize)
  return true
}

interface AppendedBatch extends Omit<IntegrationResult, 'isBusy'> {
  accepted: readonly store.QueuedEvent[]
  /** The size of the log with the accepted events. */
  size: number
}

/** Undefined if the log is locked. */
const appendQueued = async (
  tx: Connection,
  { keyring }: SequencerDependencies,
  heads: LoggedHeads,
  id: LogId,
): Promise<AppendedBatch | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const [size, queued] = await Promise.all([
    store.leafCount(tx, id),
    store.dequeueEvents(tx, id, limits.logBatchMaxLeaves),
    // A new epoch, which holds the same lock, moves the sizes up to which older keys count.
    keyring.renew(tx),
  ])
  const history = keyring.history!
  await catchUp(tx, heads, id, size)
  const accepted: store.QueuedEvent[] = []
  const rejected: store.RejectedEvent[] = []
  const acceptedIds = new Set<string>()
  for (const row of queued) {
    const index = size + accepted.length
    const isOurs = history.holdsEvent(row.hash, row.mac ?? Buffer.alloc(0), { log: id, index })
    const reason = rejectionReason(row, { acceptedIds, heads, isOurs })
    if (reason === undefined) {
      accepted.push(row)
      acceptedIds.add(`${row.document_id} ${row.seq}`)
    } else {
      rejected.push({ ...row, reason })
    }
  }
  if (rejected.length > 0) {
    const rows = rejected.map((row) => ({ ...row, log_id: id }))
    await insertRows(tx, 'log_refused', rows)
    const documents = rejected.map((row) => row.document_id)
    await store.setIntegrityHold(tx, documents)
  }
  if (accepted.length > 0) await appendLeaves(tx, id, size, accepted)
  return { dequeuedCount: queued.length, rejected, accepted, size: size + accepted.length }
}

/** Learns what other processes have logged, or what was logged before this process began. */
const catchUp = async (
  tx: Connection,
  heads: LoggedHeads,
  id: LogId,
  size: number,
): Promise<void> => {
  if (heads.size > size) {
    throw new LogRefusal(`the database ends at leaf ${size}, but ${heads.size} were logged`)
  }
  const from = Math.max(heads.size, size - limits.rememberedHeadsMax)
  if (from < size) heads.add(await store.loggedEvents(tx, id, from, size), size)
}

const appendLeaves = async (
  tx: Connection,
  id: LogId,
  size: number,
  accepted: readonly store.QueuedEvent[],
): Promise<void> => {
  const edge = await tilesAt(tx, id, merkle.edgeTiles(size))
  const hashes = accepted.map((row) => row.hash)
  const leaves = accepted.map(({ document_id, seq, hash }, i) => ({
    log_id: id,
    idx: BigInt(size + i),
    document_id,
    seq,
    hash,
  }))
  await Promise.all([
    insertRows(tx, 'log_leaf', leaves),
    upsertTiles(tx, id, merkle.tilesAfterAppend(size, hashes, edge)),
  ])
}

type SigningStep = { publishedSize: number } | { toCosign: SignedCheckpoint }

/** Undefined if the log is locked. */
const signTree = async (
  tx: Connection,
  { notary, keyring }: SequencerDependencies,
  id: LogId,
  cosigned?: CosignedNote,
): Promise<SigningStep | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const log = await notary.log(id)
  const [leaves, newest, keys] = await Promise.all([
    store.leafCount(tx, id),
    store.newestCheckpoint(tx, id),
    store.logKeys(tx, id),
  ])
  const signed = await notary.latestCheckpoint(id)
  const pending = unpublishedCheckpoint(newest, signed)
  const size = pending?.size ?? leaves
  const isInDatabase = Number(newest?.size ?? -1) === size
  if (isInDatabase && signed?.size === size) return { publishedSize: size }
  await syncKeys(tx, log, keys)
  const root = await verifiedRoot(tx, id, { leaves, size, newest, signed })

  const previousSize = pending?.previousSize ?? signed?.size ?? -1
  const note = pending?.note ?? log.sign(checkpointBody(log.origin, size, root), size)
  checkSignatures(parseCheckpoint(note), size, log.trust)
  const isStored =
    pending !== undefined || (await notary.swapCheckpoint(id, { previousSize, size, root, note }))
  if (!isStored) throw new LogRefusal('another checkpoint was signed meanwhile')
  // The folder was behind the database and has now caught up.
  if (isInDatabase) return { publishedSize: size }
  const isCosigned = notary.witnesses === undefined || cosigned?.size === size
  if (!isCosigned) return { toCosign: { previousSize, size, root, note } }
  const row = {
    note: cosigned?.note ?? note,
    as_of: await databaseNow(tx),
    previous_size: BigInt(previousSize),
  }
  const mac = checkpointMac(row, keyring.history!.newest)
  await store.insertCheckpoint(tx, { log_id: id, size: BigInt(size), root, ...row, mac })
  return { publishedSize: size }
}

/** A signed checkpoint that never reached the database: a crash or a failed commit. */
const unpublishedCheckpoint = (
  newest: { size: bigint } | undefined,
  signed: LatestCheckpoint | undefined,
): SignedCheckpoint | undefined => {
  const published = Number(newest?.size ?? -1)
  if (signed === undefined || published >= signed.size) return undefined
  if (!signed.isPublished && published === signed.previousSize) return signed
  throw new LogRefusal(
    `the checkpoint of ${signed.size} leaves was published and is gone: was a backup restored?`,
  )
}

/** Lists the notary's public keys in the database; a foreign key there is a tampered row. */
const syncKeys = async (
  tx: Connection,
  log: TransparencyLog,
  listed: readonly { vkey: string }[],
): Promise<void> => {
  const foreign = listed.find(({ vkey }) => !log.keys.some((key) => key.vkey === vkey))
  if (foreign !== undefined) {
    throw new LogRefusal(
      `the key ${foreign.vkey} of the database is not one of this epoch in PROVENANCE_KEYS_DIR: use the right folder, or after a restore new-log-epoch`,
    )
  }
  for (const { vkey, from_size, until_size } of log.keys) {
    if (listed.some((key) => key.vkey === vkey)) continue
    await store.upsertLogKey(tx, {
      log_id: log.id,
      vkey,
      from_size: BigInt(from_size),
      until_size: until_size === null ? null : BigInt(until_size),
    })
  }
}

interface TreeState {
  /** The number of leaves that are stored, and of those to be signed. */
  leaves: number
  size: number
  newest: { size: bigint; root: Buffer } | undefined
  signed: SignedCheckpoint | undefined
}

/** The root of the stored tree, verified to contain everything that was signed before. */
const verifiedRoot = async (
  tx: Connection,
  id: LogId,
  { leaves: stored, size, newest, signed }: TreeState,
): Promise<Buffer> => {
  const before = [
    ...(signed === undefined ? [] : [{ what: 'signed', size: signed.size, root: signed.root }]),
    ...(newest === undefined
      ? []
      : [{ what: 'published', size: Number(newest.size), root: newest.root }]),
  ]
  const ahead = before.find((one) => one.size > stored)
  if (ahead !== undefined) {
    throw new LogRefusal(
      `the database ends at leaf ${stored}, but ${ahead.size} were ${ahead.what}: was a backup restored?`,
    )
  }
  const unsigned = Math.min(...before.map((one) => one.size), size)
  const proofs = before.map((one) => ({ ...one, nodes: merkle.consistencyNodes(one.size, size) }))
  const leaves: merkle.TreeNode[] = Array.from({ length: size - unsigned }, (_, i) => ({
    level: 0,
    index: unsigned + i,
  }))
  const proofNodes = proofs.flatMap((proof) => proof.nodes.flat())
  const nodes = [...merkle.rootNodes(size), ...proofNodes, ...leaves]
  const hashAt = await nodeHashes(tx, id, nodes, merkle.tileTree)
  const root = size === 0 ? emptyRoot : merkle.rootHash(size, hashAt)
  for (const proof of proofs) {
    const hashes = merkle.proofHashes(proof.nodes, hashAt)
    if (!isConsistent(proof.size, size, proof.root, root, hashes)) {
      throw new LogRefusal(`the tree does not contain what was ${proof.what} at ${proof.size}`)
    }
  }
  const storedHashes = await store.leafHashes(tx, id, unsigned, size)
  const leavesMatch =
    storedHashes.length === leaves.length &&
    storedHashes.every((hash, i) => hash.equals(hashAt(leaves[i]!)))
  if (!leavesMatch) throw new LogRefusal('leaves and tiles differ')
  return root
}
