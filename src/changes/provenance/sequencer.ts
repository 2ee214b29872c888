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
import { type LogId, checkpointBody } from '../../core/provenance/checkpoint.ts'
import { checkpointMac, eventMac } from '../../core/provenance/history-event.ts'
import {
  type Node,
  appended,
  consistencyNodes,
  edgeOf,
  hashed,
  rootNodes,
  rootOf,
  tileTree,
} from '../../core/provenance/merkle-tree.ts'
import type { LastSigned, Log, Notary, Signed } from '../../notary/notary.ts'
import type { Database } from '../../database/pool.ts'
import type { Connection } from '../../database/sql.ts'
import * as store from '../../store/provenance/transparency-log.ts'
import { insertRows } from '../../database/table-writes.ts'
import { hashesOf, putTiles, tilesAt } from '../../store/provenance/tiles.ts'
import {
  checkSignatures,
  emptyRoot,
  isConsistent,
  parseCheckpoint,
} from '../../../verifier/verify-bundle.mjs'

export interface Sequencer {
  database: Pick<Database, 'transaction'>
  notary: Notary
  macKey: Buffer
}

export interface Integrated {
  /** Rows taken from the queue; fewer than asked for means that it is empty. */
  taken: number
  /** Rows that this service has not written: they were put aside, their documents on hold. */
  refused: readonly { document_id: string; seq: number; reason: string }[]
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
export const integrate = async (parts: Sequencer, id: LogId): Promise<Integrated> => {
  if (!(await publish(parts, id))) return { taken: 0, refused: [], isBusy: true }
  const lengthened = await parts.database.transaction((tx) => lengthen(tx, parts, id))
  if (lengthened.isBusy) return lengthened
  return { ...lengthened, isBusy: !(await publish(parts, id)) }
}

/** Signs the tree, or ends what was begun; false when another process is at work on the log. */
const publish = async (parts: Sequencer, id: LogId): Promise<boolean> => {
  const size = await parts.database.transaction((tx) => signTree(tx, parts, id))
  if (size === undefined) return false
  await parts.notary.markPublished(id, size)
  return true
}

const lengthen = async (tx: Connection, { macKey }: Sequencer, id: LogId): Promise<Integrated> => {
  if (!(await store.tryLogLock(tx, id))) return { taken: 0, refused: [], isBusy: true }
  const [size, queued] = await Promise.all([
    store.leafCount(tx, id),
    store.takeQueued(tx, id, limits.logBatchMaxLeaves),
  ])
  const accepted: store.Queued[] = []
  const refused: store.RefusedRow[] = []
  const isTaken = new Set<string>()
  for (const row of queued) {
    const reason = reasonAgainst(row, isTaken, macKey)
    if (reason === undefined) {
      accepted.push(row)
      isTaken.add(`${row.document_id} ${row.seq}`)
    } else {
      refused.push({ ...row, reason })
    }
  }
  if (refused.length > 0) {
    await store.refuseQueued(tx, id, refused)
    await store.putOnHold(
      tx,
      refused.map((row) => row.document_id),
    )
  }
  if (accepted.length > 0) await append(tx, id, size, accepted)
  return { taken: queued.length, refused, isBusy: false }
}

/** A row is logged once, after the event before it, and only with the mark of this service. */
const reasonAgainst = (
  { document_id, seq, hash, event_hash: eventHash, mac, logged, follows }: store.Queued,
  isTaken: ReadonlySet<string>,
  macKey: Buffer,
): string | undefined => {
  if (eventHash === null || mac === null) return 'no_such_event'
  if (!eventHash.equals(hash)) return 'another_hash'
  if (!mac.equals(eventMac(hash, macKey))) return 'not_written_by_this_service'
  if (logged || isTaken.has(`${document_id} ${seq}`)) return 'logged_before'
  const isNext = seq === 1 || follows || isTaken.has(`${document_id} ${seq - 1}`)
  return isNext ? undefined : 'out_of_order'
}

const append = async (
  tx: Connection,
  id: LogId,
  size: number,
  accepted: readonly store.Queued[],
): Promise<void> => {
  const edge = await tilesAt(tx, id, edgeOf(size))
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
    putTiles(tx, id, appended(size, hashes, edge)),
  ])
}

