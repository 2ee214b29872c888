/**
 * A log as it may be answered for: its newest checkpoint is there, and is ours. The notary knows
 * what was signed last. A database that was restored from a backup lacks it, and nothing is
 * answered; one in which only the last step is missing, between signing and its commit, holds the
 * very tree that was signed, and is merely not published yet.
 */
import type { LogId } from '../../core/provenance/checkpoint.ts'
import {
  type TileTree,
  consistencyNodes,
  hashed,
  rootNodes,
  rootOf,
} from '../../core/provenance/merkle-tree.ts'
import {
  type KeptCheckpoint,
  type KeptKey,
  checkCheckpoint,
} from '../../core/provenance/inclusion.ts'
import type { LastSigned, Log, Notary } from '../../notary/notary.ts'
import type { Database } from '../../database/pool.ts'
import type { Connection } from '../../database/sql.ts'
import { logKeys, newestCheckpoint } from '../../store/provenance/transparency-log.ts'
import { MissingNode, hashesOf } from '../../store/provenance/tiles.ts'
import { Failure, emptyRoot, isConsistent } from '../../../verifier/verify-bundle.mjs'

/** What does not hold of the log as a whole: no single document is to blame. */
export class LogFailure extends Failure {}

/** One read of the database, in which several records can be verified. */
export interface Moment {
  tx: Connection
  log: Log
  signed: LastSigned | undefined
}

/** All that `work` reads is of one moment. */
export const atOnce = async <T>(
  { database, notary }: { database: Database; notary: Notary },
  id: LogId,
  work: (moment: Moment) => Promise<T>,
): Promise<T> => {
  // Before the snapshot: what was published then is in the database by now.
  const [log, signed] = await Promise.all([notary.log(id), notary.lastSeen(id)])
  return database.snapshot((tx) => work({ tx, log, signed }))
}

export interface VerifyingLog {
  keyring: { history: Buffer | null }
  tileTree(data: Buffer): TileTree
}

/** Undefined while nothing was ever published. */
export const verifiedCheckpoint = async (
  moment: Moment,
  parts: VerifyingLog,
): Promise<KeptCheckpoint | undefined> => {
  const { tx, log } = moment
  const [checkpoint, keys] = await Promise.all([newestCheckpoint(tx, log.id), logKeys(tx, log.id)])
  await checkLog(moment, parts, { checkpoint, keys })
  return checkpoint
}

/** Fails, as a LogFailure, unless this is the newest checkpoint that there has to be. */
export const checkLog = async (
  { tx, log, signed }: Moment,
  { keyring, tileTree }: VerifyingLog,
  { checkpoint, keys }: { checkpoint: KeptCheckpoint | undefined; keys: readonly KeptKey[] },
): Promise<void> => {
  if (checkpoint !== undefined) {
    ofTheLog(() => checkCheckpoint(checkpoint, keys, log.trust, keyring.history!))
  }
  const size = Number(checkpoint?.size ?? -1n)
  if (signed === undefined || size >= signed.size) return
  if (signed.isPublished || size !== signed.after) {
    throw new LogFailure('CHECKPOINT', 'a checkpoint that was published is missing')
  }
  // The stored tree is the one that was signed, and goes on from what was published.
  const published = Math.max(size, 0)
  const proof = consistencyNodes(published, signed.size)
  const nodes = [...rootNodes(signed.size), ...proof.flat()]
  const hashAt = await hashesOf(tx, log.id, nodes, tileTree)
  ofTheLog(() => {
    const root = rootOf(signed.size, hashAt)
    const before = checkpoint?.root ?? emptyRoot
    const isThere =
      root.equals(signed.root) &&
      isConsistent(published, signed.size, before, root, hashed(proof, hashAt))
    if (!isThere) throw new Failure('CHECKPOINT', 'the tree is not the one that was signed')
  })
}

const ofTheLog = (check: () => void): void => {
  try {
    check()
  } catch (error) {
    if (error instanceof Failure) throw new LogFailure(error.check, error.message)
    if (error instanceof MissingNode) throw new LogFailure('CHECKPOINT', error.message)
    throw error
  }
}
