/**
 * A document's record as it may be shown: read at one moment and verified in full, or not at all.
 * What does not hold puts the document on hold and answers 500; nothing of it leaves.
 */
import { refuse } from '../../contract/errors.ts'
import type { LogId } from '../../core/provenance/signed-notes.ts'
import { encodeId } from '../../core/ids.ts'
import { proofHashes, inclusionNodes } from '../../core/provenance/merkle-tree.ts'
import {
  type StoredCheckpoint,
  checkHeadNote,
  checkInclusion,
  checkPendingLeaf,
  verifiedLeafIndexes,
} from '../../core/provenance/inclusion.ts'
import { checkLinks } from '../../core/provenance/lineage.ts'
import {
  type VerifiedHistory,
  checkDocument,
  verifyHistory,
} from '../../core/provenance/record-verification.ts'
import type { TransparencyLog, Notary } from '../../notary/notary.ts'
import { newId } from '../../database/new-ids.ts'
import type { Database } from '../../database/pool.ts'
import type { Connection } from '../../database/sql.ts'
import { setIntegrityHold } from '../../store/provenance/transparency-log.ts'
import {
  type StoredRecord,
  queuedEvents,
  storedRecord,
} from '../../store/provenance/stored-record.ts'
import type { Rows } from '../../database/rows.ts'
import { MissingNode, nodeHashes } from '../../store/provenance/tiles.ts'
import { Failure } from '../../../verifier/verify-bundle.mjs'
import {
  LogFailure,
  type LogSnapshot,
  type LogVerifierDependencies,
  checkNewestCheckpoint,
} from './verified-log.ts'

/** What verifying needs; a Context has it all. */
export interface RecordVerifierDependencies extends LogVerifierDependencies {
  database: Database
  notary: Notary
  log: { error(what: string, error: unknown, more?: Record<string, unknown>): void }
  metrics: { count(name: string, labels?: string): void }
}

export interface VerifiedRecord {
  document: Rows['documents']
  history: VerifiedHistory
  links: StoredRecord['links']
  heads: readonly Rows['head_note'][]
  log: TransparencyLog
  /** Undefined while nothing was ever published. */
  checkpoint: StoredCheckpoint | undefined
  /** The leaf of each event that the newest checkpoint covers. */
  indexes: readonly number[]
}

/** What does not hold, of which document; its data is withheld. */
export class IntegrityFailure extends Error {
  override name = 'IntegrityFailure'
  /** Undefined: of the log alone. */
  readonly documentId: string | undefined
  readonly failure: Failure
  /** The document that the caller asked for. */
  readonly requestedId: string | undefined
  /** It was found, and alarmed, before. */
  readonly isOnHold: boolean
  constructor(
    document: string | undefined,
    failure: Failure,
    { asked = document, isHeld = false }: { asked?: string | undefined; isHeld?: boolean } = {},
  ) {
    super(`${failure.check}: ${failure.message}`, { cause: failure })
    this.documentId = document
    this.failure = failure
    this.requestedId = asked
    this.isOnHold = isHeld
  }

  /** Of the log as a whole: it may have been on its way. */
  get isTransient(): boolean {
    return this.failure instanceof LogFailure
  }

  /** The same, said of the document that the caller knows. */
  attributedTo(asked: string): IntegrityFailure {
    return new IntegrityFailure(this.documentId, this.failure, { asked, isHeld: this.isOnHold })
  }
}

/** Runs checks of the record of this document, or of the log alone; a failure names it. */
export const attributeFailure = async <T>(
  document: string | undefined,
  check: () => Promise<T>,
  isHeld = false,
): Promise<T> => {
  try {
    return await check()
  } catch (error) {
    if (error instanceof Failure) throw new IntegrityFailure(document, error, { isHeld })
    if (!(error instanceof MissingNode)) throw error
    const failure = new Failure('INCLUSION', error.message)
    throw new IntegrityFailure(document, failure, { isHeld })
  }
}

/** Undefined: there is no such document, or it is not for whoever asks. */
export const verifiedRecord = async (
  snapshot: LogSnapshot,
  parts: LogVerifierDependencies,
  id: string,
  isVisible: (document: Rows['documents']) => boolean = () => true,
): Promise<VerifiedRecord | undefined> => {
  const stored = await storedRecord(snapshot.tx, id, snapshot.log.id)
  const { document } = stored
  if (document === undefined || !isVisible(document)) return undefined
  const isHeld = document.integrity_hold
  return attributeFailure(
    id,
    async () => {
      const record = await verifyRecord(snapshot, parts, { ...stored, document })
      // Last: what is wrong now says more than that something was.
      if (isHeld) throw new Failure('HOLD', 'the document is on hold')
      return record
    },
    isHeld,
  )
}

