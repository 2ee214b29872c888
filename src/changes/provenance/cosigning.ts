/** Between signing a checkpoint and publishing it: its witnesses cosign it. */
import type { LogId } from '../../core/provenance/signed-notes.ts'
import { consistencyNodes, proofHashes, tileTree } from '../../core/provenance/merkle-tree.ts'
import type { SignedCheckpoint } from '../../notary/checkpoint-files.ts'
import type { Notary } from '../../notary/notary.ts'
import type { Database } from '../../database/pool.ts'
import { nodeHashes } from '../../store/provenance/tiles.ts'

export interface CosigningDependencies {
  database: Pick<Database, 'transaction'>
  notary: Notary
}

/** The log must not be signed as stored: a backup was restored, or a row was changed. */
export class LogRefusal extends Error {
  override name = 'LogRefusal'
}

export interface CosignedNote {
  size: number
  note: string
}

/** The note with the lines of its witnesses. Fewer than the quorum publish nothing. */
export const cosignedNote = async (
  { database, notary }: CosigningDependencies,
  id: LogId,
  { size, note }: SignedCheckpoint,
): Promise<CosignedNote> => {
  const proofFrom = (from: number) =>
    database.transaction(async (tx) => {
      const proof = consistencyNodes(from, size)
      return proofHashes(proof, await nodeHashes(tx, id, proof.flat(), tileTree))
    })
  const { lines, count, failures } = await notary.witnesses!.cosign(note, proofFrom)
  const { quorum } = notary.witnesses!
  if (count >= quorum) return { size, note: note + lines }
  throw new LogRefusal(
    `${count} witnesses of ${quorum} have cosigned ${size} leaves: ${failures.join(', ')}`,
  )
}
