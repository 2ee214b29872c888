/** How long PostgreSQL lets a transaction wait for its process between two statements. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { type Connection, sql } from '../../src/database/sql.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running.service.context

const idleMsOf = async (tx: Connection): Promise<number> => {
  const row = await tx.row<{ ms: number }>(sql`
    select setting::integer as ms from pg_settings
    where name = 'idle_in_transaction_session_timeout'`)
  return row!.ms
}

test('a verified read, which holds no locks, may compute for longer than a write waits', async () => {
  const requester = { organization: 'any' }
  const reading = database.perform('heavy', requester, ({ snapshot }) => snapshot(idleMsOf))
  const writing = database.perform('writes', requester, ({ transaction }) => transaction(idleMsOf))
  assert.deepEqual(await Promise.all([reading, writing]), [
    limits.idleInSnapshotTimeoutMs,
    limits.idleInTransactionTimeoutMs,
  ])
})
