/** The daily and the total quotas of a sandbox organization. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { callApi } from '../../support/api-client.ts'
import { type Pair, aPair } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

describe('contract 11: quotas', () => {
  const draft = ({ issuer, connection }: Pair, at: typeof running) =>
    callApi(at, 'POST', '/v1/documents', {
      key: issuer.key,
      body: {
        connection_id: connection,
        document_type: 'invoice',
        line_items: [{ description: 'x', quantity: 1, unit_price: 1, tax_rate: 0 }],
      },
    })

  test('a document or payment beyond its daily quota is refused with the time of the reset', async () => {
    const limited = await running.startAnother({
      QUOTA_DOCUMENTS_PER_DAY: '3',
      QUOTA_PAYMENTS_PER_DAY: '1',
    })
    const pair = await aPair(running)
    const ids = [
      (await anApprovedInvoice(limited, pair)).id,
      (await anApprovedInvoice(limited, pair)).id,
    ]
    assert.equal((await draft(pair, limited)).status, 201)
    const { status, headers, body } = await draft(pair, limited)
    assert.deepEqual([status, body.error.code], [429, 'sandbox_quota'])
    const { quota, limit, used, resets_at } = body.error.details
    assert.deepEqual([quota, limit, used], ['documents_per_day', 3, 3])
    assert.match(resets_at, /T00:00:00.000Z$/)
    assert(Number(headers.get('retry-after')) > 0)
    assert.equal((await pay(limited, pair.counterparty.key, ids[0]!)).status, 200)
    const refused = await pay(limited, pair.counterparty.key, ids[1]!)
    assert.equal(refused.body.error.details.quota, 'payments_per_day')
    assert.equal((await pay(limited, pair.counterparty.key, ids[0]!)).status, 200)
  })

  test('a converted draft counts like a new one', async () => {
    const limited = await running.startAnother({ QUOTA_DOCUMENTS_PER_DAY: '2' })
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(limited, pair, { document_type: 'invoice' })
    const convert = () =>
      callApi(limited, 'POST', `/v1/documents/${id}/convert`, {
        key: pair.issuer.key,
        body: { document_type: 'credit_note' },
      })
    assert.equal((await convert()).status, 201)
    const { status, body } = await convert()
    assert.deepEqual([status, body.error.details.quota], [429, 'documents_per_day'])
  })

  test('a total quota has no reset time, and live mode and SANDBOX_QUOTAS=off have no quotas', async () => {
    const zeroQuota = await running.startAnother({ QUOTA_STORED_DOCUMENTS: '0' })
    const { status, headers, body } = await draft(await aPair(running), zeroQuota)
    assert.deepEqual([status, body.error.details.resets_at], [429, null])
    assert.equal(headers.get('retry-after'), null)
    assert.equal((await draft(await aPair(running, 'live'), zeroQuota)).status, 201)
    const off = await zeroQuota.startAnother({ SANDBOX_QUOTAS: 'off' })
    assert.equal((await draft(await aPair(running), off)).status, 201)
  })
})