const verifyRecord = async (
  snapshot: LogSnapshot,
  parts: LogVerifierDependencies,
  stored: StoredRecord & { document: Rows['documents'] },
): Promise<VerifiedRecord> => {
  const { tx, log } = snapshot
  const { document, links, headNotes, checkpoint } = stored
  const macKey = parts.keyring.history!
  if (document.mode !== log.id) throw new Failure('REPLAY', 'mode')
  const history = verifyHistory(document, stored.events, macKey)
  const isWaiting = stored.leaves.length < history.events.length
  const queued = isWaiting ? await queuedEvents(tx, document.id) : []
  const leaves = verifiedLeafIndexes(document, history.events, stored.leaves, queued)
  checkDocument(document, stored, history, macKey)
  checkLinks(document, links, history)
  await checkNewestCheckpoint(snapshot, parts, stored)
  for (const head of headNotes) checkHeadNote(head, history, log.trust)

  const size = Number(checkpoint?.size ?? 0n)
  const indexes = leaves.filter((index) => index < size)
  const nodes = indexes.map((index) => inclusionNodes(index, size))
  // Leaves that no published checkpoint covers are as good as waiting, where they say they are.
  const uncovered = leaves.slice(indexes.length).map((index) => ({ level: 0, index }))
  const hashAt = await nodeHashes(tx, log.id, [...nodes.flat(2), ...uncovered], parts.tileTree)
  for (const [i, index] of indexes.entries()) {
    const path = proofHashes(nodes[i]!, hashAt)
    checkInclusion(history.events[i]!, index, path, { size, root: checkpoint!.root })
  }
  for (const [i, place] of uncovered.entries()) {
    checkPendingLeaf(history.events[indexes.length + i]!, hashAt(place))
  }
  return { document, history, links, heads: headNotes, log, checkpoint, indexes }
}

/** The path of every event in the tree of this size. */
export const inclusionPathsAt = async (
  tx: Connection,
  log: LogId,
  indexes: readonly number[],
  { size, tileTree }: Pick<LogVerifierDependencies, 'tileTree'> & { size: number },
): Promise<Buffer[][]> => {
  const nodes = indexes.map((index) => inclusionNodes(index, size))
  const hashAt = await nodeHashes(tx, log, nodes.flat(2), tileTree)
  return nodes.map((path) => proofHashes(path, hashAt))
}

/** A read that met a key on its way into the database, or out of it, is made again. */
const retriesMax = 100
const retryAfterMs = 5

/**
 * Runs a verified read; what does not hold is alarmed, put on hold and refused with
 * integrity_failure. `seq`s up to the failing one were verified.
 */
export const failClosed = async <T>(
  parts: RecordVerifierDependencies,
  read: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof IntegrityFailure)) throw error
      if (!error.isTransient || attempt === retriesMax) {
        throw await raiseIntegrityAlarm(parts, error)
      }
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    }
  }
}

/** Alarm line, metric, hold; answers the refusal. */
export const raiseIntegrityAlarm = async (
  parts: RecordVerifierDependencies,
  error: IntegrityFailure,
): Promise<Error> => {
  const { documentId, failure, requestedId } = error
  const { check, seq, slot } = failure
  const incident = encodeId('inc', newId())
  const found = documentId === undefined ? {} : { document: encodeId('doc', documentId) }
  parts.metrics.count('docex_integrity_failures_total', `check="${check}"`)
  parts.log.error('integrity_failure', error, { incident, ...found, check, seq, slot })
  if (documentId !== undefined && !error.isTransient)
    await setIntegrityHold(parts.database.read, [documentId])
  return refuse(
    'integrity_failure',
    requestedId === undefined
      ? 'The stored log does not match what was signed. Nothing was returned.'
      : 'The stored record of this document does not match its proofs. Nothing was returned.',
    {
      ...(requestedId === undefined ? {} : { document_id: encodeId('doc', requestedId) }),
      failures: [
        { check, ...(seq === undefined ? {} : { seq }), ...(slot === undefined ? {} : { slot }) },
      ],
      ...(requestedId === undefined ? {} : { last_verified_seq: seq === undefined ? 0 : seq - 1 }),
      incident_id: incident,
    },
  )
}