/** The size that is published with it; undefined when another process is at work on the log. */
const signTree = async (
  tx: Connection,
  { notary, macKey }: Sequencer,
  id: LogId,
): Promise<number | undefined> => {
  if (!(await store.tryLogLock(tx, id))) return undefined
  const log = await notary.log(id)
  const [leaves, newest, keys] = await Promise.all([
    store.leafCount(tx, id),
    store.newestCheckpoint(tx, id),
    store.logKeys(tx, id),
  ])
  const signed = await notary.lastSigned(id)
  const begun = unpublished(newest, signed)
  const size = begun?.size ?? leaves
  const isInDatabase = Number(newest?.size ?? -1) === size
  if (isInDatabase && signed?.size === size) return size
  await keepKeys(tx, log, keys)
  const root = await checkedRoot(tx, id, { leaves, size, newest, signed })

  const after = begun?.after ?? signed?.size ?? -1
  const note = begun?.note ?? log.sign(checkpointBody(log.origin, size, root), size)
  checkSignatures(parseCheckpoint(note), size, log.trust)
  const isKept = begun !== undefined || (await notary.keepSigned(id, { after, size, root, note }))
  if (!isKept) throw new LogRefusal('another checkpoint was signed meanwhile')
  // The folder was behind the database, and has caught up.
  if (isInDatabase) return size
  const row = { note, as_of: await store.clock(tx), after: BigInt(after) }
  const mac = checkpointMac(row, macKey)
  await store.insertCheckpoint(tx, { log_id: id, size: BigInt(size), root, ...row, mac })
  return size
}

/** What was signed and never came into the database: a crash, or a failed commit, in between. */
const unpublished = (
  newest: { size: bigint } | undefined,
  signed: LastSigned | undefined,
): Signed | undefined => {
  const published = Number(newest?.size ?? -1)
  if (signed === undefined || published >= signed.size) return undefined
  if (!signed.isPublished && published === signed.after) return signed
  throw new LogRefusal(
    `the checkpoint of ${signed.size} leaves was published and is gone: was a backup restored?`,
  )
}

/** The database lists the public keys; they are the notary's or somebody has put them there. */
const keepKeys = async (
  tx: Connection,
  log: Log,
  kept: readonly { vkey: string }[],
): Promise<void> => {
  const foreign = kept.find(({ vkey }) => !log.keys.some((key) => key.vkey === vkey))
  if (foreign !== undefined) {
    throw new LogRefusal(
      `the key ${foreign.vkey} of the database is not one of this epoch in PROVENANCE_KEYS_DIR: use the right folder, or after a restore new-log-epoch`,
    )
  }
  for (const { vkey, from_size, until_size } of log.keys) {
    if (kept.some((key) => key.vkey === vkey)) continue
    await store.keepLogKey(tx, {
      log_id: log.id,
      vkey,
      from_size: BigInt(from_size),
      until_size: until_size === null ? null : BigInt(until_size),
    })
  }
}

interface Known {
  /** Of the tree as it is stored, and as much of it as is to be signed. */
  leaves: number
  size: number
  newest: { size: bigint; root: Buffer } | undefined
  signed: Signed | undefined
}

/** The root of the tree as it is stored, after it was found to contain all that was signed. */
const checkedRoot = async (
  tx: Connection,
  id: LogId,
  { leaves: stored, size, newest, signed }: Known,
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
  const leaves: Node[] = Array.from({ length: size - unsigned }, (_, i) => ({
    level: 0,
    index: unsigned + i,
  }))
  const nodes = [...rootNodes(size), ...proofs.flatMap((proof) => proof.nodes.flat()), ...leaves]
  const hashAt = await hashesOf(tx, id, nodes, tileTree)
  const root = size === 0 ? emptyRoot : rootOf(size, hashAt)
  for (const proof of proofs) {
    if (!isConsistent(proof.size, size, proof.root, root, hashed(proof.nodes, hashAt))) {
      throw new LogRefusal(`the tree does not contain what was ${proof.what} at ${proof.size}`)
    }
  }
  const kept = await store.leafHashes(tx, id, unsigned, size)
  const isWhole =
    kept.length === leaves.length && kept.every((hash, i) => hash.equals(hashAt(leaves[i]!)))
  if (!isWhole) throw new LogRefusal('leaves and tiles differ')
  return root
}
