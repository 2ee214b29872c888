/**
 * The rolling auditor. It verifies every stored document as a read would and, tile by tile, that
 * the leaves of the logs are those that were signed and that each still has its event: that finds a
 * document that was rolled back with all its tables. Each round looks at what changed lately first,
 * and then goes on through everything for the rest of its time.
 */
import type { HistoryKeys } from '../core/provenance/history-keys.ts'
import { limits } from '../contract/limits.ts'
import { reconcileLogKeys } from '../changes/provenance/log-keys.ts'
import { IntegrityFailure, raiseIntegrityAlarm } from '../changes/provenance/integrity-failure.ts'
import { type TileFinding, auditTile } from '../changes/provenance/tile-audit.ts'
import { withLogSnapshot } from '../changes/provenance/verified-log.ts'
import { verifiedRecord } from '../changes/provenance/verified-record.ts'
import type { Context } from '../context.ts'
import { encodeId } from '../core/ids.ts'
import { DatabaseUnavailable } from '../database/sql.ts'
import { tileWidth } from '../core/provenance/merkle-tree.ts'
import { type LogId, logIds } from '../core/provenance/signed-notes.ts'
import { type AuditPosition, firstPosition } from '../core/provenance/audit-position.ts'
import type { SignedCheckpoint } from '../notary/checkpoint-files.ts'
import { documentsAfter } from '../store/provenance/audited-rows.ts'
import { setIntegrityHold } from '../store/provenance/transparency-log.ts'
import type { Task } from './runner.ts'

export const auditProvenance: Task = {
  name: 'audit-provenance',
  everyMs: limits.auditEveryMs,
  runsWhenRolledBack: true,
  run: async (context) => {
    if (context.keyring.history === null) return false
    const { history } = context.keyring
    for (const id of logIds) {
      await orNotAudited(context, { log: id }, () => reconcileKeys(context, id, history))
      await orNotAudited(context, { log: id }, () => auditLog(context, id))
    }
    return false
  },
}

/** What cannot be audited is reported, and keeps nothing else from being audited. */
const orNotAudited = async <T>(
  { log }: Context,
  what: { log: LogId; tile?: number; document?: string },
  audit: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await audit()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
    log.error({ error, ...what }, 'not_audited')
    return undefined
  }
}

const reconcileKeys = async (
  { database, notary, log }: Context,
  id: LogId,
  historyKeys: HistoryKeys,
): Promise<void> => {
  const changes = await database.transaction((tx) =>
    reconcileLogKeys(tx, { notary, historyKeys }, id),
  )
  for (const { vkey, became } of changes) log.info({ log: id, vkey }, `log_key_${became}`)
}

const roundMs = limits.auditRoundMaxMs / logIds.length

/** One round of one log. Its position is saved once all of it has been verified. */
const auditLog = async (context: Context, id: LogId): Promise<void> => {
  const { notary } = context
  const endsAt = performance.now() + roundMs
  const signed = await notary.latestCheckpoint(id)
  const position = await notary.auditPosition(id)
  warnIfOverdue(context, id, position)
  if (signed !== undefined) await auditLately(context, id, { signed, position, endsAt })
  const next = await auditInTurn(context, id, { signed, position, endsAt })
  await notary.saveAuditPosition(id, { ...next, leaf: signed?.size ?? 0 })
}

/** A round over everything that takes more than a day leaves a rollback unnoticed for as long. */
const warnIfOverdue = ({ log, metrics }: Context, id: LogId, { began_at }: AuditPosition): void => {
  if (Date.now() - Date.parse(began_at) < limits.auditAllMaxMs) return
  metrics.count('docex_audits_overdue_total', `log="${id}"`)
  log.error({ log: id, began_at }, 'audit_overdue')
}

interface Round {
  signed: SignedCheckpoint | undefined
  position: AuditPosition
  /** By the clock of `performance`. */
  endsAt: number
}

