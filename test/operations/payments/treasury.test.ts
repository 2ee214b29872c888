/** Treasury lists are paged like every other list (contract 4 and 6, domain 4.6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { eachPage } from '../../support/http/all-pages.ts'
import { type TestOrganization, aPair } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { issuer } = await aPair(running)

const get = (query: string, { key }: TestOrganization = issuer) =>
  callApi(running, 'GET', `/v1/treasury/${query}`, { key })

/** The ids of all pages, and the number of rows of each. */
const readPages = async (query: string): Promise<{ ids: string[]; sizes: number[] }> => {
  const ids: string[] = []
  const sizes: number[] = []
  for await (const { data } of eachPage(running, issuer.key, `/v1/treasury/${query}`)) {
    ids.push(...data.map((row) => row.id ?? row.account_id))
    sizes.push(data.length)
  }
  return { ids, sizes }
}

describe('contract 4: balances are paged like every other list', () => {
  const now = new Date().toISOString()

  for (const more of ['', `&as_of=${now}`]) {
    test(`balances are paged by limit and cursor in the order of the accounts${more && ' with as_of'}`, async () => {
      const { ids, sizes } = await readPages(`balances?limit=3${more}`)
      assert.deepEqual(sizes, [3, 3, 2])
      assert.deepEqual(ids, (await readPages('accounts?limit=8')).ids)
    })
  }

  test('filters and pages combine', async () => {
    const { ids, sizes } = await readPages('balances?currency=EUR,CAD&limit=1')
    assert.deepEqual([new Set(ids).size, sizes], [4, [1, 1, 1, 1]])
    const { body } = await get(`balances?account=${ids[2]},${ids[0]}`)
    assert.deepEqual(
      body.data.map((row: { account_id: string }) => row.account_id),
      [ids[0], ids[2]],
    )
  })

  test('a limit out of bounds and a cursor of another query are refused', async () => {
    for (const limit of ['0', '101', 'abc']) {
      const { status, body } = await get(`balances?limit=${limit}`)
      assert.deepEqual([status, body.error.details.errors[0].param], [400, 'limit'])
    }
    const { next_cursor } = (await get('balances?limit=1')).body
    const { body } = await get(`balances?currency=EUR&cursor=${encodeURIComponent(next_cursor)}`)
    assert.equal(body.error.details.errors[0].code, 'invalid_cursor')
  })

  test('an account has no balance before it was opened', async () => {
    const { body } = await get('balances?as_of=2020-01-01')
    assert.deepEqual(body, { data: [], next_cursor: null, has_more: false })
  })
})
