/** Provenance 8: an old row of a document, with its old seal, revives nothing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { aDraft, move } from '../support/fixtures.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { type DocumentTable, oldRowsOf } from '../support/provenance/document-rollback.ts'
import { assertWithheld } from '../support/provenance/withheld-answers.ts'
import { until } from '../support/until.ts'

const { running, pair, issuer, counterparty } = await startTradingPair({ SANDBOX_QUOTAS: 'off' })

const get = (path: string, key: string) => callApi(running, 'GET', path, { key })
const post = (path: string, key: string, body: object = {}) =>
  callApi(running, 'POST', path, { key, body })

const untilLogged = (id: string): Promise<void> =>
  until('every event is in the log', async () => {
    const { body } = await get(`/v1/documents/${id}/history`, issuer.key)
    return body.verification?.logged_through_seq === body.verification?.events
  })

/** An invoice that was paid, with the chosen rows as they were before. */
const aRevivedInvoice = async (tables: readonly DocumentTable[]): Promise<string> => {
  const { id } = await anApprovedInvoice(running, pair)
  const old = await oldRowsOf(running, decodeId('doc', id)!)
  const paid = await post(`/v1/documents/${id}/pay`, counterparty.key)
  assert.equal(paid.status, 200, paid.text)
  await untilLogged(id)
  await old.putBack(tables)
  return id
}

const assertDecidesNothing = async (id: string): Promise<void> => {
  const path = `/v1/documents/${id}`
  for (const { key } of [issuer, counterparty]) {
    assertWithheld(await get(path, key), 'read')
    assertWithheld(await get(`${path}/history`, key), 'history')
    assertWithheld(await get(`${path}/export`, key), 'export')
  }
  assertWithheld(await post(`${path}/pay`, counterparty.key), 'pay')
  const disputed = await move(running, counterparty.key, id, 'disputed', { note: 'No' })
  assertWithheld(disputed, 'move')
  const convert = { document_type: 'credit_note' }
  assertWithheld(await post(`${path}/convert`, issuer.key, convert), 'convert')
}

describe('an invoice that was paid is not open again', () => {
  test('by its own row alone, which is withheld from lists as well', async () => {
    const id = await aRevivedInvoice(['documents'])
    await assertDecidesNothing(id)
    for (const { key } of [issuer, counterparty]) {
      assertWithheld(await get('/v1/documents', key), 'list')
      assertWithheld(await get('/v1/documents?status=paid', key), 'list by status')
    }
  })

  test('by its row, its list rows and its payments', async () => {
    await assertDecidesNothing(await aRevivedInvoice(['documents', 'document_views', 'payments']))
  })

  test('by all of its rows but the leaves of the log', async () => {
    const tables: DocumentTable[] = ['documents', 'document_views', 'payments', 'prov_event']
    await assertDecidesNothing(await aRevivedInvoice([...tables, 'events', 'head_note']))
  })
})

test('a draft that was edited does not become what it was', async () => {
  const { id } = await aDraft(running, pair)
  const old = await oldRowsOf(running, decodeId('doc', id)!)
  const body = { notes: 'New' }
  await callApi(running, 'PATCH', `/v1/documents/${id}`, { key: issuer.key, body })
  await old.putBack(['documents', 'document_views'])
  assertWithheld(await get(`/v1/documents/${id}`, issuer.key), 'read')
  assertWithheld(await post(`/v1/documents/${id}/issue`, issuer.key), 'issue')
})

test('another document of the same parties goes on', async () => {
  const { id } = await aDraft(running, pair)
  assert.equal((await post(`/v1/documents/${id}/issue`, issuer.key)).status, 200)
  assert.equal((await get(`/v1/documents/${id}`, counterparty.key)).status, 200)
})
