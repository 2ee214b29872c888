/** A filter of several values is the same filter in any order (contract 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblems } from '../support/http/error-responses.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { aDraft, aPair, anInvoice, anOrganization, connectPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const elsewhere = await connectPair(running, pair.issuer, await anOrganization(running))

const list = (query: string): Promise<Reply> =>
  callApi(running, 'GET', `/v1/documents?${query}`, { key: pair.issuer.key })

for (const document_type of ['invoice', 'quote', 'invoice']) {
  await aDraft(running, pair, { document_type })
  await anInvoice(running, elsewhere, { document_type })
}

for (const [first, same, other] of [
  ['type=quote&type=invoice', 'type=invoice,quote', 'type=invoice'],
  ['status=submitted&status=draft,draft', 'status=draft,submitted', 'status=draft'],
  ['type=invoice,quote', 'type=quote,invoice,quote', 'type=invoice'],
  ['status=submitted,draft', 'status=draft,submitted', 'status=draft,approved'],
  ['phase=pending,closed,draft', 'phase=closed,draft,pending', 'phase=closed,draft'],
  [
    `connection=${pair.connection},${elsewhere.connection}`,
    `connection=${elsewhere.connection},${pair.connection}`,
    `connection=${pair.connection}`,
  ],
] as const) {
  test(`a cursor of ${first} works with ${same} but not with ${other}`, async () => {
    const { next_cursor: cursor } = (await list(`limit=1&${first}`)).body
    const one = await list(`limit=2&${first}&cursor=${cursor}`)
    const two = await list(`cursor=${cursor}&${same}&limit=2`)
    assert.deepEqual([one.status, one.body.data.length], [200, 2], one.text)
    assert.deepEqual(two.body, one.body)
    assertProblems(await list(`${other}&cursor=${cursor}`), 'cursor invalid_cursor')
  })
}
