/**
 * A log as it may be answered for: its newest checkpoint is there, and is ours. The notary knows
 * what was signed last. A database that was restored from a backup lacks it, and nothing is
 * answered; one in which only the last step is missing, between signing and its commit, holds the
 * very tree that was signed, and is merely not published yet.
 */
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
import type { LatestCheckpoint, TransparencyLog, Notary } from '../../notary/notary.ts'
import type { Database } from '../../database/pool.ts'
import type { Connection } from '../../database/sql.ts'
import { logKeys, newestCheckpoint } from '../../store/provenance/transparency-log.ts'
import { MissingNode, nodeHashes } from '../../store/provenance/tiles.ts'
import { Failure, emptyRoot, isConsistent } from '../../../verifier/verify-bundle.mjs'

/** What does not hold of the log as a whole: no single document is to blame. */
export class LogFailure extends Failure {}

/** One read of the database, in which several records can be verified. */
export interface LogSnapshot {
  tx: Connection
  log: TransparencyLog
  lastSigned: LatestCheckpoint | undefined
}

/** All that `work` reads is of one moment. */
export const withLogSnapshot = async <T>(
  { database, notary }: { database: Database; notary: Notary },
  id: LogId,
  work: (moment: LogSnapshot) => Promise<T>,
): Promise<T> => {
  // Before the snapshot: what was published then is in the database by now.
  const [log, lastSigned] = await Promise.all([notary.log(id), notary.cachedCheckpoint(id)])
  return database.snapshot((tx) => work({ tx, log, lastSigned }))
}

export interface LogVerifierDependencies {
  keyring: { history: Buffer | null }
  tileTree(data: Buffer): TileTree
}

/** Undefined while nothing was ever published. */
export const verifiedCheckpoint = async (
  snapshot: LogSnapshot,
  parts: LogVerifierDependencies,
): Promise<StoredCheckpoint | undefined> => {
  const { tx, log } = snapshot
  const [checkpoint, keys] = await Promise.all([newestCheckpoint(tx, log.id), logKeys(tx, log.id)])
  await checkNewestCheckpoint(snapshot, parts, { checkpoint, keys })
  return checkpoint
}

/** Fails, as a LogFailure, unless this is the newest checkpoint that there has to be. */
export const checkNewestCheckpoint = async (
  { tx, log, lastSigned }: LogSnapshot,
  { keyring, tileTree }: LogVerifierDependencies,
  { checkpoint, keys }: { checkpoint: StoredCheckpoint | undefined; keys: readonly StoredLogKey[] },
): Promise<void> => {
  if (checkpoint !== undefined) {
    asLogFailure(() => checkCheckpoint(checkpoint, keys, log.trust, keyring.history!))
  }
  const size = Number(checkpoint?.size ?? -1n)
  if (lastSigned === undefined || size >= lastSigned.size) return
  if (lastSigned.isPublished || size !== lastSigned.previousSize) {
    throw new LogFailure('CHECKPOINT', 'a checkpoint that was published is missing')
  }
  // The stored tree is the one that was signed, and goes on from what was published.
  const published = Math.max(size, 0)
  const proof = consistencyNodes(published, lastSigned.size)
  const nodes = [...rootNodes(lastSigned.size), ...proof.flat()]
  const hashAt = await nodeHashes(tx, log.id, nodes, tileTree)
  asLogFailure(() => {
    const root = rootHash(lastSigned.size, hashAt)
    const before = checkpoint?.root ?? emptyRoot
    const isThere =
      root.equals(lastSigned.root) &&
      isConsistent(published, lastSigned.size, before, root, proofHashes(proof, hashAt))
    if (!isThere) throw new Failure('CHECKPOINT', 'the tree is not the one that was signed')
  })
}

const asLogFailure = (check: () => void): void => {
  try {
    check()
  } catch (error) {
    if (error instanceof Failure) throw new LogFailure(error.check, error.message)
    if (error instanceof MissingNode) throw new LogFailure('CHECKPOINT', error.message)
    throw error
  }
}
