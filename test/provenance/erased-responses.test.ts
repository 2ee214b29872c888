/** Decision 0029: an erasure takes the texts from stored responses, and no write its repetition. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { isStillLocked } from '../../src/database/outages.ts'
import { type Queryable, sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { deleteStoredResponses, purgeStoredResponses } from '../../src/store/idempotency.ts'
import {
  deleteStoredResponsesOf,
  responsesAbout,
  responsesOf,
} from '../../src/store/provenance/erasure.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { tablesContaining } from '../support/database/plaintext-search.ts'
import { aPair, anInvoice, exampleLine, move } from '../support/fixtures.ts'
import { exportOf, importFile } from '../support/interop/import-client.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { context } = running.service
const canary = 'CANARY of a response'

const erase = (document: string): Promise<unknown> =>
  context.database.transaction((tx) => eraseContent(tx, decodeId('doc', document)!, context))

/** A write that is sent again with its Idempotency-Key each time. */
const aWrite = (method: string, path: string, key: string, body: object) => {
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  return (): Promise<Reply> => callApi(running, method, path, { key, body, headers })
}

test('specification 4.2: after an erasure, a repeated create answers with what is left of its draft', async () => {
  const { issuer, connection } = await aPair(running)
  const create = aWrite('POST', '/v1/documents', issuer.key, {
    connection_id: connection,
    document_type: 'invoice',
    notes: canary,
    metadata: { about: canary },
    line_items: [{ ...exampleLine, description: canary, sku: canary }],
  })
  const first = await create()
  assert.equal(first.status, 201, first.text)
  const edit = aWrite('PATCH', `/v1/documents/${first.body.id}`, issuer.key, {
    line_items: [{ ...exampleLine, description: `${canary}, edited`, quantity: 7 }],
  })
  const edited = await edit()
  await erase(first.body.id)
  assert.deepEqual(await tablesContaining(running.database, canary), [])
  for (const [repeat, before] of [
    [create, first],
    [edit, edited],
  ] as const) {
    const after = await repeat()
    assert.equal(after.headers.get('idempotent-replay'), 'true', after.text)
    const [line] = before.body.line_items
    assert.deepEqual(after.body, {
      ...before.body,
      notes: null,
      metadata: {},
      line_items: [{ ...line, description: '[erased]', sku: null }],
    })
    assert.equal(after.status, before.status)
    for (const header of ['etag', 'location', 'svc-event'])
      assert.equal(after.headers.get(header), before.headers.get(header))
  }
  const { data } = (await callApi(running, 'GET', '/v1/documents', { key: issuer.key })).body
  assert.equal(data.length, 1)
})

test('after an erasure, a repeated import says nothing of its file', async () => {
  const pair = await aPair(running)
  const invoice = await anInvoice(running, pair)
  const exported = await exportOf(running, pair, invoice, 'csv')
  const file = exported.replaceAll(invoice.number, 'Ada-0117')
  const first = await importFile(running, pair, file)
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const second = await importFile(running, pair, file, headers)
  assert.equal(second.body.import?.warnings[0].file, 'Ada-0117', second.text)
  for (const { body } of [first, second]) await erase(body.id)
  assert.deepEqual(await tablesContaining(running.database, 'Ada-0117'), [])
  const repeated = await importFile(running, pair, file, headers)
  const { warnings, ...report } = second.body.import
  const left = warnings.map((warning: object) => ({ ...warning, file: null }))
  const expected = { ...report, understood: [], ignored: [], warnings: left }
  assert.deepEqual(repeated.body.import, expected, repeated.text)
})

test('after an erasure, a repeated payment pays nothing, also if the bank has returned it', async () => {
  const pair = await aPair(running)
  const { key } = pair.counterparty
  const { id } = await anApprovedInvoice(running, pair)
  assert.equal((await move(running, key, id, 'disputed', { note: canary })).status, 200)
  assert.equal((await move(running, key, id, 'approved')).status, 200)
  const pay = aWrite('POST', `/v1/documents/${id}/pay`, key, { source_account_id: 'acct_test_ok' })
  const paid = await pay()
  assert.equal(paid.status, 200, paid.text)
  const { payment } = paid.body
  const path = `/v1/sandbox/payments/${payment.id}/simulate`
  const returned = await callApi(running, 'POST', path, { key, body: { outcome: 'return' } })
  assert.equal(returned.status, 200, returned.text)
  await erase(id)
  assert.deepEqual((await pay()).body.payment, payment)
  const payments = await callApi(running, 'GET', `/v1/payments?document=${id}`, { key })
  assert.equal(payments.body.data.length, 1)
})

test('a response is not replaced after an erasure has read it', async () => {
  const { issuer, connection } = await aPair(running)
  const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
  const { id } = (await aWrite('POST', '/v1/documents', issuer.key, body)()).body
  await context.database.transaction(async (tx) => {
    const [response] = await responsesAbout(tx, decodeId('doc', id)!)
    const replaced = inTransaction(running.database, async (other) => {
      await other.run(sql`set local lock_timeout = '50ms'`)
      await deleteStoredResponses(other, [response!.key_mac])
    })
    await assert.rejects(replaced, isStillLocked)
  })
})

test('expired responses that an erasure holds are purged in a later round, and nobody waits', async () => {
  const pair = await aPair(running)
  const { id } = await anInvoice(running, pair)
  await anInvoice(running, pair)
  const expired = new Date(Date.now() + 60_000).toISOString()
  const purge = () => purgeStoredResponses(context.database.background, expired, 1_000)
  const stored = () => running.database.rows(sql`select from idempotency`)
  await context.database.transaction(async (tx) => {
    const held = await responsesAbout(tx, decodeId('doc', id)!)
    assert(held.length > 0)
    assert((await purge()) > 0)
    assert.equal((await stored()).length, held.length)
  })
  assert((await purge()) > 0)
  assert.equal((await stored()).length, 0)
})

test('an erasure finds what it erases by indexes, however many responses are stored', async () => {
  await context.database.transaction(async (tx) => {
    await tx.run(sql`set local enable_seqscan = off`)
    const plans: string[] = []
    const explain: Queryable['rows'] = async (query) => {
      const lines = await tx.rows<{ 'QUERY PLAN': string }>(sql`explain ${query}`)
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'))
      return []
    }
    const explained = {
      seals: tx.seals,
      rows: explain,
      row: async () => undefined,
      run: async (query) => (await explain(query)).length,
    } satisfies Queryable
    await responsesAbout(explained, decodeId('doc', 'doc_01m81jypkgfhy9kb1a7207fsn3')!)
    await responsesOf(explained, ['cmt_1'])
    await deleteStoredResponsesOf(explained, ['apr_1'])
    const [about, of, deleted] = plans
    assert.match(about!, /using idempotency_of_documents/)
    for (const plan of [of, deleted]) assert.match(plan!, /using idempotency_of_resources/)
  })
})
