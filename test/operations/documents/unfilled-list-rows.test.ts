/**
 * A process of an older version that runs beside a newer one writes list rows without the columns
 * that it does not know. They are filled before anybody has to look for the documents (contract 4).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { fillUnfilledListRows } from '../../../src/tasks/fill-list-rows.ts'
import { callApi } from '../../support/api-client.ts'
import { openTestConnection } from '../../support/database/test-connection.ts'
import { inDays } from '../../support/dates.ts'
import { aPair, anInvoice } from '../../support/fixtures.ts'
import { runAdmin } from '../../support/processes/program.ts'
import { serverKey, startTestService } from '../../support/test-service.ts'

// No task runs by itself.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database, databaseUrl } = running
const pair = await aPair(running)
const fill = () => fillUnfilledListRows.run(running.service.context)

const anUnfilledInvoice = async (): Promise<{ id: string; uuid: string }> => {
  const { id } = await anInvoice(running, pair, { currency: 'EUR', due_date: inDays(20) })
  const uuid = decodeId('doc', id)!
  await database.run(sql`
    update document_views set currency = null, due_date = null where document_id = ${uuid}`)
  return { id, uuid }
}

const isListed = async (id: string, query: string, { key } = pair.issuer): Promise<boolean> => {
  const reply = await callApi(running, 'GET', `/v1/documents?limit=100&${query}`, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.some((row: { id: string }) => row.id === id)
}

const history = (id: string) =>
  callApi(running, 'GET', `/v1/documents/${id}/history`, { key: pair.issuer.key })

const queries = ['currency=EUR', `due_to=${inDays(20)}`, `owed=receivable&due_to=${inDays(30)}`]

test('a list row without its currency and due date is filled, and then finds its document', async () => {
  const { id } = await anUnfilledInvoice()
  for (const query of queries) assert.equal(await isListed(id, query), false, query)
  while (await fill());
  for (const query of queries) assert.equal(await isListed(id, query), true, query)
  assert.equal(await isListed(id, 'currency=EUR', pair.counterparty), true)
  const reply = await history(id)
  assert.equal(reply.status, 200, reply.text)
})

test('a document whose history was refused for such a row verifies again', async () => {
  const { id } = await anUnfilledInvoice()
  assert.equal((await history(id)).body.error.code, 'integrity_failure')
  while (await fill());
  const settings = { DATABASE_URL: databaseUrl, SERVER_KEY: serverKey }
  const { exitCode, stderr } = await runAdmin(['release', id], settings)
  assert.equal(exitCode, 0, stderr)
  assert.equal((await history(id)).status, 200)
})

test('a document that is being changed is left for later, and nobody waits', async (t) => {
  const [busy, free] = [await anUnfilledInvoice(), await anUnfilledInvoice()]
  const writer = await openTestConnection(databaseUrl)
  t.after(() => writer.destroy())
  await writer.run(sql`begin`)
  await writer.run(sql`select 1 from documents where id = ${busy.uuid} for no key update`)
  while (await fill());
  assert.equal(await isListed(free.id, 'currency=EUR'), true)
  assert.equal(await isListed(busy.id, 'currency=EUR'), false)
  await writer.run(sql`rollback`)
  assert.equal(await fill(), true)
  assert.equal(await fill(), false)
  assert.equal(await isListed(busy.id, 'currency=EUR'), true)
})
