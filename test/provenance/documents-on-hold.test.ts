/** Decision 0172: both sides of a document are told that its record does not verify. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { aDraft, aKey, anOrganization } from '../support/fixtures.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()
const stranger = await anOrganization(running)

const get = async (path: string, key: string) => (await callApi(running, 'GET', path, { key })).body

const heldOf = async (key: string): Promise<string[]> =>
  (await get('/v1/me', key)).documents_on_hold

const change = (id: string, set: string) =>
  asSuperuser(running.database, `update documents set ${set} where id = '${decodeId('doc', id)!}'`)

test('whoever shares a document with a broken record reads its id in `me`, and nobody else', async () => {
  const invoice = await anApprovedInvoice(running, pair)
  const draft = await aDraft(running, pair)
  assert.deepEqual(await heldOf(issuer.key), [])
  for (const { id } of [invoice, draft]) {
    await change(id, 'total = total + 100')
    const { error } = await get(`/v1/documents/${id}`, issuer.key)
    assert.equal(error.code, 'integrity_failure')
  }
  assert.deepEqual(await heldOf(issuer.key), [draft.id, invoice.id])
  // A draft is its issuer's.
  assert.deepEqual(await heldOf(counterparty.key), [invoice.id])
  assert.deepEqual(await heldOf(stranger.key), [])
  const without = await aKey(running, issuer, ['webhooks:manage'])
  assert.deepEqual(await heldOf(without.secret), [])

  // A row that is as before is on hold until the operator has looked.
  for (const { id } of [invoice, draft]) await change(id, 'total = total - 100')
  assert.equal((await get(`/v1/documents/${invoice.id}`, issuer.key)).id, invoice.id)
  assert.deepEqual(await heldOf(counterparty.key), [invoice.id])
  await change(invoice.id, 'integrity_hold = false')
  assert.deepEqual(await heldOf(counterparty.key), [])
  assert.deepEqual(await heldOf(issuer.key), [draft.id])
})

test('at most ten are named, the newest first', async () => {
  const drafts = await Promise.all(Array.from({ length: 11 }, () => aDraft(running, pair)))
  for (const { id } of drafts) await change(id, 'integrity_hold = true')
  const newest = drafts.map(({ id }) => id).toSorted()
  assert.deepEqual(await heldOf(issuer.key), newest.toReversed().slice(0, 10))
})
