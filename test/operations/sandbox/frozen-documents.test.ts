/** A document is frozen, but stays readable, once the other side has reset its sandbox. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { aFileForm } from '../../support/documents/attachments-client.ts'
import { assertConsistent } from '../../support/database/consistency-auditor.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { exampleLine, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ SANDBOX_STEP_MS: '1h', PROCESS_ROLE: 'api' })
const { get, rows, send } = sandboxClient(running)

const past = { document_date: '2020-01-01', payment_terms: 'net_30' }

describe('domain 6: a document whose other side has reset its sandbox', () => {
  test('a frozen document allows no transition and is neither payable nor overdue', async () => {
    const pair = await aPair(running)
    const { key } = pair.counterparty
    const approved = (await anApprovedInvoice(running, pair, past)).id as string
    const submitted = (await anInvoice(running, pair)).id
    const before = (await get(key, `/v1/documents/${approved}`)).body
    assert.deepEqual([before.payable, before.overdue], [true, true])
    const own = (await anInvoice(running, { ...pair, issuer: pair.counterparty })).id
    await send(pair.issuer.key, '/v1/sandbox/reset')
    for (const id of [approved, submitted, own]) {
      const read = (await get(key, `/v1/documents/${id}`)).body
      assert.deepEqual(read.allowed_transitions, [])
      assert.deepEqual([read.payable, read.overdue], [false, false])
      const listed = (await rows(key, '/v1/documents')).find((row) => row['id'] === id)
      assert.deepEqual(listed, read)
      const { status, allowed, waiting_on } = (await get(key, `/v1/documents/${id}/transitions`))
        .body
      assert.deepEqual([status, allowed, waiting_on], [read.status, [], 'none'])
      const refused = await move(running, key, id, 'disputed')
      assert.equal(refused.body.error.details.reason, 'connection_not_active')
      assert.equal((await get(key, `/v1/documents/${id}/history`)).status, 200)
    }
    await assertConsistent(running.database, running.service.context.keyring.history!)
  })

  test('a frozen document is owed nowhere, since nobody can pay it, but was exchanged', async () => {
    const pair = await aPair(running)
    const { key } = pair.counterparty
    await anApprovedInvoice(running, pair, past)
    await anInvoice(running, { ...pair, issuer: pair.counterparty }, past)
    const groupsOf = async (metric: string): Promise<string[]> => {
      const period = metric === 'projection' ? '' : '&from=2020-01-01&to=2020-01-01'
      const { status, text, body } = await get(key, `/v1/statistics?metric=${metric}${period}`)
      assert.equal(status, 200, text)
      return body.points.map(({ group }: { group: string }) => group)
    }
    const whatIsOwed = async () => ({
      ageing: (await groupsOf('ageing')).toSorted(),
      connections: (await groupsOf('connections')).toSorted(),
      projection: (await groupsOf('projection')).filter((group) => group !== 'balance').toSorted(),
      payable: (await rows(key, '/v1/documents?owed=payable')).length,
      receivable: (await rows(key, '/v1/documents?owed=receivable')).length,
    })
    assert.deepEqual(await whatIsOwed(), {
      ageing: ['payable', 'receivable'],
      connections: ['issued', 'payable', 'receivable', 'received'],
      projection: ['due_in', 'due_out'],
      payable: 1,
      receivable: 1,
    })
    await send(pair.issuer.key, '/v1/sandbox/reset')
    assert.deepEqual(await whatIsOwed(), {
      ageing: [],
      connections: ['issued', 'received'],
      projection: [],
      payable: 0,
      receivable: 0,
    })
    assert.deepEqual((await groupsOf('documents')).toSorted(), ['issued', 'received'])
  })

  test('a frozen document is gone once its reader resets too, and a draft is not frozen', async () => {
    const pair = await aPair(running)
    const { id } = await anInvoice(running, pair)
    const draft = await send(pair.counterparty.key, '/v1/documents', {
      connection_id: pair.connection,
      document_type: 'invoice',
      line_items: [exampleLine],
    })
    await send(pair.issuer.key, '/v1/sandbox/reset')
    const unchanged = (await get(pair.counterparty.key, `/v1/documents/${draft.id}`)).body
    assert.deepEqual(unchanged.allowed_transitions, draft.allowed_transitions)
    assert.equal(
      (await get(pair.counterparty.key, `/v1/documents/${draft.id}/history`)).status,
      200,
    )
    await send(pair.counterparty.key, '/v1/sandbox/reset')
    assert.equal((await get(pair.counterparty.key, `/v1/documents/${id}`)).status, 404)
  })

  test('a frozen document takes no attachment', async () => {
    const pair = await aPair(running)
    const { id } = await anInvoice(running, pair)
    const attach = () =>
      callApi(running, 'POST', `/v1/documents/${id}/attachments`, {
        key: pair.counterparty.key,
        body: aFileForm(),
      })
    assert.equal((await attach()).status, 201)
    await send(pair.issuer.key, '/v1/sandbox/reset')
    assert.equal((await attach()).body.error.details.reason, 'connection_not_active')
    assert.equal((await rows(pair.counterparty.key, `/v1/documents/${id}/attachments`)).length, 1)
  })

  test('a document whose is_frozen contradicts the resets answers integrity_failure', async () => {
    const pair = await aPair(running)
    const { id } = await anInvoice(running, pair)
    const { key } = pair.counterparty
    await send(pair.issuer.key, '/v1/sandbox/reset')
    const uuid = decodeId('doc', id)!
    await running.database.run(sql`update documents set is_frozen = false where id = ${uuid}`)
    const { status, body } = await get(key, `/v1/documents/${id}/history`)
    assert.deepEqual([status, body.error.code], [500, 'integrity_failure'])
  })
})

describe('domain 4.2: paying after the other side has reset its sandbox', () => {
  test('an earlier payment is answered for any Idempotency-Key, and nothing else can be paid', async () => {
    const pair = await aPair(running)
    const { key } = pair.counterparty
    await send(key, '/v1/sandbox/topup', { currency: 'USD', amount: 100_000 })
    const { id } = await anApprovedInvoice(running, pair)
    const open = (await anApprovedInvoice(running, pair)).id as string
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const first = await pay(running, key, id, { headers })
    assert.equal(first.body.status, 'paid', first.text)
    await send(pair.issuer.key, '/v1/sandbox/reset')
    const replayed = await pay(running, key, id, { headers })
    assert.deepEqual([replayed.status, replayed.text], [200, first.text])
    const again = await pay(running, key, id)
    assert.equal(again.status, 200, again.text)
    assert.equal(again.body.payment.id, first.body.payment.id)
    assert.equal((await rows(key, '/v1/payments')).length, 1)
    const refused = await pay(running, key, open)
    assert.equal(refused.body.error.details.reason, 'connection_not_active')
    const transition = await callApi(running, 'POST', `/v1/documents/${id}/transition`, {
      key,
      body: { to: 'paid' },
    })
    assert.equal(transition.status, 409)
  })
})
