/**
 * Whether the log holds what the events of a document say: the leaf of every event, its place under
 * a signed checkpoint, the head that was signed, the keys that the database lists.
 */
import assert from 'node:assert/strict'
import {
  type Checkpoint,
  type Note,
  type Trust,
  checkSignatures,
  parseCheckpoint,
  parseHead,
  rootFromPath,
} from '../../../verifier/verify-bundle.mjs'
import { type CheckpointRow, checkpointMac } from './history-event.ts'
import {
  type VerifiedEvent,
  type VerifiedHistory,
  type StoredDocument,
  failCheck,
} from './record-verification.ts'

export interface StoredLeaf {
  log_id: string
  document_id: string
  seq: number
  hash: Buffer
}

export interface SequencedLeaf extends StoredLeaf {
  idx: bigint
}

export interface StoredCheckpoint extends CheckpointRow {
  size: bigint
  root: Buffer
  mac: Buffer
}

export interface StoredLogKey {
  vkey: string
  from_size: bigint
  until_size: bigint | null
}

/** Every event is a leaf of its log or waits to be one, as itself; leaves come first. */
export const verifiedLeafIndexes = (
  { id, mode }: Pick<StoredDocument, 'id' | 'mode'>,
  events: readonly VerifiedEvent[],
  leaves: readonly SequencedLeaf[],
  queued: readonly StoredLeaf[],
): readonly number[] => {
  const isSame = (row: StoredLeaf, event: VerifiedEvent) =>
    row.log_id === mode &&
    row.document_id === id &&
    row.seq === event.header.seq &&
    row.hash.equals(event.hash)
  if (leaves.length > events.length)
    failCheck('INCLUSION', 'the log has events that are missing here')
  for (const [i, event] of events.entries()) {
    const { seq } = event.header
    const leaf = leaves[i]
    const waiting = queued.filter((row) => row.seq === seq)
    const isRight =
      leaf === undefined
        ? waiting.length === 1 && isSame(waiting[0]!, event)
        : waiting.length === 0 && isSame(leaf, event)
    if (!isRight) failCheck('INCLUSION', 'the event is neither in the log nor on its way', { seq })
  }
  const indexes = leaves.map((leaf) => Number(leaf.idx))
  indexes.reduce(
    (before, index, i) =>
      index > before ? index : failCheck('ORDER', 'the log runs backwards', { seq: i + 1 }),
    -1,
  )
  return indexes
}

/** The note that each trust was last found to have signed: every read meets the same one. */
const lastVerified = new WeakMap<Trust, { note: string; read: Checkpoint }>()

const verifiedCheckpoint = (note: string, trust: Trust): Checkpoint => {
  const last = lastVerified.get(trust)
  if (last?.note === note) return last.read
  const read = parseCheckpoint(note)
  if (read.origin !== trust.origin) failCheck('ORIGIN', 'a checkpoint of another log')
  checkSignatures(read, read.size, trust)
  lastVerified.set(trust, { note, read })
  return read
}

/** The newest checkpoint, its columns and the keys that the database lists. */
export const checkCheckpoint = (
  checkpoint: StoredCheckpoint,
  keys: readonly StoredLogKey[],
  trust: Trust,
  macKey: Buffer,
): void => {
  const { note, size, root, mac } = checkpoint
  const read = verifiedCheckpoint(note, trust)
  if (read.size !== Number(size) || !read.root.equals(root))
    failCheck('SIGNATURE', 'not what was signed')
  if (!mac.equals(checkpointMac(checkpoint, macKey))) failCheck('MAC', 'the time of the checkpoint')
  const isListed = (key: Trust['keys'][number]) =>
    keys.some(
      ({ vkey, from_size: from, until_size: until }) =>
        vkey === key.vkey &&
        Number(from) === key.from &&
        (until === null ? Infinity : Number(until)) === key.until,
    )
  if (keys.length !== trust.keys.length || !trust.keys.every(isListed)) {
    failCheck('KEY_WINDOW', 'the keys of the log are others')
  }
}

/** A head note that is kept is ours, and about an event of this document. */
export const checkHeadNote = (
  { seq, note }: { seq: number; note: string },
  { stream, events }: VerifiedHistory,
  trust: Trust,
): void => {
  const head = parseHead(note)
  checkSignatures(head satisfies Note, head.size, trust)
  const isRight =
    head.origin === trust.origin &&
    head.stream === stream &&
    head.seq === seq &&
    head.hash === events[seq - 1]?.hash.toString('hex')
  if (!isRight) failCheck('HEAD', 'a head note of another event', { seq })
}

/** A leaf that no checkpoint covers yet is in the tree that waits to be signed. */
export const checkPendingLeaf = (event: VerifiedEvent, storedHash: Buffer): void => {
  if (storedHash.equals(event.hash)) return
  failCheck('INCLUSION', 'the event is not in the log at that place', { seq: event.header.seq })
}

/** The leaf is where it says, under this root. */
export const checkInclusion = (
  event: VerifiedEvent,
  index: number,
  path: readonly Buffer[],
  { size, root }: { size: number; root: Buffer },
): void => {
  assert(index < size, 'only covered leaves have a path')
  const found = rootFromPath(event.hash, index, size, path)
  if (found?.equals(root) !== true) {
    failCheck('INCLUSION', 'the event is not in the log at that place', { seq: event.header.seq })
  }
}
