/** Reads a document's record in one snapshot and verifies all of it before any of it is shown. */
import type { LogId } from '../../core/provenance/signed-notes.ts'
import {
  type HashReader,
  type ProofNodes,
  proofHashes,
  inclusionNodes,
} from '../../core/provenance/merkle-tree.ts'
import {
  type StoredCheckpoint,
  checkHeadNote,
  checkInclusions,
  checkPendingLeaf,
  verifiedLeafIndexes,
} from '../../core/provenance/inclusion.ts'
import { checkLinks } from '../../core/provenance/lineage.ts'
import {
  type VerifiedHistory,
  failUnreadable,
  verifyHistory,
  writtenBy,
} from '../../core/provenance/history-verification.ts'
import {
  checkPayments,
  checkTransactions,
  recordedPayments,
  recordedTransactions,
} from '../../core/provenance/payment-transactions.ts'
import { areEntriesOf } from '../../core/payments/ledger.ts'
import {
  checkAttachments,
  recordedAttachments,
} from '../../core/provenance/recorded-attachments.ts'
import { checkDocument, checkReferencedFinance } from '../../core/provenance/record-verification.ts'
import { checkSignedSlots } from '../../core/provenance/signed-slots.ts'
import { inTurns } from '../../database/in-turns.ts'
import type { Connection } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'
import {
  type StoredRecord,
  queuedEvents,
  storedRecord,
} from '../../store/provenance/stored-record.ts'
import { attachmentIdsOf } from '../../store/documents/attachments.ts'
import { referencedFinanceRows } from '../../store/finance/referenced-rows.ts'
import {
  type StoredTransaction,
  transactionsById,
} from '../../store/payments/ledger-transactions.ts'
import { paymentsById } from '../../store/payments/payments.ts'
import { nodeHashes } from '../../store/provenance/tiles.ts'
import type { TransparencyLog } from '../../notary/notary.ts'
import { Failure, emptyRoot } from '../../../verifier/verify-bundle.mjs'
import type { DocumentRow } from '../change-context.ts'
import {
  type LogSnapshot,
  type LogVerifierDependencies,
  checkNewestCheckpoint,
} from './verified-log.ts'
import { attributeFailure } from './integrity-failure.ts'

export interface VerifiedRecord {
  document: DocumentRow
  history: VerifiedHistory
  links: StoredRecord['links']
  heads: readonly Rows['head_note'][]
  log: TransparencyLog
  /** Undefined until the first publication. */
  checkpoint: StoredCheckpoint | undefined
  /** The leaf index of each event that the newest checkpoint covers. */
  indexes: readonly number[]
}

/** Undefined if the document does not exist or the caller may not see it. */
export const verifiedRecord = async (
  snapshot: LogSnapshot,
  dependencies: LogVerifierDependencies,
  id: string,
  isVisible: (document: DocumentRow) => boolean = () => true,
): Promise<VerifiedRecord | undefined> => {
  const stored = await storedRecord(snapshot.tx, id, snapshot.log.id)
  const { document } = stored
  if (document === undefined || !isVisible(document)) return undefined
  const isOnHold = document.integrity_hold
  return attributeFailure(
    id,
    async () => {
      const record = await verifyRecord(snapshot, dependencies, { ...stored, document })
      // Checked last: a current failure says more than an earlier one.
      if (isOnHold) throw new Failure('HOLD', 'the document is on hold')
      return record
    },
    isOnHold,
  )
}

