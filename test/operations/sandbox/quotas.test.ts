/** The daily and the total quotas of a sandbox organization. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { callApi } from '../../support/api-client.ts'
import { type Pair, aPair, anOrganization } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
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

  test('at most 100 keys are active, also of those created at once; rotation needs no place', async () => {
    const limited = await running.startAnother({ QUOTA_ACTIVE_KEYS: '5' })
    const other = await running.startAnother({ QUOTA_ACTIVE_KEYS: '5' })
    const { session, keyId } = await anOrganization(running)
    const post = (path: string, body?: unknown, at = limited) =>
      callApi(at, 'POST', `/v1/keys${path}`, { key: session, body })
    const create = (at = limited) => post('', { name: 'x', scopes: ['documents:read'] }, at)
    const replies = await Promise.all(
      [limited, other].flatMap((at) => [1, 2, 3, 4].map(() => create(at))),
    )
    const created = replies.filter(({ status }) => status === 201)
    assert.equal(created.length, 4, 'the organization has one key already')
    const refused = await create()
    const details = { quota: 'active_keys', limit: 5, used: 5, resets_at: null }
    assert.deepEqual(assertRefused(refused, 'sandbox_quota'), details)
    assert.match(refused.body.error.message, /Revoke a key/)
    assert.equal(refused.headers.get('retry-after'), null)

    assert.equal((await post(`/${keyId}/rotate`)).status, 200)
    assert.equal((await create()).status, 429, 'its replacement is active')
    await post(`/${created[0]!.body.id}/revoke`)
    assert.equal((await create()).status, 201)
    await runAndSeal(
      running.database,
      'keys',
      sql`
      update keys set expires_at = now() where id = ${decodeId('key', created[1]!.body.id)!}`,
    )
    assert.equal((await create()).status, 201)
    const me = await callApi(limited, 'GET', '/v1/me', { key: session })
    const shown = me.body.limits.quotas.find(
      ({ quota }: { quota: string }) => quota === 'active_keys',
    )
    assert.deepEqual([shown.used, shown.left], [5, 0])

    const live = await anOrganization(running, { mode: 'live' })
    const unlimited = await running.startAnother({ QUOTA_ACTIVE_KEYS: '1' })
    const inLive = { name: 'x', scopes: ['documents:read'] }
    const reply = await callApi(unlimited, 'POST', '/v1/keys', { key: live.session, body: inLive })
    assert.equal(reply.status, 201)
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
