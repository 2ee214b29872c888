/**
 * Performs a write that is not worth batching (keys, sessions, connections) in a transaction of its
 * own, under the same rules for idempotency, dry runs and stored responses as every other.
 */
import type { Database, RequestDatabase } from '../database/pool.ts'
import { type Connection, sql } from '../database/sql.ts'
import { databaseNow } from '../database/database-clock.ts'
import { ensureNewestKeys } from '../database/transactions.ts'
import {
  deleteStoredResponses,
  insertStoredResponses,
  storedResponses,
} from '../store/idempotency.ts'
import { openAuditLog } from './audit.ts'
import {
  type IdempotencyOptions,
  keyMacs,
  storedResponseOf,
  existingOutcomes,
} from './idempotency.ts'
import type {
  Idempotency,
  OperationResponse,
  TransactionalRequest,
  WriteOutcome,
} from './write-request.ts'

export const runTransactionalWrite = async (
  database: Database,
  request: TransactionalRequest,
  options: IdempotencyOptions,
): Promise<WriteOutcome> => {
  const { write } = request
  const inTurn = <T>(work: (own: RequestDatabase) => Promise<T>) =>
    database.perform(write.workClass, request, work)
  if (write.beforeTransaction !== undefined) {
    const existing = await inTurn((own) =>
      own.transaction((tx) => existingOutcome(tx, request, options)),
    )
    if (existing !== undefined) return existing
    await write.beforeTransaction()
  }
  return inTurn((own) => {
    const transaction = request.dryRun ? own.rolledBack : own.transaction
    return transaction((tx) => runInTransaction(tx, request, options))
  })
}

const runInTransaction = async (
  tx: Connection,
  request: TransactionalRequest,
  options: IdempotencyOptions,
): Promise<WriteOutcome> => {
  const { idempotency } = request
  if (idempotency === undefined) return done(await runAudited(tx, request))
  const { outcome, expired, now } = await lockIdempotencyKey(tx, request, idempotency, options)
  if (outcome !== undefined) return outcome
  if (request.dryRun) return done(await request.write.run(tx))
  if (expired.length > 0) await deleteStoredResponses(tx, expired)
  const response = await runAudited(tx, request)
  const { serverKeys } = options
  const storing = { now, serverKeys, isEncrypted: request.write.isEncrypted }
  const stored = storedResponseOf(request, idempotency, response, storing)
  await insertStoredResponses(tx, [stored])
  return done(response)
}

/** Only batched writes add events to a feed. */
const done = (response: OperationResponse): WriteOutcome => {
  return { kind: 'done', response, eventIds: [] }
}

const runAudited = async (
  tx: Connection,
  request: TransactionalRequest,
): Promise<OperationResponse> => {
  const response = await request.write.run(tx)
  if (request.audited === undefined || request.dryRun) return response
  const auditLog = await openAuditLog(tx, [request])
  const obstacle = auditLog.obstacleFor(request)
  if (obstacle !== undefined) throw obstacle
  auditLog.add(request, response)
  await auditLog.write(await databaseNow(tx))
  return response
}

/** The outcome, if it is known before a third party is called: replayed, in progress or refused. */
const existingOutcome = async (
  tx: Connection,
  request: TransactionalRequest,
  options: IdempotencyOptions,
): Promise<WriteOutcome | undefined> => {
  const { idempotency } = request
  if (idempotency === undefined) return undefined
  return (await lockIdempotencyKey(tx, request, idempotency, options)).outcome
}

const lockIdempotencyKey = async (
  tx: Connection,
  request: TransactionalRequest,
  idempotency: Idempotency,
  options: IdempotencyOptions,
) => {
  // A dry run writes nothing, so it needs no lock.
  const isLocked = request.dryRun ? sql`true` : sql`pg_try_advisory_xact_lock(${idempotency.lock})`
  const lock = await tx.row<{ locked: boolean; now: string }>(
    sql`select ${isLocked} as locked, pg_catalog.clock_timestamp() as now`,
  )
  // Later statements than the lock, so they see what the previous holder committed.
  await ensureNewestKeys(tx)
  const macs = keyMacs(options.serverKeys, request.organization, idempotency.key)
  const stored = await storedResponses(tx, macs)
  const { now, locked } = lock!
  const { outcomes, expired } = existingOutcomes(
    [request],
    { locked: [locked], stored, now },
    options,
  )
  const outcome = outcomes.get(request)
  if (outcome?.kind === 'failed') throw outcome.error
  return { outcome, expired, now }
}