const verifyRecord = async (
  snapshot: LogSnapshot,
  dependencies: LogVerifierDependencies,
  stored: StoredRecord & { document: DocumentRow },
): Promise<VerifiedRecord> => {
  const { tx, log } = snapshot
  const { document, links, headNotes, checkpoint } = stored
  if (document.mode !== log.id) throw new Failure('REPLAY', 'mode')
  const isOurs = writtenBy(dependencies.keyring.history!, log.id, stored.leaves)
  const history = await inTurns(verifyHistory(document, stored.events, isOurs))
  const isWaiting = stored.leaves.length < history.events.length
  const queued = isWaiting ? await queuedEvents(tx, document.id) : []
  const leaves = failUnreadable(() => {
    const indexes = verifiedLeafIndexes(document, history.events, stored.leaves, queued)
    checkDocument(document, stored, history, tx.seals.holds('documents', document))
    checkLinks(document, links, history)
    checkSignedSlots(document.id, history)
    return indexes
  })
  if (document.finance !== null) await verifyFinance(snapshot, stored)
  const paid = recordedPayments(history.events)
  if (paid.size > 0) checkPayments(paid, await paymentsById(tx, [...paid.keys()]))
  const recorded = recordedTransactions(history.events)
  if (recorded.size > 0) {
    const transactions = await transactionsById(tx, [...recorded.keys()])
    const isIntact = (row: StoredTransaction): boolean =>
      tx.seals.holds('ledger_tx', row) && areEntriesOf(row, row.entries)
    failUnreadable(() => checkTransactions(recorded, transactions, isIntact))
  }
  const attached = recordedAttachments(history.events)
  if (attached.size > 0) checkAttachments(attached, await attachmentIdsOf(tx, document.id))
  await checkNewestCheckpoint(snapshot, dependencies, stored)
  for (const head of headNotes) failUnreadable(() => checkHeadNote(head, history, log.trust))

  const size = Number(checkpoint?.size ?? 0n)
  const indexes = leaves.filter((index) => index < size)
  const nodes = indexes.map((index) => inclusionNodes(index, size))
  // Leaves that no published checkpoint covers are pending, but must have their stored index.
  const uncovered = leaves.slice(indexes.length).map((index) => ({ level: 0, index }))
  const hashAt = await nodeHashes(
    tx,
    log.id,
    [...nodes.flat(2), ...uncovered],
    dependencies.tileTree,
  )
  const paths = await inTurns(pathsOf(nodes, hashAt))
  const inclusion = { indexes, paths, size, root: checkpoint?.root ?? emptyRoot }
  await inTurns(checkInclusions(history.events, inclusion))
  for (const [i, place] of uncovered.entries()) {
    checkPendingLeaf(history.events[indexes.length + i]!, hashAt(place))
  }
  return { document, history, links, heads: headNotes, log, checkpoint, indexes }
}

function* pathsOf(nodes: readonly ProofNodes[], hashAt: HashReader): Generator<void, Buffer[][]> {
  const paths: Buffer[][] = []
  for (const path of nodes) {
    paths.push(proofHashes(path, hashAt))
    yield
  }
  return paths
}

/** The rows that the document names are there, and as they were sealed. */
const verifyFinance = async (
  { tx }: Pick<LogSnapshot, 'tx'>,
  stored: StoredRecord & { document: DocumentRow },
): Promise<void> => {
  const rows = await referencedFinanceRows(tx, stored.document)
  for (const table of Object.keys(rows) as (keyof typeof rows)[]) {
    const isIntact = rows[table].every((row) => tx.seals.holds(table, row))
    if (!isIntact) throw new Failure('GUARD', `a row of ${table} is not as it was sealed`)
  }
  failUnreadable(() => checkReferencedFinance(stored.document, stored, rows))
}

/** The inclusion path of each leaf in the tree of this size. */
export const inclusionPathsAt = async (
  tx: Connection,
  log: LogId,
  indexes: readonly number[],
  { size, tileTree }: Pick<LogVerifierDependencies, 'tileTree'> & { size: number },
): Promise<Buffer[][]> => {
  const nodes = indexes.map((index) => inclusionNodes(index, size))
  const hashAt = await nodeHashes(tx, log, nodes.flat(2), tileTree)
  return inTurns(pathsOf(nodes, hashAt))
}
