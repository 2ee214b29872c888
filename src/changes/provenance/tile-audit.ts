/**
 * Compares a tile of the log with what was signed and with the rows that its leaves name. It finds
 * a document that was rolled back with all of its tables: a leaf of it is missing then, or names an
 * event that no document has.
 */
import { epochOf } from '../../core/provenance/signed-notes.ts'
import {
  type TileTree,
  inclusionNodes,
  proofHashes,
  tileWidth,
} from '../../core/provenance/merkle-tree.ts'
import type { Queryable } from '../../database/sql.ts'
import type { SignedCheckpoint } from '../../notary/checkpoint-files.ts'
import type { TransparencyLog } from '../../notary/notary.ts'
import { type AuditedLeaf, auditedLeaves } from '../../store/provenance/audited-rows.ts'
import { MissingNode, nodeHashes } from '../../store/provenance/tiles.ts'
import { rootFromPath } from '../../../verifier/verify-bundle.mjs'
import { logStream } from './log-events.ts'

export interface TileAudit {
  leaves: readonly AuditedLeaf[]
  finding: TileFinding | undefined
}

export interface TileFinding {
  message: string
  /** The first leaf that is missing. */
  leaf?: number
  /** Whose leaves have no event, or lie beyond the end of the document's history. */
  documents: readonly string[]
}

interface SignedTree {
  db: Queryable
  log: TransparencyLog
  signed: SignedCheckpoint
  tileTree(data: Buffer): TileTree
}

export const auditTile = async (tree: SignedTree, n: number): Promise<TileAudit> => {
  const { db, log, signed } = tree
  const start = n * tileWidth
  const end = Math.min(start + tileWidth, signed.size)
  const leaves = await auditedLeaves(db, log.id, start, end)
  const missing = Array.from({ length: end - start }, (_, i) => start + i).find(
    (index, i) => Number(leaves[i]?.idx ?? -1n) !== index,
  )
  const owners = ownDocuments(log)
  const unmatched = leaves.filter((leaf) => !isMatched(leaf, owners))
  const documents = [...new Set(unmatched.map((leaf) => leaf.document_id))]
  if (unmatched.length > 0) {
    const message = 'a leaf has no matching event'
    return {
      leaves,
      finding: { message, documents, ...(missing === undefined ? {} : { leaf: missing }) },
    }
  }
  if (missing !== undefined) {
    return { leaves, finding: { message: 'a leaf is missing', leaf: missing, documents } }
  }
  const isSigned = await areSignedLeaves(tree, leaves)
  const finding = isSigned ? undefined : { message: 'leaves and signed tree differ', documents }
  return { leaves, finding }
}

/** The log's own events belong to no document. */
const ownDocuments = ({ id, origin }: TransparencyLog): ReadonlySet<string> => {
  const prefix = origin.slice(0, origin.lastIndexOf('/'))
  const epochs = Array.from({ length: epochOf(origin) }, (_, i) => `${prefix}/${i + 1}`)
  return new Set(epochs.map((epoch) => logStream({ id, origin: epoch }).document_id))
}

const isMatched = (leaf: AuditedLeaf, ownDocumentIds: ReadonlySet<string>): boolean =>
  leaf.event_hash?.equals(leaf.hash) === true &&
  (ownDocumentIds.has(leaf.document_id) || (leaf.head_seq ?? 0) >= leaf.seq)

/**
 * The path of the tile's first leaf to the signed root contains, hashed, all others of the tile, so
 * that tile is the signed one; then the leaves are compared with it.
 */
const areSignedLeaves = async (
  { db, log, signed: { size, root }, tileTree }: SignedTree,
  leaves: readonly AuditedLeaf[],
): Promise<boolean> => {
  const start = Number(leaves[0]!.idx)
  const proof = inclusionNodes(start, size)
  const places = leaves.map((_, i) => ({ level: 0, index: start + i }))
  try {
    const hashAt = await nodeHashes(db, log.id, [...proof.flat(), ...places], tileTree)
    const path = proofHashes(proof, hashAt)
    const isRoot = rootFromPath(leaves[0]!.hash, start, size, path)?.equals(root) === true
    return isRoot && leaves.every((leaf, i) => hashAt(places[i]!).equals(leaf.hash))
  } catch (error) {
    if (error instanceof MissingNode) return false
    throw error
  }
}
