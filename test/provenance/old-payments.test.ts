/**
 * Provenance 8: an old row of a payment is neither shown nor carried out again, and old counters
 * number nothing twice. Each is `integrity_failure`, and holds up nobody else.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { assertNoticed, copyRows, idIs } from '../support/database/old-rows.ts'
import { type Pair, aPair, anInvoice, exampleLine } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { startSandboxService } from '../support/sandbox/sandbox-service.ts'
import { until } from '../support/until.ts'

const { running, post, advance, read } = await startSandboxService()
const { database } = running
const get = (key: string, path: string) => callApi(running, 'GET', path, { key })

const copyPayment = (id: string) => copyRows(database, 'payments', idIs(decodeId('pay', id)!))

/** A payment that is under way, and settles by the clock. */
const aPayment = async (pair: Pair) => {
  const { id: document } = await anApprovedInvoice(running, pair)
  const body = { source_account_id: 'acct_test_async' }
  const { payment } = (await pay(running, pair.counterparty.key, document, { body })).body
  assert.equal(payment.status, 'processing')
  return { document, payment: payment.id, writeBack: await copyPayment(payment.id) }
}

const isPaid = async (pair: Pair, document: string) =>
  (await read(document, pair.counterparty)).status === 'paid'

/** `writeBack` writes the row of before it had settled. */
const aSettledPayment = async (pair: Pair) => {
  const payment = await aPayment(pair)
  await advance(pair.counterparty, 'P10D')
  assert(await isPaid(pair, payment.document))
  return payment
}

/** What the payee has in the currency of the examples. */
const balanceOf = async ({ issuer }: Pair): Promise<number> => {
  const { data } = (await get(issuer.key, '/v1/treasury/balances')).body
  return data.find((one: { currency: string }) => one.currency === 'USD').posted
}

const simulate = (pair: Pair, payment: string, outcome: string) =>
  post(pair.counterparty.key, `/payments/${payment}/simulate`, { outcome })

describe('an old row of a payment', () => {
  test('that has settled is not shown as under way', async () => {
    const pair = await aPair(running)
    const { payment, writeBack } = await aSettledPayment(pair)
    await writeBack()
    const paths = [
      ...['', '/' + payment, '?sort=updated', '?status=processing', '.csv'].map(
        (rest) => `/v1/payments${rest}`,
      ),
      '/v1/statistics?metric=cash_flow',
    ]
    for (const { key } of [pair.issuer, pair.counterparty])
      for (const path of paths) assertNoticed(running, await get(key, path), 'payments')
  })

  test('that has settled is not carried out again', async () => {
    const pair = await aPair(running)
    const { document, payment, writeBack } = await aSettledPayment(pair)
    const before = await balanceOf(pair)
    await writeBack()
    for (const outcome of ['settle', 'fail'])
      assertNoticed(running, await simulate(pair, payment, outcome), 'payments')
    assertNoticed(running, await pay(running, pair.counterparty.key, document), 'payments')
    assert.equal(await balanceOf(pair), before)
  })

  test('that has settled holds up no other payment that is due', async () => {
    const pair = await aPair(running)
    const { writeBack } = await aSettledPayment(pair)
    const other = await aPayment(pair)
    await writeBack()
    const clock = await post(pair.counterparty.key, '/clock', { advance_by: 'P10D' })
    assertNoticed(running, clock, 'payments')
    const worker = await running.startAnother({ PROCESS_ROLE: 'worker' })
    const hasLogged = (text: string) => worker.logLines.some((line) => line.includes(text))
    await until('the other payment has settled', () => isPaid(pair, other.document))
    await until('the worker has raised the alarm', () => hasLogged('integrity_failure'))
    assert(!hasLogged('task_failed'))
  })

  test('that was cancelled is not carried out beside the one that was made instead', async () => {
    const pair = await aPair(running)
    const { key } = pair.counterparty
    const { id } = await anApprovedInvoice(running, pair)
    const move = (body: object) =>
      callApi(running, 'POST', `/v1/documents/${id}/transition`, { key, body })
    const scheduled_for = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
    const { payment } = (await move({ to: 'payment_scheduled', scheduled_for })).body
    const writeBack = await copyPayment(payment.id)
    assert.equal((await move({ to: 'approved' })).status, 200)
    const paid = (await pay(running, key, id)).body
    assert.equal(paid.status, 'paid')
    await writeBack()
    assertNoticed(running, await get(key, `/v1/payments/${payment.id}`), 'payments')
    assertNoticed(running, await post(key, '/clock', { advance_by: 'P10D' }), 'payments')
    assert.equal((await read(id, pair.counterparty)).amount_paid, paid.total)
  })

  test('that was returned is not returned again after the next one was made', async () => {
    const pair = await aPair(running)
    const { key } = pair.counterparty
    const { id } = await anApprovedInvoice(running, pair)
    const { payment } = (await pay(running, key, id)).body
    const writeBack = await copyPayment(payment.id)
    assert.equal((await simulate(pair, payment.id, 'return')).status, 200)
    assert.equal((await pay(running, key, id)).body.status, 'paid')
    await writeBack()
    assertNoticed(running, await simulate(pair, payment.id, 'return'), 'payments')
    assertNoticed(running, await get(key, '/v1/payments'), 'payments')
  })
})

test('a payment in progress whose row is gone is missed by whoever pays again', async () => {
  const pair = await aPair(running)
  const { document, payment } = await aPayment(pair)
  const id = decodeId('pay', payment)!
  await asSuperuser(database, `delete from payments where id = '${id}'`)
  const reply = await pay(running, pair.counterparty.key, document)
  assert.deepEqual([reply.status, reply.body.error?.code], [500, 'integrity_failure'], reply.text)
})

describe('old counters of an organization', () => {
  const uses: Readonly<Record<string, (pair: Pair, document: string) => Promise<Reply>>> = {
    'make no document': ({ issuer, connection }) =>
      callApi(running, 'POST', '/v1/documents', {
        key: issuer.key,
        body: { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] },
      }),
    'move no document': ({ issuer }, document) =>
      callApi(running, 'POST', `/v1/documents/${document}/transition`, {
        key: issuer.key,
        body: { to: 'cancelled' },
      }),
  }
  for (const [rule, use] of Object.entries(uses)) {
    test(rule, async () => {
      const pair = await aPair(running)
      const isOfIssuer = `t.organization_id = '${pair.issuer.uuid}'`
      const writeBack = await copyRows(database, 'organization_counters', isOfIssuer)
      const { id } = await anInvoice(running, pair)
      await writeBack()
      assertNoticed(running, await use(pair, id), 'organization_counters')
    })
  }
})
