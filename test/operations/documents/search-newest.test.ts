/** A search of everything looks at the newest documents, and says so when there are older ones. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { callApi } from '../../support/api-client.ts'
import {
  type TestOrganization,
  aDraft,
  aKey,
  aPair,
  anOrganization,
  exampleLine,
} from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

/** More than a search with operators loads, which is four pages of 100. */
const newerCount = 410

describe('contract 12: search among many documents', async () => {
  const running = await startTestService()
  const pair = await aPair(running)
  const { issuer } = pair
  const found = async (path: string, { key }: Pick<TestOrganization, 'key'> = issuer) => {
    const { body, text } = await callApi(running, 'GET', path, { key })
    assert(body.data, text)
    const ids = body.data.map(({ id }: { id: string }) => id) as string[]
    return { ids, has_more: body.has_more as boolean }
  }
  const everywhere = (query: string) => found(`/v1/search?q=${encodeURIComponent(query)}`)
  const line = { ...exampleLine, quantity: 1, tax_rate: 0 }
  const oldest = await aDraft(running, pair, {
    line_items: [{ ...line, description: 'Pebbles', unit_price: 270 }],
  })
  let left = newerCount
  const fill = async () => {
    while (left-- > 0) await aDraft(running, pair, { line_items: [{ ...line, unit_price: 100 }] })
  }
  await Promise.all(Array.from({ length: 8 }, fill))

  for (const query of [
    'total:>269.9 total:<270.1',
    'total:>=270',
    'is:draft total:270',
    'total:270',
  ])
    test(`${query} finds the oldest document`, async () => {
      assert.deepEqual(await everywhere(query), { ids: [oldest.id], has_more: false })
      const { ids } = await found(`/v1/documents?query=${encodeURIComponent(query)}`)
      assert.deepEqual(ids, [oldest.id])
    })

  test('a restriction that only a loaded document can tell says that more was not looked at', async () => {
    const query = '-consulting is:draft'
    assert.deepEqual(await everywhere(query), { ids: [], has_more: true })
  })

  test('more matches than are shown are said to be there', async () => {
    const { ids, has_more } = await everywhere('total:<200')
    assert(ids.length > 0)
    assert.equal(has_more, true)
  })

  test('a document of much content ends no search: older documents and payments are found', async () => {
    const other = await aPair(running)
    const { key } = other.issuer
    const older = await anApprovedInvoice(running, other, {
      line_items: [{ ...line, description: 'Pebbles', unit_price: 31.07 }],
    })
    const { status, text } = await pay(running, other.counterparty.key, older.id)
    assert.equal(status, 200, text)
    const description = '石'.repeat(limits.descriptionMaxLength)
    const line_items = Array.from({ length: limits.lineItemsMax }, () => ({ ...line, description }))
    await aDraft(running, other, { line_items })
    const documents = '/v1/search?type=document&q=pebbles'
    assert.deepEqual(await found(documents, { key }), { ids: [older.id], has_more: false })
    const { data } = (await callApi(running, 'GET', '/v1/payments', { key })).body
    const payments = { ids: [data[0].id], has_more: false }
    assert.deepEqual(await found('/v1/search?type=payment&q=31.07', { key }), payments)
  })

  test('more payments than are shown are said to be there', async () => {
    const line_items = [{ ...line, unit_price: 77 }]
    const { searchResultsMax: most } = limits
    const payOne = async () => {
      const { id } = await anApprovedInvoice(running, pair, { line_items })
      const { status, text } = await pay(running, pair.counterparty.key, id)
      assert.equal(status, 200, text)
    }
    for (let paid = 0; paid <= most; paid += 1) await payOne()
    for (const side of [issuer, pair.counterparty]) {
      const { ids, has_more } = await found('/v1/search?type=payment&limit=50&q=77.00', side)
      assert.deepEqual([ids.length, has_more], [most, true])
    }
  })

  test('more keys than are compared are said to be there', async () => {
    const owner = await anOrganization(running)
    for (let i = 0; i < limits.searchOtherRecordsMax; i += 1)
      await aKey(running, owner, ['documents:read'])
    const { ids, has_more } = await found('/v1/search?type=key&q=pebbles', { key: owner.session })
    assert.deepEqual([ids, has_more], [[], true])
  })
})
