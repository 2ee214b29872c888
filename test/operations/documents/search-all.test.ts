/** Search over everything that the caller may read (contract 12, console 4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { aDraft, aKey, aPair, anInvoice, exampleLine } from '../../support/fixtures.ts'
import { anEndpoint } from '../../support/webhooks/endpoints.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

const search = (key: string, query: string): Promise<Reply> =>
  callApi(running, 'GET', `/v1/search?q=${encodeURIComponent(query)}`, { key })

const found = async (key: string, query: string): Promise<string[]> =>
  (await search(key, query)).body.data.map(({ id }: { id: string }) => id)

describe('contract 12: search', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  const older = await anInvoice(running, pair, { external_refs: { issuer_ref: 'SO-4711' } })
  const newer = await anInvoice(running, pair, {
    line_items: [{ ...exampleLine, description: 'Boards as in SO-4711' }],
  })

  test('a reference comes before a newer document that only mentions it, for both sides', async () => {
    for (const { key } of [issuer, counterparty]) {
      assert.deepEqual(await found(key, 'so 4711'), [older.id, newer.id])
    }
    const { body } = await search(counterparty.key, 'SO-4711')
    assert.deepEqual(body.data[0].match, { field: 'external_refs.issuer_ref', value: 'SO-4711' })
    assert.equal(body.next_cursor, null)
  })

  test('a number is found without its leading zeros, and a document by its id', async () => {
    const number = older.number.replace('INV-00000', 'inv ')
    assert.equal((await found(issuer.key, number))[0], older.id)
    assert.deepEqual(await found(counterparty.key, older.id), [older.id])
  })

  test('a draft, and what belongs to others, is found by nobody else', async () => {
    const draft = await aDraft(running, pair, { notes: 'Quetzal' })
    assert.deepEqual(await found(issuer.key, 'quetzal'), [draft.id])
    assert.deepEqual(await found(counterparty.key, 'quetzal'), [])
    assert.deepEqual(await found(counterparty.key, draft.id), [])
  })

  test('a key finds what its scopes may read; a session of an admin finds keys and endpoints', async () => {
    const { keyId } = await aKey(running, issuer, ['documents:read'])
    const endpoint = await anEndpoint(running, issuer)
    const { secret } = await aKey(running, issuer, ['payments:read'])
    assert.deepEqual(await found(secret, older.id), [])
    assert.deepEqual(await found(issuer.key, keyId), [])
    assert.deepEqual(await found(issuer.session, keyId), [keyId])
    assert.deepEqual(await found(issuer.session, endpoint.id), [endpoint.id])
  })

  test('connections are found by the name of the other side', async () => {
    const { body } = await callApi(
      running,
      'GET',
      `/v1/search?type=connection&q=${encodeURIComponent(counterparty.name)}`,
      { key: issuer.key },
    )
    assert.equal(body.data[0].id, pair.connection)
    assert.equal(body.data[0].title, counterparty.name)
  })

  test('a search without a letter or digit is refused, and names its parameter', async () => {
    const details = assertRefused(await search(issuer.key, '--'), 'invalid_request')
    assert.equal(details.errors[0].param, 'q')
  })
})
