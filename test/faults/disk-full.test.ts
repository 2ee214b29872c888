/** The database's disk is full at any place of a write: 503, and nothing is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { aPair, exampleLine } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { until } from '../support/until.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)

/** PostgreSQL's own error for a full disk, raised when the table is written. */
const withFullDiskAt = async (table: string, work: () => Promise<void>): Promise<void> => {
  await database.script(`
    create function disk_is_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger disk_is_full before insert or update on ${table}
      for each statement execute function disk_is_full()`)
  try {
    await work()
  } finally {
    await database.script('drop function disk_is_full cascade')
  }
}

const create = (key: string) =>
  callApi(running, 'POST', '/v1/documents', {
    key: pair.issuer.key,
    headers: { 'idempotency-key': key },
    body: { connection_id: pair.connection, document_type: 'invoice', line_items: [exampleLine] },
  })

const writes = {
  'a create': {
    tables: ['documents', 'document_views', 'prov_event', 'log_queue', 'events', 'idempotency'],
    prepare: async () => create,
  },
  'a payment': {
    tables: ['payments', 'ledger_tx', 'ledger_entry', 'ledger_account', 'organization_counters'],
    prepare: async () => {
      const { id } = await anApprovedInvoice(running, pair)
      return (key: string) =>
        pay(running, pair.counterparty.key, id, { headers: { 'idempotency-key': key } })
    },
  },
}

for (const [name, { tables, prepare }] of Object.entries(writes)) {
  for (const table of tables) {
    test(`${name} while the disk is full at ${table}: 503 with Retry-After, then the same key succeeds`, async () => {
      const write = await prepare()
      const key = freshIdempotencyKey()
      await withFullDiskAt(table, async () => {
        const refused = await write(key)
        assert.deepEqual([refused.status, refused.body.error.code], [503, 'service_unavailable'])
        assert.equal(refused.headers.get('retry-after'), '1')
        assert.match(refused.body.error.message, /no room/)
        const ready = await callApi(running, 'GET', '/readyz')
        assert.deepEqual([ready.status, ready.body.reason], [503, 'database_disk_full'])
        assert.equal((await callApi(running, 'GET', '/healthz')).status, 200)
      })
      const repeated = await write(key)
      assert(repeated.status < 300, repeated.text)
    })
  }
}

test('the service is ready again soon after the last failure, and nothing was lost', async () => {
  await until('the service is ready', async () => {
    return (await callApi(running, 'GET', '/readyz')).status === 200
  })
  await assertServiceConsistent(running)
})

test('a write that waits too long for accounts locked elsewhere gets 503 "busy", and the log the cause', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  const locker = await openTestConnection(running.databaseUrl, 'test locker')
  await locker.script('begin; select from ledger_account for update')
  try {
    const refused = await pay(running, pair.counterparty.key, id)
    assert.equal(refused.status, 503, refused.text)
    assert.match(refused.body.error.message, /busy/)
    assert(running.logLines.some((line) => line.includes('"sqlstate":"55P03"')))
  } finally {
    await locker.script('rollback')
    await locker.close()
  }
})
