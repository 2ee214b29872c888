/**
 * Proves that a log continues its earlier epochs: each epoch began with a leaf that holds the last
 * checkpoint of the one before (docs/decisions/0026). Leaves of all epochs are in the current log.
 */
import { openedEvents, writtenBy } from '../../core/provenance/history-verification.ts'
import type { StoredCheckpoint } from '../../core/provenance/inclusion.ts'
import { inclusionNodes, proofHashes } from '../../core/provenance/merkle-tree.ts'
import { firstEventOf } from '../../store/provenance/log-epochs.ts'
import { nodeHashes } from '../../store/provenance/tiles.ts'
import {
  type Header,
  type Opening,
  canonical,
  parseCheckpoint,
  verifyEpochs,
} from '../../../verifier/verify-bundle.mjs'
import { logStream } from './log-events.ts'
import type { LogSnapshot, LogVerifierDependencies } from './verified-log.ts'

interface EpochEvent {
  header: Header
  log: { index: number; path: string[] }
  open: { shared: Opening }
}

/** The canonical text of the proof, verified under the checkpoint. */
export const epochProof = async (
  snapshot: LogSnapshot,
  dependencies: Pick<LogVerifierDependencies, 'tileTree' | 'keyring'>,
  { note, size }: StoredCheckpoint,
): Promise<string> => {
  const { log } = snapshot
  const epochs: EpochEvent[] = []
  for (let origin: string | undefined = log.origin; origin !== undefined;) {
    const begun = await epochEvent(snapshot, dependencies, { origin, size: Number(size) })
    if (begun === undefined) break
    const previous = begun.open.shared.body?.['previous']
    if (typeof previous !== 'string') break
    epochs.push(begun)
    origin = parseCheckpoint(previous).origin
  }
  const text = canonical({ checkpoint: note, epochs, format: 'svc-epochs/1' })
  verifyEpochs(Buffer.from(text), { trust: [log.trust] })
  return text
}

/** The event that began this epoch; undefined for the first one. */
const epochEvent = async (
  { tx, log }: LogSnapshot,
  { tileTree, keyring }: Pick<LogVerifierDependencies, 'tileTree' | 'keyring'>,
  { origin, size }: { origin: string; size: number },
): Promise<EpochEvent | undefined> => {
  const { document_id, stream } = logStream({ id: log.id, origin })
  const event = await firstEventOf(tx, log.id, document_id)
  if (event === undefined || event.idx >= size) return undefined
  const isOurs = writtenBy(keyring.history!, log.id, [event])
  const [begun] = openedEvents([event], stream, isOurs, canonical)
  const { shared } = begun!.open
  if (shared?.body?.type !== 'log.epoch_begun') return undefined
  const index = Number(event.idx)
  const nodes = inclusionNodes(index, size)
  const hashAt = await nodeHashes(tx, log.id, nodes.flat(), tileTree)
  const path = proofHashes(nodes, hashAt).map((node) => node.toString('hex'))
  return { header: begun!.header, log: { index, path }, open: { shared } }
}
