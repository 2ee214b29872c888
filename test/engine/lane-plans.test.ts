/** How PostgreSQL plans what a lane sends: once, and so that rows are found by their keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { openDatabase } from '../../src/database/pool.ts'
import type { Rows } from '../../src/database/rows.ts'
import { type Connection, sql } from '../../src/database/sql.ts'
import { selectList, sendUpdates } from '../../src/database/table-writes.ts'
import { readOrganizations } from '../../src/engine/load-organizations.ts'
import { loadRows, lockIdempotencyKeys } from '../../src/engine/load-rows.ts'
import type { BatchedRequest } from '../../src/engine/write-request.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const { service, database, databaseUrl } = running
const loans = loansClient(running)
const { config, keyring } = service.context
const idempotency = {
  idempotencyMs: config.idempotencyRetentionMs,
  serverKeys: keyring.idempotency,
}

/** A payment, and an acceptance by which the same invoice is compared with pledged ones. */
const requestFor = (invoice: string): BatchedRequest => ({
  organization: newId(),
  requestId: newId(),
  dryRun: false,
  inputBytes: 0,
  write: {
    kind: 'batched',
    rowsToLock: { documents: [invoice], paymentsOfDocuments: [invoice], receivables: [invoice] },
    decide: () => ({ status: 200, body: '' }),
  },
})

/** Loads what the request needs, and tells how many rows of payments were read. */
const paymentRowsReadBy = async (lane: Connection, invoice: string): Promise<bigint> => {
  const requests = [requestFor(invoice)]
  await lockIdempotencyKeys(lane, requests, idempotency)
  await loadRows(lane, requests, { now: new Date().toISOString(), waitForLocks: false })
  const [reads] = await lane.rows<{ count: bigint }>(sql`
    select sum(seq_tup_read + idx_tup_fetch)::bigint as count from pg_stat_xact_user_tables
    where relname in ('payments', 'ledger_tx')`)
  await lane.run(sql`rollback`)
  return reads!.count
}

const lanes = openDatabase(databaseUrl, database.seals)
const parties = await loanParties(running)
const { id } = await loans.invoice(parties)
const unpaid = decodeId('doc', id)!
await database.script('analyze')
const lane = await lanes.lane('docex test').get()

test('a lane finds rows by key with a plan that was made while the tables were empty', async () => {
  assert.equal(await paymentRowsReadBy(lane, unpaid), 0n)
  for (let i = 0; i < 3; i += 1) await loans.funded(parties)
  assert.equal(await paymentRowsReadBy(lane, unpaid), 0n)
})

/** How many rows this reads, of all tables. What PostgreSQL counts may include what was before. */
const rowsReadBy = async (work: () => Promise<unknown>): Promise<bigint> => {
  const counted = sql`
    select sum(seq_tup_read + idx_tup_fetch)::bigint as count from pg_stat_xact_user_tables`
  await lane.run(sql`begin`)
  const [before] = await lane.rows<{ count: bigint }>(counted)
  await work()
  const [after] = await lane.rows<{ count: bigint }>(counted)
  await lane.run(sql`rollback`)
  return after!.count - before!.count
}

test('a lane reads no other rows with a plan that was made while the tables had few', async () => {
  await database.script('vacuum analyze')
  const payment = await database.row<Rows['payments']>(
    sql`select ${selectList('payments', 't')} from payments t limit 1`,
  )
  const unknown = { ...payment, id: newId() }
  const works = {
    update: () => sendUpdates(lane, 'payments', { key: ['id'], set: ['status'], rows: [unknown] }),
    organizations: () => readOrganizations(lane, sql`select ${newId()}::uuid`),
  }
  for (const [name, work] of Object.entries(works)) assert.equal(await rowsReadBy(work), 0n, name)
})

test('a lane plans each statement once, whatever the values', async () => {
  const planned = await lane.rows(sql`
    select statement from pg_prepared_statements where custom_plans > 0`)
  assert.deepEqual(planned, [])
  await lanes.close()
})
