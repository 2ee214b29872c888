/**
 * Verifies a log before anything of it is served: its newest checkpoint must be present and ours.
 * The notary knows what was signed last. A database restored from a backup lacks it, and nothing is
 * served; one that only lacks the commit after signing holds the very tree that was signed, which
 * is merely not published yet.
 */
import type { HistoryKeys } from '../../core/provenance/history-keys.ts'
import type { LogId } from '../../core/provenance/signed-notes.ts'
import {
  type TileTree,
  consistencyNodes,
  proofHashes,
  rootNodes,
  rootHash,
} from '../../core/provenance/merkle-tree.ts'
import {
  type StoredCheckpoint,
  type StoredLogKey,
  checkCheckpoint,
} from '../../core/provenance/inclusion.ts'
import type { LatestCheckpoint } from '../../notary/checkpoint-files.ts'
import type { TransparencyLog, Notary } from '../../notary/notary.ts'
import type { Database } from '../../database/pool.ts'
import type { Connection } from '../../database/sql.ts'
import { logKeys, newestCheckpoint } from '../../store/provenance/transparency-log.ts'
import { nodeHashes } from '../../store/provenance/tiles.ts'
import { Failure, emptyRoot, isConsistent } from '../../../verifier/verify-bundle.mjs'

/** A failure of the log as a whole, not of a single document. */
export class LogFailure extends Failure {}

/** One database snapshot, in which several records can be verified. */
export interface LogSnapshot {
  tx: Connection
  log: TransparencyLog
  lastSigned: LatestCheckpoint | undefined
}

/** Runs `work` in one snapshot of the database. */
export const withLogSnapshot = async <T>(
  { snapshot, notary }: { snapshot: Database['snapshot']; notary: Notary },
  id: LogId,
  work: (snapshot: LogSnapshot) => Promise<T>,
): Promise<T> => {
  // Read before the snapshot, which therefore contains everything published until then.
  const [log, lastSigned] = await Promise.all([notary.log(id), notary.cachedCheckpoint(id)])
  return snapshot((tx) => work({ tx, log, lastSigned }))
}

export interface LogVerifierDependencies {
  keyring: { history: HistoryKeys | null }
  tileTree(data: Buffer): TileTree
}

/** Undefined until the first publication. */
export const verifiedCheckpoint = async (
  snapshot: LogSnapshot,
  dependencies: LogVerifierDependencies,
): Promise<StoredCheckpoint | undefined> => {
  const { tx, log } = snapshot
  const [checkpoint, keys] = await Promise.all([newestCheckpoint(tx, log.id), logKeys(tx, log.id)])
  await checkNewestCheckpoint(snapshot, dependencies, { checkpoint, keys })
  return checkpoint
}

/** Throws a LogFailure unless this is the newest checkpoint that must exist. */
export const checkNewestCheckpoint = async (
  { tx, log, lastSigned }: LogSnapshot,
  { keyring, tileTree }: LogVerifierDependencies,
  { checkpoint, keys }: { checkpoint: StoredCheckpoint | undefined; keys: readonly StoredLogKey[] },
): Promise<void> => {
  if (checkpoint !== undefined) {
    asLogFailure(() => checkCheckpoint(checkpoint, keys, log, keyring.history!))
  }
  const size = Number(checkpoint?.size ?? -1n)
  if (lastSigned === undefined || size >= lastSigned.size) return
  if (lastSigned.isPublished || size !== lastSigned.previousSize) {
    throw new LogFailure('CHECKPOINT', 'a checkpoint that was published is missing')
  }
  // The stored tree must be the signed one and extend the published one.
  const published = Math.max(size, 0)
  const proof = consistencyNodes(published, lastSigned.size)
  const nodes = [...rootNodes(lastSigned.size), ...proof.flat()]
  const hashAt = await nodeHashes(tx, log.id, nodes, tileTree)
  asLogFailure(() => {
    const root = rootHash(lastSigned.size, hashAt)
    const publishedRoot = checkpoint?.root ?? emptyRoot
    const isSignedTree =
      root.equals(lastSigned.root) &&
      isConsistent(published, lastSigned.size, publishedRoot, root, proofHashes(proof, hashAt))
    if (!isSignedTree) throw new Failure('CHECKPOINT', 'the tree is not the one that was signed')
  })
}

const asLogFailure = (check: () => void): void => {
  try {
    check()
  } catch (error) {
    const check = error instanceof Failure ? error.check : 'CHECKPOINT'
    throw new LogFailure(check, error instanceof Error ? error.message : String(error))
  }
}
