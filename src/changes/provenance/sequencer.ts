/**
 * From the queue to a signed checkpoint, in two transactions, each under the lock of the log:
 * lengthen the tree by what waits, then sign the tree as it is stored.
 *
 * Invariants: what is signed was read back from the database and contains what was signed before,
 * as the published verifier checks it; the checkpoint is kept outside of the database before it is
 * inserted, so a crash between the two, a second process, or a database that was restored from a
 * backup cannot make a second history; a checkpoint that was signed is published before the next is
 * signed, so at most one is ever on its way; only what this service has written is ever logged.
 */
import { limits } from '../../contract/limits.ts'
import { type LogId, checkpointBody } from '../../core/provenance/signed-notes.ts'
import { checkpointMac, eventMac } from '../../core/provenance/history-event.ts'
import {
  type TreeNode,
  tilesAfterAppend,
  consistencyNodes,
  edgeTiles,
  proofHashes,
  rootNodes,
  rootHash,
  tileTree,
} from '../../core/provenance/merkle-tree.ts'
import type {
  LatestCheckpoint,
  TransparencyLog,
  Notary,
  SignedCheckpoint,
} from '../../notary/notary.ts'
import type { Database } from '../../database/pool.ts'
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

export interface SequencerDependencies {
  database: Pick<Database, 'transaction'>
  notary: Notary
  macKey: Buffer
}

export interface IntegrationResult {
  /** Rows taken from the queue; fewer than asked for means that it is empty. */
  dequeuedCount: number
  /** Rows that this service has not written: they were put aside, their documents on hold. */
  rejected: readonly { document_id: string; seq: number; reason: string }[]
  /** Another process is at work on this log. */
  isBusy: boolean
}

/** The log must not be signed as it is stored: a backup was restored, or a row was changed. */
export class LogRefusal extends Error {
  override name = 'LogRefusal'
}

/**
 * One batch, and a checkpoint over it. Safe to run anywhere, at any time, in any number. A tree
 * that cannot be signed as it stands is not lengthened either.
 */
export const integrate = async (
  parts: SequencerDependencies,
  id: LogId,
): Promise<IntegrationResult> => {
  if (!(await publish(parts, id))) return { dequeuedCount: 0, rejected: [], isBusy: true }
  const lengthened = await parts.database.transaction((tx) => appendQueued(tx, parts, id))
  if (lengthened.isBusy) return lengthened
  return { ...lengthened, isBusy: !(await publish(parts, id)) }
}

/** Signs the tree, or ends what was begun; false when another process is at work on the log. */
const publish = async (parts: SequencerDependencies, id: LogId): Promise<boolean> => {
  const size = await parts.database.transaction((tx) => signTree(tx, parts, id))
  if (size === undefined) return false
  await parts.notary.markPublished(id, size)
  return true
}

const appendQueued = async (
  tx: Connection,
  { macKey }: SequencerDependencies,
  id: LogId,
): Promise<IntegrationResult> => {
  if (!(await store.tryLogLock(tx, id))) return { dequeuedCount: 0, rejected: [], isBusy: true }
  const [size, queued] = await Promise.all([
    store.leafCount(tx, id),
    store.dequeueEvents(tx, id, limits.logBatchMaxLeaves),
  ])
  const accepted: store.QueuedEvent[] = []
  const rejected: store.RejectedEvent[] = []
  const acceptedIds = new Set<string>()
  for (const row of queued) {
    const reason = rejectionReason(row, acceptedIds, macKey)
    if (reason === undefined) {
      accepted.push(row)
      acceptedIds.add(`${row.document_id} ${row.seq}`)
    } else {
      rejected.push({ ...row, reason })
    }
  }
  if (rejected.length > 0) {
    await store.insertRejected(tx, id, rejected)
    await store.setIntegrityHold(
      tx,
      rejected.map((row) => row.document_id),
    )
  }
  if (accepted.length > 0) await appendLeaves(tx, id, size, accepted)
  return { dequeuedCount: queued.length, rejected, isBusy: false }
}

