/**
 * A document's record as it may be shown: read at one moment and verified in full, or not at all.
 * What does not hold puts the document on hold and answers 500; nothing of it leaves.
 */
import { refuse } from '../contract/errors.ts'
import type { LogId } from '../core/checkpoint.ts'
import { encodeId } from '../core/ids.ts'
import { type HashAt, type TileTree, hashed, inclusionNodes } from '../core/merkle.ts'
import {
  type KeptCheckpoint,
  checkCheckpoint,
  checkHeadNote,
  checkInclusion,
  checkedLeaves,
} from '../core/logged.ts'
import { type History, checkDocument, checkedHistory } from '../core/record.ts'
import type { Log, Notary, Signed } from '../notary.ts'
import { newId } from '../randomness.ts'
import type { Database } from '../database.ts'
import type { Connection } from '../sql.ts'
import { putOnHold } from '../store/log.ts'
import { type StoredRecord, atOneMoment, queuedOf, storedRecord } from '../store/provenance.ts'
import type { Rows } from '../store/rows.ts'
import { MissingNode, hashesOf } from '../store/tiles.ts'
import { Failure } from '../../verifier/verify-bundle.mjs'

/** What verifying needs; a Context has it all. */
export interface Verifying {
  database: Database
  notary: Notary
  tileTree(data: Buffer): TileTree
  keyring: { history: Buffer | null }
  log: { failure(what: string, error: unknown, more?: Record<string, unknown>): void }
  metrics: { count(name: string, labels?: string): void }
}

export interface VerifiedRecord {
  document: Rows['documents']
  history: History
  links: readonly Rows['document_links'][]
  heads: readonly Rows['head_note'][]
  log: Log
  /** Undefined while nothing was ever signed. */
  checkpoint: KeptCheckpoint | undefined
  /** The leaf of each event that the newest checkpoint covers. */
  indexes: readonly number[]
}

/** What does not hold of the log as a whole: no single document is to blame. */
class LogFailure extends Failure {}

const ofTheLog = <T>(check: () => T): T => {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new LogFailure(error.check, error.message)
  }
}

/** What does not hold, of which document; its data is withheld. */
export class IntegrityFailure extends Error {
  override name = 'IntegrityFailure'
  readonly document: string
  readonly failure: Failure
  /** The document that the caller asked for. */
  readonly asked: string
  constructor(document: string, failure: Failure, asked = document) {
    super(`${failure.check}: ${failure.message}`, { cause: failure })
    this.document = document
    this.failure = failure
    this.asked = asked
  }

  /** Of the log as a whole: it may have been on its way. */
  get isPassing(): boolean {
    return this.failure instanceof LogFailure
  }

  /** The same, said of the document that the caller knows. */
  shownAs(asked: string): IntegrityFailure {
    return new IntegrityFailure(this.document, this.failure, asked)
  }
}

/** One read of the database, in which several records can be verified. */
export interface Moment {
  tx: Connection
  log: Log
  signed: Signed | undefined
}

/** All that `work` reads is of one moment. */
export const atOnce = async <T>(
  { database, notary }: Pick<Verifying, 'database' | 'notary'>,
  id: LogId,
  work: (moment: Moment) => Promise<T>,
): Promise<T> => {
  // Before the snapshot: what was signed then is in the database by now.
  const [log, signed] = await Promise.all([notary.log(id), notary.lastSeen(id)])
  return database.transaction(async (tx) => {
    // Both are waited for together: whichever fails first, nobody is left to fail unheard.
    const [, result] = await Promise.all([atOneMoment(tx), work({ tx, log, signed })])
    return result
  })
}

