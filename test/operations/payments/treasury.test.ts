/** Reading the treasury: lists that page like every other list (contract 4 and 6, domain 4.6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type TestOrganization, aPair, callApi, startTestService } from '../../support/service.ts'

const running = await startTestService()
const { issuer } = await aPair(running)

const get = (query: string, { key }: TestOrganization = issuer) =>
  callApi(running, 'GET', `/v1/treasury/${query}`, { key })

/** All pages of a list, and how many rows each had. */
const allPages = async (query: string): Promise<{ ids: string[]; sizes: number[] }> => {
  const ids: string[] = []
  const sizes: number[] = []
  for (let cursor = ''; ;) {
    const { status, text, body } = await get(`${query}${cursor}`)
    assert.equal(status, 200, text)
    const rows = body.data as { id?: string; account_id: string }[]
    ids.push(...rows.map((row) => row.id ?? row.account_id))
    sizes.push(rows.length)
    assert.equal(body.has_more, body.next_cursor !== null)
    if (body.next_cursor === null) return { ids, sizes }
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

describe('contract 4: balances are a list like every other', () => {
  const now = new Date().toISOString()

  for (const more of ['', `&as_of=${now}`]) {
    test(`they page by limit and cursor, in the order of the accounts${more && ', as of then'}`, async () => {
      const { ids, sizes } = await allPages(`balances?limit=3${more}`)
      assert.deepEqual(sizes, [3, 3, 2])
      assert.deepEqual(ids, (await allPages('accounts?limit=8')).ids)
    })
  }

  test('filters and pages go together', async () => {
    const { ids, sizes } = await allPages('balances?currency=EUR,CAD&limit=1')
    assert.deepEqual([new Set(ids).size, sizes], [4, [1, 1, 1, 1]])
    const { body } = await get(`balances?account=${ids[2]},${ids[0]}`)
    assert.deepEqual(
      body.data.map((one: { account_id: string }) => one.account_id),
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

  test('before an account was opened it has no balance', async () => {
    const { body } = await get('balances?as_of=2020-01-01')
    assert.deepEqual(body, { data: [], next_cursor: null, has_more: false })
  })
})
