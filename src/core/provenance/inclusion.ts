/**
 * Checks a document's events against the transparency log (RFC 9162): the leaf of every event, its
 * inclusion under a signed checkpoint, the signed head, and the log keys that the database lists.
 */
import assert from 'node:assert/strict'
import * as verifier from '../../../verifier/verify-bundle.mjs'
import type { Rows } from '../../database/rows.ts'
import type { HistoryKeys } from './history-keys.ts'
import type { CheckpointRow, LogId } from './signed-notes.ts'
import { type VerifiedEvent, type VerifiedHistory, failCheck } from './history-verification.ts'
import { type StoredDocument } from './record-verification.ts'

export type SequencedLeaf = Rows['log_leaf']
export type StoredLeaf = Omit<SequencedLeaf, 'idx'>
export type StoredCheckpoint = Pick<
  Rows['log_checkpoint'],
  keyof CheckpointRow | 'size' | 'root' | 'mac'
>
export type StoredLogKey = Omit<Rows['log_key'], 'log_id'>

/** Checks that every event is a leaf or, after all leaves, queued; returns the leaf indexes. */
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
    failCheck('INCLUSION', 'the log has more events than the history')
  for (const [i, event] of events.entries()) {
    const { seq } = event.header
    const leaf = leaves[i]
    const pending = queued.filter((row) => row.seq === seq)
    const isConsistent =
      leaf === undefined
        ? pending.length === 1 && isSame(pending[0]!, event)
        : pending.length === 0 && isSame(leaf, event)
    if (!isConsistent) failCheck('INCLUSION', 'the event is neither logged nor queued', { seq })
  }
  const indexes = leaves.map((leaf) => Number(leaf.idx))
  indexes.reduce(
    (previous, index, i) =>
      index > previous
        ? index
        : failCheck('ORDER', 'the leaf indexes do not increase', { seq: i + 1 }),
    -1,
  )
  return indexes
}

/** Parses a checkpoint and verifies its signatures. */
export const signedCheckpoint = (note: string, trust: verifier.Trust): verifier.Checkpoint => {
  const checkpoint = verifier.parseCheckpoint(note)
  if (checkpoint.origin !== trust.origin) failCheck('ORIGIN', 'the checkpoint is of another log')
  verifier.checkSignatures(checkpoint, checkpoint.size, trust)
  return checkpoint
}

/** What verification needs of a log. */
export interface TrustedLog {
  id: LogId
  trust: verifier.Trust
  /** `signedCheckpoint` of a note, computed once per note. */
  checkpointOf(note: string): verifier.Checkpoint
}

/** Checks the newest checkpoint, its columns and the log keys that the database lists. */
export const checkCheckpoint = (
  checkpoint: StoredCheckpoint,
  keys: readonly StoredLogKey[],
  { id, trust, checkpointOf }: TrustedLog,
  historyKeys: HistoryKeys,
): void => {
  const { note, size, root } = checkpoint
  const signed = checkpointOf(note)
  if (signed.size !== Number(size) || !signed.root.equals(root))
    failCheck('SIGNATURE', 'the stored size or root is not the signed one')
  if (!historyKeys.holdsCheckpoint(checkpoint, id))
    failCheck('MAC', "the checkpoint's time or predecessor is not authentic")
  const isListed = (key: verifier.Trust['keys'][number]) =>
    keys.some(
      ({ vkey, from_size: from, until_size: until }) =>
        vkey === key.vkey &&
        Number(from) === key.from &&
        (until === null ? Infinity : Number(until)) === key.until,
    )
  if (keys.length !== trust.keys.length || !trust.keys.every(isListed)) {
    failCheck('KEY_WINDOW', 'the stored log keys are not the trusted ones')
  }
}

/** Checks that a stored head note is signed by the log and names an event of this document. */
export const checkHeadNote = (
  { seq, note }: { seq: number; note: string },
  { stream, events }: VerifiedHistory,
  trust: verifier.Trust,
): void => {
  const head = verifier.parseHead(note)
  verifier.checkSignatures(head satisfies verifier.Note, head.keySize, trust)
  const isMatch =
    head.origin === trust.origin &&
    head.stream === stream &&
    head.seq === seq &&
    head.hash === events[seq - 1]?.hash.toString('hex')
  if (!isMatch) failCheck('HEAD', 'the head note is of another event', { seq })
}

/** Checks a leaf that no checkpoint covers yet against the unsigned part of the tree. */
export const checkPendingLeaf = (event: VerifiedEvent, storedHash: Buffer): void => {
  if (storedHash.equals(event.hash)) return
  failCheck('INCLUSION', 'the log has another leaf at this index', { seq: event.header.seq })
}

/** Checks the audit paths of the first events under this root. */
export function* checkInclusions(
  events: readonly VerifiedEvent[],
  {
    indexes,
    paths,
    ...tree
  }: { indexes: readonly number[]; paths: readonly Buffer[][]; size: number; root: Buffer },
): Generator<void, void> {
  for (const [i, index] of indexes.entries()) {
    checkInclusion(events[i]!, index, paths[i]!, tree)
    yield
  }
}

/** Checks the audit path of a leaf under this root. */
const checkInclusion = (
  event: VerifiedEvent,
  index: number,
  path: readonly Buffer[],
  { size, root }: { size: number; root: Buffer },
): void => {
  assert(index < size, 'only covered leaves have an audit path')
  const computed = verifier.rootFromPath(event.hash, index, size, path)
  if (computed?.equals(root) !== true) {
    failCheck('INCLUSION', 'the log has another leaf at this index', { seq: event.header.seq })
  }
}
