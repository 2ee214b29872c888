/**
 * The rolling auditor. It verifies every stored document as a read would and, tile by tile, that
 * the leaves of the logs are those that were signed and that each still has its event: that finds a
 * document that was rolled back with all its tables. Each round looks at what changed lately first,
 * and then goes on through everything for the rest of its time.
 */
import type { HistoryKeys } from '../core/provenance/history-keys.ts'
import { limits } from '../contract/limits.ts'
import { reconcileLogKeys } from '../changes/provenance/log-keys.ts'
import {
  IntegrityFailure,
  hasNewServerKey,
  raiseIntegrityAlarm,
} from '../changes/provenance/integrity-failure.ts'
import { type TileAudit, type TileFinding, auditTile } from '../changes/provenance/tile-audit.ts'
import { withLogSnapshot } from '../changes/provenance/verified-log.ts'
import { verifiedRecord } from '../changes/provenance/verified-record.ts'
import type { Context } from '../context.ts'
import { encodeId } from '../core/ids.ts'
import { isOutage } from '../database/outages.ts'
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
      await reportingFailure(context, { log: id }, () => reconcileKeys(context, id, history))
      await reportingFailure(context, { log: id }, () => auditLog(context, id))
    }
    return false
  },
}

/** What cannot be audited is reported, and keeps nothing else from being audited. */
const reportingFailure = async <T>(
  { log, metrics }: Context,
  what: { log: LogId; tile?: number; document?: string },
  audit: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await audit()
  } catch (error) {
    if (isOutage(error)) throw error
    metrics.count('docex_not_audited_total', `log="${what.log}"`)
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

/** One round of one log. An outage ends it, and its position is as it was. */
const auditLog = async (context: Context, id: LogId): Promise<void> => {
  const { notary } = context
  const endsAt = performance.now() + roundMs
  const signed = await notary.latestCheckpoint(id)
  const position = await notary.auditPosition(id)
  warnIfOverdue(context, id, position)
  const round: Round = { id, signed, position, endsAt, isIncomplete: false }
  await auditRecent(context, round)
  const place = await auditInTurn(context, round)
  await notary.saveAuditPosition(id, positionAfter(round, place))
}

/** A round over everything that takes more than a day leaves a rollback unnoticed for as long. */
const warnIfOverdue = ({ log, metrics }: Context, id: LogId, { began_at }: AuditPosition): void => {
  if (Date.now() - Date.parse(began_at) < limits.auditAllMaxMs) return
  metrics.count('docex_audits_overdue_total', `log="${id}"`)
  log.error({ log: id, began_at }, 'audit_overdue')
}

interface Round {
  id: LogId
  signed: SignedCheckpoint | undefined
  /** Where the last round ended. */
  position: AuditPosition
  /** By the clock of `performance`. */
  endsAt: number
  /** Whether something of it could not be audited. */
  isIncomplete: boolean
}

interface Place {
  document: string
  tile: number
  /** Whether everything has had its turn. */
  isLast: boolean
}

/**
 * The place moves on past what could not be audited, so that all else has its turn. But what
 * changed lately is looked at again, and the time of the round over everything goes on, until one
 * has audited everything: otherwise nobody would learn that it is overdue.
 */
const positionAfter = (
  { signed, position, isIncomplete }: Round,
  { document, tile, isLast }: Place,
): AuditPosition => {
  const leaf = isIncomplete ? position.leaf : (signed?.size ?? 0)
  const is_incomplete = isIncomplete || position.is_incomplete === true
  if (!isLast) return { ...position, document, tile, leaf, is_incomplete }
  const first = firstPosition(new Date())
  return { ...first, leaf, began_at: is_incomplete ? position.began_at : first.began_at }
}

/** The documents of the newest leaves; what is too much for one round has its turn later. */
const auditRecent = async (context: Context, round: Round): Promise<void> => {
  const { signed, position, endsAt } = round
  if (signed === undefined) return
  const from = Math.max(position.leaf, signed.size - limits.auditRecentLeavesMax)
  if (from === signed.size) return
  const documents = new Set<string>()
  for (let n = Math.floor(from / tileWidth); n * tileWidth < signed.size; n += 1) {
    const leaves = await auditTileOf(context, round, n)
    for (const leaf of leaves) {
      if (leaf.idx >= from && leaf.head_seq !== null) documents.add(leaf.document_id)
    }
  }
  const isHalfOver = () => performance.now() > endsAt - roundMs / 2
  for (const document of documents) {
    if (isHalfOver()) return
    await auditDocument(context, round, document)
  }
}

/** Goes on where the last round ended. */
const auditInTurn = async (context: Context, round: Round): Promise<Place> => {
  const { id, signed, position, endsAt } = round
  const tileCount = Math.ceil((signed?.size ?? 0) / tileWidth)
  const tile = Math.min(position.tile + tilesPerRound(tileCount), tileCount)
  for (let n = position.tile; n < tile; n += 1) await auditTileOf(context, round, n)
  let { document } = position
  for (;;) {
    const documents = await documentsAfter(
      context.database.background,
      id,
      document,
      limits.auditDocumentsAtOnce,
    )
    for (const one of documents) await auditDocument(context, round, one)
    const wasLast = documents.length < limits.auditDocumentsAtOnce
    document = documents.at(-1) ?? document
    if (wasLast || performance.now() > endsAt)
      return { document, tile, isLast: wasLast && tile === tileCount }
  }
}

/** So many that all of them have their turn within the time. */
const tilesPerRound = (count: number): number =>
  Math.max(
    limits.auditTilesPerRoundMin,
    Math.ceil((count * limits.auditEveryMs) / limits.auditAllMaxMs),
  )

const auditDocument = async (context: Context, round: Round, document: string): Promise<void> => {
  const what = { log: round.id, document: encodeId('doc', document) }
  const audited = await reportingFailure(context, what, () =>
    verifyDocument(context, round.id, document),
  )
  if (audited === undefined) round.isIncomplete = true
}

const verifyDocument = async (context: Context, id: LogId, document: string): Promise<true> => {
  const { database, metrics, notary } = context
  const log = { snapshot: database.snapshot, notary }
  try {
    await withLogSnapshot(log, id, (snapshot) => verifiedRecord(snapshot, context, document))
  } catch (error) {
    if (!(error instanceof IntegrityFailure)) throw error
    if (await hasNewServerKey(context)) return verifyDocument(context, id, document)
    if (!error.isOnHold && !error.isTransient) await raiseIntegrityAlarm(context, error)
  }
  metrics.count('docex_audited_documents_total')
  return true
}

const auditTileOf = async (
  context: Context,
  round: Round,
  n: number,
): Promise<TileAudit['leaves']> => {
  const { id, signed } = round
  const { database, metrics, notary, tileTree } = context
  const log = await notary.log(id)
  const audited = await reportingFailure(context, { log: id, tile: n }, () =>
    auditTile({ db: database.background, log, signed: signed!, tileTree }, n),
  )
  if (audited === undefined) {
    round.isIncomplete = true
    return []
  }
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
