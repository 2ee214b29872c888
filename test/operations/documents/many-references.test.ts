/** Decision 0270: a document takes a bounded number of references from each side. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { callApi } from '../../support/api-client.ts'
import { aDraft, anInvoice, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const trading = await startTradingPair()
const { running, pair, issuer, counterparty, fromBuyer, issue, read } = trading

/** None of them has an effect on an invoice, and each is an event of its history. */
const relations = ['relates_to', 'supersedes', 'bills', 'fulfils', 'converts']

test('a document takes a thousand references from a side, and then none of it but credit notes', async () => {
  const { id } = await anInvoice(running, pair)
  const references = relations.map((rel) => ({ rel, document_id: id }))
  const last = await aDraft(running, pair, { references: references.slice(0, 1) })
  const count = limits.referencesPerSideMax / relations.length
  for (let made = 0; made < count; made += 20) {
    assert.equal((await read(last.id, issuer)).issuable, true)
    await Promise.all(Array.from({ length: 20 }, () => anInvoice(running, pair, { references })))
  }
  // Each event of its history is a revision of it.
  const events = async (): Promise<number> => (await read(id, issuer)).revision
  const before = await events()
  assert(before > limits.referencesPerSideMax)
  const { issuable, blockers } = await read(last.id, issuer)
  assert.deepEqual([issuable, blockers], [false, ['too_many_changes']])
  const { limit, document_id } = assertRefused(
    await issue(last.id, issuer),
    'conflict',
    'too_many_changes',
  )
  assert.deepEqual([limit, document_id], [limits.referencesPerSideMax, id])
  assert.equal(await events(), before, 'nothing was written')

  const body = { references: [] }
  const edited = await callApi(running, 'PATCH', `/v1/documents/${last.id}`, {
    key: issuer.key,
    body,
  })
  assert.equal(edited.body.issuable, true, edited.text)
  assert.equal((await issue(last.id, issuer)).status, 200, 'without the reference')
  await anInvoice(running, fromBuyer, {
    document_type: 'purchase_order',
    references: references.slice(0, 1),
  })
  const credit = { document_type: 'credit_note', references: [{ rel: 'credits', document_id: id }] }
  const line_items = [{ description: 'Rebate', quantity: 1, unit_price: 10, tax_rate: 0 }]
  await anInvoice(running, pair, { ...credit, line_items })
  assert.equal(await events(), before + 2, 'of the other side, and a credit note')
  assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
  const paid = await callApi(running, 'POST', `/v1/documents/${id}/pay`, { key: counterparty.key })
  assert.equal(paid.status, 200, paid.text)
})
