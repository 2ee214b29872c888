/** `balance_due` is what is owed now, wherever a document is shown (contract 11: balances). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { aDraft, anInvoice, move } from '../../support/fixtures.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, issuer, counterparty, issueDocument, assertConsistent, ...documents } =
  await startTradingPair()

const get = (path: string, key: string) => callApi(running, 'GET', path, { key })

type Shown = { balance_due: number; overdue: boolean; payable: boolean }

/** The balances of a document in a read, the list and the last event, and in its export. */
const balancesOf = async (id: string, { key, session }: typeof issuer): Promise<number[]> => {
  const read: Shown = await documents.read(id, { key })
  assert.deepEqual([read.overdue, read.payable && read.balance_due === 0], [false, false])
  const list = (await get('/v1/documents?limit=100', key)).body.data
  const listed: Shown = list.find((row: { id: string }) => row.id === id)
  const events = (await get('/v1/events?limit=100', session)).body.data
  const event = events.find(
    (one: { data: { document: { id: string } } }) => one.data.document.id === id,
  )
  const exported = await get(`/v1/documents/${id}/export`, key)
  assert.equal(exported.status, 200, exported.text)
  const { document } = JSON.parse(exported.text)
  const balances = [read, listed, event.data.document].map((shown: Shown) => shown.balance_due)
  return [...new Set([...balances, Number(document.state.balance_due)])]
}

test('contract 11: nothing is owed for a type that nobody pays, from draft to its end', async () => {
  const draft = await aDraft(running, pair, { document_type: 'quote' })
  assert.deepEqual([draft.total, draft.balance_due], [1080, 0])
  const quote = await issueDocument('quote', 'accepted')
  const order = await issueDocument('purchase_order')
  const notice = await issueDocument('delivery_note', 'acknowledged')
  for (const id of [quote, order, notice]) {
    for (const side of [issuer, counterparty]) assert.deepEqual(await balancesOf(id, side), [0])
  }
  await assertConsistent()
})

test('contract 11: nothing is owed once an invoice is rejected, cancelled or paid', async () => {
  const rejected = await issueDocument('invoice', 'rejected')
  const { id: cancelled } = await anInvoice(running, pair)
  assert.deepEqual(await balancesOf(cancelled, counterparty), [1080])
  await move(running, issuer.key, cancelled, 'cancelled')
  const paid = await issueDocument('invoice', 'approved')
  assert.deepEqual(await balancesOf(paid, issuer), [1080])
  await move(running, counterparty.key, paid, 'paid')
  for (const id of [rejected, cancelled, paid]) {
    for (const side of [issuer, counterparty]) assert.deepEqual(await balancesOf(id, side), [0])
  }
  const discarded = await aDraft(running, pair)
  assert.equal(discarded.balance_due, 1080)
  assert.equal((await move(running, issuer.key, discarded.id, 'cancelled')).body.balance_due, 0)
  await assertConsistent()
})
