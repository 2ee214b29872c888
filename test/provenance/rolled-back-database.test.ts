/** Provenance 8: a database that lost what was signed answers and decides nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { anInvoice, move } from '../support/fixtures.ts'
import { runAdminOnService } from '../support/processes/program.ts'
import { until } from '../support/until.ts'

for (const [lost, statement] of [
  // As after the restore of a backup from before the last checkpoint.
  ['a published checkpoint', `delete from log_checkpoint where log_id = 'test' and size > 0`],
  [
    'the last leaf that was signed',
    `delete from log_leaf where log_id = 'test'
      and idx = (select max(idx) from log_leaf where log_id = 'test')`,
  ],
] as const) {
  const { running, pair, issuer, counterparty } = await startTradingPair({ SANDBOX_QUOTAS: 'off' })
  const { database } = running
  const get = (path: string, key?: string) => callApi(running, 'GET', path, key ? { key } : {})
  const statusOf = async (path: string): Promise<number> => (await get(path)).status
  test(`without ${lost}, nothing is read or changed until an operator begins an epoch`, async () => {
    const { id } = await anInvoice(running, pair)
    await until('the invoice is logged', async () => {
      const { status } = await get(`/v1/documents/${id}/export`, issuer.key)
      return status === 200
    })
    assert.equal(await statusOf('/readyz'), 200)

    await database.script(`set session_replication_role = replica; ${statement};
    set session_replication_role = default`)
    await until('the service is not ready', async () => (await statusOf('/readyz')) === 503)
    assert.equal((await get('/readyz')).body.reason, 'database_rolled_back')
    assert.equal(await statusOf('/healthz'), 200, 'a restart would not help')

    for (const [path, key] of [
      [`/v1/documents/${id}`, issuer.key],
      ['/v1/documents', counterparty.key],
      ['/v1/me', issuer.key],
      ['/v1/payments', counterparty.key],
    ] as const) {
      assertRefused(await get(path, key), 'integrity_failure')
    }
    const moved = await move(running, counterparty.key, id, 'approved')
    assertRefused(moved, 'integrity_failure')
    const body = { email: 'nobody@example.com', password: 'a password of twelve' }
    assertRefused(await callApi(running, 'POST', '/auth/sessions', { body }), 'integrity_failure')
    const alarms = running.logLines.filter((line) => line.includes('database_rolled_back'))
    assert.equal(alarms.length, 1)

    const another = await running.startAnother({ PROCESS_ROLE: 'api' })
    assert.equal((await callApi(another, 'GET', '/readyz')).status, 503, 'from its start on')

    const epoch = await runAdminOnService(running, 'new-log-epoch', '--log', 'test')
    assert.equal(epoch.exitCode, 0, epoch.output)
    await until('the service is ready', async () => (await statusOf('/readyz')) === 200)
    assert.equal((await get(`/v1/documents/${id}`, issuer.key)).status, 200)
    assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
    const rows = await database.rows(sql`select 1 from log_checkpoint where log_id = 'test'`)
    assert(rows.length > 0)
  })
}