/** The documents of the newest leaves; what is too much for one round has its turn later. */
const auditLately = async (
  context: Context,
  id: LogId,
  { signed, position, endsAt }: Round & { signed: SignedCheckpoint },
): Promise<void> => {
  const from = Math.max(position.leaf, signed.size - limits.auditRecentLeavesMax)
  if (from === signed.size) return
  const documents = new Set<string>()
  for (let n = Math.floor(from / tileWidth); n * tileWidth < signed.size; n += 1) {
    const leaves = await auditTileOf(context, id, signed, n)
    for (const leaf of leaves) {
      if (leaf.idx >= from && leaf.head_seq !== null) documents.add(leaf.document_id)
    }
  }
  const isHalfOver = () => performance.now() > endsAt - roundMs / 2
  for (const document of documents) {
    if (isHalfOver()) return
    await auditDocument(context, id, document)
  }
}

/** Goes on where the last round ended, and starts again at the end. */
const auditInTurn = async (
  context: Context,
  id: LogId,
  { signed, position, endsAt }: Round,
): Promise<Omit<AuditPosition, 'leaf'>> => {
  const tileCount = Math.ceil((signed?.size ?? 0) / tileWidth)
  const tilesEnd = Math.min(position.tile + tilesPerRound(tileCount), tileCount)
  for (let n = position.tile; n < tilesEnd; n += 1) await auditTileOf(context, id, signed!, n)
  let { document } = position
  for (;;) {
    const documents = await documentsAfter(
      context.database.background,
      id,
      document,
      limits.auditDocumentsAtOnce,
    )
    for (const one of documents) await auditDocument(context, id, one)
    const isLast = documents.length < limits.auditDocumentsAtOnce
    if (isLast && tilesEnd === tileCount) return firstPosition(new Date())
    document = documents.at(-1) ?? document
    if (isLast || performance.now() > endsAt) return { ...position, tile: tilesEnd, document }
  }
}

/** So many that all of them have their turn within the time. */
const tilesPerRound = (count: number): number =>
  Math.max(
    limits.auditTilesPerRoundMin,
    Math.ceil((count * limits.auditEveryMs) / limits.auditAllMaxMs),
  )

const auditDocument = async (context: Context, id: LogId, document: string): Promise<void> => {
  const what = { log: id, document: encodeId('doc', document) }
  await orNotAudited(context, what, () => verifyDocument(context, id, document))
}

const verifyDocument = async (context: Context, id: LogId, document: string): Promise<void> => {
  const { database, metrics, notary } = context
  const log = { snapshot: database.snapshot, notary }
  try {
    await withLogSnapshot(log, id, (snapshot) => verifiedRecord(snapshot, context, document))
  } catch (error) {
    if (!(error instanceof IntegrityFailure)) throw error
    if (!error.isOnHold && !error.isTransient) await raiseIntegrityAlarm(context, error)
  }
  metrics.count('docex_audited_documents_total')
}

const auditTileOf = async (context: Context, id: LogId, signed: SignedCheckpoint, n: number) => {
  const { database, metrics, notary, tileTree } = context
  const log = await notary.log(id)
  const audited = await orNotAudited(context, { log: id, tile: n }, () =>
    auditTile(database.background, log, signed, n, tileTree),
  )
  if (audited === undefined) return []
  metrics.count('docex_audited_tiles_total')
  if (audited.finding !== undefined) await reportFinding(context, id, n, audited.finding)
  return audited.leaves
}

const reportFinding = async (
  { database, metrics, log }: Context,
  id: LogId,
  tile: number,
  { message, leaf, documents }: TileFinding,
): Promise<void> => {
  metrics.count('docex_integrity_failures_total', 'check="LOG"')
  const fields = { log: id, tile, leaf, documents: documents.map((one) => encodeId('doc', one)) }
  log.error({ error: new Error(message), ...fields, check: 'LOG' }, 'integrity_failure')
  if (documents.length > 0) await setIntegrityHold(database.background, documents)
}
