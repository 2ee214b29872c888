/**
 * The rolling auditor. It verifies every stored document as a read would and, tile by tile, that
 * the logs match the events and that every leaf still has its event. The latter also detects a
 * history whose end was rolled back together with its row. Several processes share one round.
 */
import { limits } from '../contract/limits.ts'
import { verifiedRecord } from '../changes/provenance/verified-record.ts'
import { withLogSnapshot } from '../changes/provenance/verified-log.ts'
import { reconcileLogKeys } from '../changes/provenance/log-keys.ts'
import type { Context } from '../context.ts'
import { type LogId, logIds } from '../core/provenance/signed-notes.ts'
import { encodeId } from '../core/ids.ts'
import { hashBytes, tileHeight, tileWidth } from '../core/provenance/merkle-tree.ts'
import * as audit from '../store/provenance/audit-progress.ts'
import { tilesAt } from '../store/provenance/tiles.ts'
import { setIntegrityHold } from '../store/provenance/transparency-log.ts'
import type { Task } from './runner.ts'
import { IntegrityFailure, raiseIntegrityAlarm } from '../changes/provenance/integrity-failure.ts'

export const auditProvenance: Task = {
  name: 'audit-provenance',
  everyMs: limits.auditEveryMs,
  run: async (context) => {
    if (context.keyring.history === null) return false
    for (const id of logIds) {
      await reconcileKeys(context, id, context.keyring.history)
      await auditDocuments(context, id)
      await auditTiles(context, id)
    }
    return false
  },
}

const auditDocuments = async (context: Context, id: LogId): Promise<void> => {
  const { database, metrics, notary } = context
  const log = { snapshot: database.snapshot, notary }
  const documents = await audit.nextDocumentsToAudit(
    database.background,
    id,
    limits.auditDocumentsPerRound,
  )
  for (const document of documents) {
    try {
      await withLogSnapshot(log, id, (snapshot) => verifiedRecord(snapshot, context, document))
    } catch (error) {
      if (!(error instanceof IntegrityFailure)) throw error
      if (!error.isOnHold && !error.isTransient) await raiseIntegrityAlarm(context, error)
    }
    metrics.count('docex_audited_documents_total')
  }
}

/** Checks that leaves, tiles and events agree. */
const auditTiles = async (context: Context, id: LogId): Promise<void> => {
  const { database, metrics, tileTree, log } = context
  const numbers = await audit.nextTilesToAudit(database.background, id, limits.auditTilesPerRound)
  for (const n of numbers) {
    const [tile] = await tilesAt(database.background, id, [{ level: 0, n }])
    const leaves = await audit.leavesWithEvents(
      database.background,
      id,
      n * tileWidth,
      (n + 1) * tileWidth,
    )
    const parentTiles =
      tile?.data.length === tileWidth * hashBytes
        ? await tilesAt(database.background, id, [{ level: 1, n: Math.floor(n / tileWidth) }])
        : []
    const at = (n % tileWidth) * hashBytes
    const root = parentTiles[0]?.data.subarray(at, at + hashBytes)
    const unmatched = leaves.filter((leaf) => leaf.event_hash?.equals(leaf.hash) !== true)
    const owners = [...new Set(unmatched.map((leaf) => leaf.document_id))]
    // The tile also determines the count, so that leaves missing at the end are noticed.
    const count = Math.max(leaves.length, (tile?.data.length ?? 0) / hashBytes)
    const indexes = Array.from({ length: count }, (_, i) => n * tileWidth + i)
    const missing = indexes.find((index, i) => Number(leaves[i]?.idx ?? -1n) !== index)
    const problem =
      unmatched.length > 0
        ? 'a leaf has no matching event'
        : missing !== undefined
          ? 'a leaf is missing'
          : tile !== undefined &&
              !Buffer.concat(leaves.map((leaf) => leaf.hash))
                .subarray(0, tile.data.length)
                .equals(tile.data)
            ? 'leaves and tile differ'
            : root !== undefined && !tileTree(tile!.data)[tileHeight]!.equals(root)
              ? 'a tile and the one above it differ'
              : undefined
    metrics.count('docex_audited_tiles_total')
    if (problem === undefined) continue
    metrics.count('docex_integrity_failures_total', 'check="LOG"')
    const documents = owners.map((owner) => encodeId('doc', owner))
    const fields = { log: id, tile: n, leaf: missing, documents, check: 'LOG' }
    log.error({ error: new Error(problem), ...fields }, 'integrity_failure')
    if (owners.length > 0) await setIntegrityHold(database.background, owners)
  }
}

const reconcileKeys = async (
  { database, notary, log }: Context,
  id: LogId,
  macKey: Buffer,
): Promise<void> => {
  const changes = await database.transaction((tx) => reconcileLogKeys(tx, { notary, macKey }, id))
  for (const { vkey, became } of changes) log.info({ log: id, vkey }, `log_key_${became}`)
}
