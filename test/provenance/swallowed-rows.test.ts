/**
 * Provenance 8: while a rule or a trigger in the database keeps rows from being written, no write
 * that needs them is acknowledged, and none is made a second time. Once it is gone, all is written.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { type Pair, aKey, aPair, exampleLine } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const { database } = running

const create = (
  { issuer, connection }: Pair,
  fields: object = {},
  idempotencyKey = randomUUID(),
): Promise<Reply> => {
  const line_items = [exampleLine]
  return callApi(running, 'POST', '/v1/documents', {
    key: issuer.key,
    headers: { 'Idempotency-Key': idempotencyKey },
    body: { connection_id: connection, document_type: 'invoice', line_items, ...fields },
  })
}

const countOfDocuments = async ({ connectionUuid }: Pair): Promise<number> => {
  const found = await database.rows(
    sql`select 1 from documents where connection_id = ${connectionUuid}`,
  )
  return found.length
}

const codesOf = (replies: readonly Reply[]) =>
  replies.map(({ status, body }) => `${status} ${body.error?.code}`)

const whileSwallowed = async (table: string, use: () => Promise<void>): Promise<void> => {
  await database.script(`create rule swallow as on insert to ${table} do instead nothing`)
  try {
    await use()
  } finally {
    await database.script(`drop rule swallow on ${table}`)
  }
}

const refused = '500 integrity_failure'

describe('a write of which a row is swallowed is not acknowledged', () => {
  for (const table of ['prov_event', 'log_queue', 'document_views']) {
    test(`in ${table}`, async () => {
      const pair = await aPair(running)
      assert.equal((await create(pair)).status, 201)
      await whileSwallowed(table, async () => {
        const replies = await Promise.all([1, 2, 3, 4].map(() => create(pair)))
        assert.deepEqual(codesOf(replies), [refused, refused, refused, refused])
      })
      assert.equal(await countOfDocuments(pair), 5)
      assert(running.logLines.some((line) => line.includes(`${table} of a batch`)))
      const { status, body } = await create(pair)
      assert.equal(status, 201)
      const read = await callApi(running, 'GET', `/v1/documents/${body.id}/history`, {
        key: pair.issuer.key,
      })
      assert.equal(read.status, 200, read.text)
    })
  }

  test('and its Idempotency-Key replays no success, nor does it write a second time', async () => {
    const pair = await aPair(running)
    const key = randomUUID()
    await whileSwallowed('document_views', async () => {
      assert.deepEqual(codesOf([await create(pair, {}, key)]), [refused])
      assert.deepEqual(codesOf([await create(pair, {}, key)]), [refused])
    })
    assert.deepEqual(codesOf([await create(pair, {}, key)]), [refused])
    assert.equal(await countOfDocuments(pair), 1)
    const outcome = await callApi(running, 'GET', `/v1/idempotency/${key}`, {
      key: pair.issuer.key,
    })
    assert.deepEqual(codesOf([outcome]), [refused])
  })

  test('in document_links', async () => {
    const pair = await aPair(running)
    const { body } = await create(pair)
    const references = [{ document_id: body.id, rel: 'relates_to' }]
    await whileSwallowed('document_links', async () => {
      assert.deepEqual(codesOf([await create(pair, { references })]), [refused])
    })
    assert.equal((await create(pair, { references })).status, 201)
  })

  test('in limit_usage, and a trigger may do it', async () => {
    const pair = await aPair(running)
    const scopes = ['documents:write', 'payments:write'] as const
    const { secret } = await aKey(running, pair.counterparty, scopes, { dailyVolume: 900_000n })
    const last = await anApprovedInvoice(running, pair)
    const invoices = [
      await anApprovedInvoice(running, pair),
      await anApprovedInvoice(running, pair),
    ]
    await database.script(`
      create function swallow() returns trigger language plpgsql as 'begin return null; end';
      create trigger swallow before insert on limit_usage for each row execute function swallow()`)
    const replies = await Promise.all(invoices.map(({ id }) => pay(running, secret, id)))
    assert.deepEqual(codesOf(replies), [refused, refused])
    await database.script('drop trigger swallow on limit_usage')
    assert.deepEqual(codesOf([await pay(running, secret, last.id)]), [refused])
  })
})