/** A row is logged once, after the event before it, and only with the mark of this service. */
const rejectionReason = (
  { document_id, seq, hash, event_hash: eventHash, mac, logged, follows }: store.QueuedEvent,
  acceptedIds: ReadonlySet<string>,
  macKey: Buffer,
): string | undefined => {
  if (eventHash === null || mac === null) return 'no_such_event'
  if (!eventHash.equals(hash)) return 'another_hash'
  if (!mac.equals(eventMac(hash, macKey))) return 'not_written_by_this_service'
  if (logged || acceptedIds.has(`${document_id} ${seq}`)) return 'logged_before'
  const isNext = seq === 1 || follows || acceptedIds.has(`${document_id} ${seq - 1}`)
  return isNext ? undefined : 'out_of_order'
}

const appendLeaves = async (
  tx: Connection,
  id: LogId,
  size: number,
  accepted: readonly store.QueuedEvent[],
): Promise<void> => {
  const edge = await tilesAt(tx, id, edgeTiles(size))
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
    upsertTiles(tx, id, tilesAfterAppend(size, hashes, edge)),
  ])
}

/** The size that is published with it; undefined when another process is at work on the log. */
const signTree = async (
  tx: Connection,
  { notary, macKey }: SequencerDependencies,
  id: LogId,
): Promise<number | undefined> => {
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
  if (isInDatabase && signed?.size === size) return size
  await syncKeys(tx, log, keys)
  const root = await verifiedRoot(tx, id, { leaves, size, newest, signed })

  const previousSize = pending?.previousSize ?? signed?.size ?? -1
  const note = pending?.note ?? log.sign(checkpointBody(log.origin, size, root), size)
  checkSignatures(parseCheckpoint(note), size, log.trust)
  const isKept =
    pending !== undefined || (await notary.swapCheckpoint(id, { previousSize, size, root, note }))
  if (!isKept) throw new LogRefusal('another checkpoint was signed meanwhile')
  // The folder was behind the database, and has caught up.
  if (isInDatabase) return size
  const row = { note, as_of: await store.clockTime(tx), previous_size: BigInt(previousSize) }
  const mac = checkpointMac(row, macKey)
  await store.insertCheckpoint(tx, { log_id: id, size: BigInt(size), root, ...row, mac })
  return size
}

/** What was signed and never came into the database: a crash, or a failed commit, in between. */
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

/** The database lists the public keys; they are the notary's or somebody has put them there. */
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
  /** Of the tree as it is stored, and as much of it as is to be signed. */
  leaves: number
  size: number
  newest: { size: bigint; root: Buffer } | undefined
  signed: SignedCheckpoint | undefined
}

/** The root of the tree as it is stored, after it was found to contain all that was signed. */
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
  const proofs = before.map((one) => ({ ...one, nodes: consistencyNodes(one.size, size) }))
  const leaves: TreeNode[] = Array.from({ length: size - unsigned }, (_, i) => ({
    level: 0,
    index: unsigned + i,
  }))
  const nodes = [...rootNodes(size), ...proofs.flatMap((proof) => proof.nodes.flat()), ...leaves]
  const hashAt = await nodeHashes(tx, id, nodes, tileTree)
  const root = size === 0 ? emptyRoot : rootHash(size, hashAt)
  for (const proof of proofs) {
    if (!isConsistent(proof.size, size, proof.root, root, proofHashes(proof.nodes, hashAt))) {
      throw new LogRefusal(`the tree does not contain what was ${proof.what} at ${proof.size}`)
    }
  }
  const storedHashes = await store.leafHashes(tx, id, unsigned, size)
  const isWhole =
    storedHashes.length === leaves.length &&
    storedHashes.every((hash, i) => hash.equals(hashAt(leaves[i]!)))
  if (!isWhole) throw new LogRefusal('leaves and tiles differ')
  return root
}