/** Undefined: there is no such document. */
export const verifiedRecord = async (
  { tx, log, signed }: Moment,
  { tileTree, keyring }: Pick<Verifying, 'tileTree' | 'keyring'>,
  id: string,
): Promise<VerifiedRecord | undefined> => {
  const stored = await storedRecord(tx, id, log.id)
  const { document, checkpoint } = stored
  if (document === undefined) return undefined
  try {
    if (document.integrity_hold) throw new Failure('HOLD', 'the document is on hold')
    const { history, indexes } = await checked(tx, stored, log, keyring.history!)
    const { links, heads } = stored
    const record = { document, history, links, heads, log, indexes }
    const isFresh = checkpoint === undefined && signed === undefined && indexes.length === 0
    if (isFresh) return { ...record, checkpoint }
    if (checkpoint === undefined || Number(checkpoint.size) < (signed?.size ?? 0)) {
      throw new LogFailure('CHECKPOINT', 'a checkpoint that was signed is missing')
    }
    const size = Number(checkpoint.size)
    if (indexes.some((index) => index >= size)) {
      throw new LogFailure('CHECKPOINT', 'a leaf that no checkpoint covers')
    }
    const nodes = indexes.map((index) => inclusionNodes(index, size))
    const hashAt = await hashesOf(tx, log.id, nodes.flat(2), tileTree)
    for (const [i, index] of indexes.entries()) {
      const path = hashed(nodes[i]!, hashAt)
      checkInclusion(history.events[i]!, index, path, { size, root: checkpoint.root })
    }
    return { ...record, checkpoint }
  } catch (error) {
    if (error instanceof Failure) throw new IntegrityFailure(id, error)
    if (error instanceof MissingNode) {
      throw new IntegrityFailure(id, new Failure('INCLUSION', error.message))
    }
    throw error
  }
}

const checked = async (
  tx: Connection,
  stored: StoredRecord & { document?: Rows['documents'] | undefined },
  log: Log,
  macKey: Buffer,
) => {
  const document = stored.document!
  if (document.mode !== log.id) throw new Failure('REPLAY', 'mode')
  const history = checkedHistory(document, stored.events, macKey)
  const isWaiting = stored.leaves.length < history.events.length
  const queued = isWaiting ? await queuedOf(tx, document.id) : []
  const indexes = checkedLeaves(document, history.events, stored.leaves, queued)
  checkDocument(document, stored, history, macKey)
  const { checkpoint, keys } = stored
  if (checkpoint !== undefined) {
    ofTheLog(() => checkCheckpoint(checkpoint, keys, log.trust, macKey))
  }
  for (const head of stored.heads) checkHeadNote(head, history, log.trust)
  return { history, indexes }
}

/** The path of every event in the tree of this size. */
export const pathsAt = async (
  tx: Connection,
  log: LogId,
  indexes: readonly number[],
  { size, tileTree }: { size: number; tileTree(data: Buffer): TileTree },
): Promise<Buffer[][]> => {
  const nodes = indexes.map((index) => inclusionNodes(index, size))
  const hashAt: HashAt = await hashesOf(tx, log, nodes.flat(2), tileTree)
  return nodes.map((path) => hashed(path, hashAt))
}

/** A read that met a checkpoint or a key on its way into the database is made again. */
const retries = 100
const retryAfterMs = 5

/**
 * Runs a verified read; what does not hold is alarmed, put on hold and refused with
 * integrity_failure. `seq`s up to the failing one were verified.
 */
export const failClosed = async <T>(parts: Verifying, read: () => Promise<T>): Promise<T> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof IntegrityFailure)) throw error
      if (!(error.failure instanceof LogFailure) || attempt === retries) {
        throw await alarmed(parts, error)
      }
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    }
  }
}

/** Alarm line, metric, hold; answers the refusal. */
export const alarmed = async (parts: Verifying, error: IntegrityFailure): Promise<Error> => {
  const { document, failure } = error
  const { check, seq, slot } = failure
  const incident = encodeId('inc', newId())
  const documentId = encodeId('doc', document)
  parts.metrics.count('docex_integrity_failures_total', `check="${check}"`)
  parts.log.failure('integrity_failure', error, {
    incident,
    document: documentId,
    check,
    seq,
    slot,
  })
  if (!(failure instanceof LogFailure)) await putOnHold(parts.database.read, [document])
  return refuse(
    'integrity_failure',
    'The stored record of this document does not match its proofs. Nothing was returned.',
    {
      document_id: encodeId('doc', error.asked),
      failures: [
        { check, ...(seq === undefined ? {} : { seq }), ...(slot === undefined ? {} : { slot }) },
      ],
      last_verified_seq: seq === undefined ? 0 : seq - 1,
      incident_id: incident,
    },
  )
}
