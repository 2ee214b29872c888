/** Search over everything that the caller may read (contract 12, console 4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { indexSearch } from '../../../src/tasks/index-search.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { searchClient } from '../../support/documents/search-client.ts'
import {
  type Pair,
  aDraft,
  aKey,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  exampleLine,
  move,
} from '../../support/fixtures.ts'
import { anEndpoint } from '../../support/webhooks/endpoints.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { searchIds, index } = searchClient(running)

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
    for (const id of [older.id, older.id.toUpperCase()])
      assert.deepEqual(await found(counterparty.key, id), [older.id])
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

  test('what is found shows the text that answers, whatever form its letters have', async () => {
    const line_items = [{ ...exampleLine, description: 'Große Kiste' }]
    const { id } = await anInvoice(running, pair, { line_items })
    const { body } = await search(issuer.key, 'GROSSE KISTE')
    const match = { field: 'line_items', value: 'Große Kiste' }
    assert.deepEqual([body.data[0].id, body.data[0].match], [id, match])
    const named = await aPair(running)
    const name = 'Łódź Straße'
    const other = await anOrganization(running, { name })
    const { connection } = await connectPair(running, named.issuer, other)
    assert((await found(named.issuer.key, 'LODZ STRASSE')).includes(connection))
  })

  test('a search without a letter or digit is refused, and names its parameter', async () => {
    const details = assertRefused(await search(issuer.key, '--'), 'invalid_request')
    assert.equal(details.errors[0].param, 'q')
  })
})

/** A document with this total. */
const worth = (amount: number) => ({
  line_items: [{ description: 'Boards', quantity: 1, unit_price: amount, tax_rate: 0 }],
})

for (const stage of ['before indexing', 'after indexing'] as const) {
  describe(`contract 8: search by amount ${stage}`, async () => {
    const pair = await aPair(running)
    const { issuer, counterparty } = pair
    const inDollars = await anInvoice(running, pair, worth(1234.5))
    const inEuros = await anInvoice(running, pair, { ...worth(1234.5), currency: 'EUR' })
    const round = await anInvoice(running, pair, worth(1234))
    for (const near of [1234.51, 123.45, 12_345, 234.5, 11_234.5])
      await anInvoice(running, pair, worth(near))
    if (stage === 'after indexing') for (const side of [issuer, counterparty]) await index(side)

    test('a total is found to the cent, as people write it, with or without its currency', async () => {
      for (const { key } of [issuer, counterparty]) {
        for (const query of ['1234.50', '1234.5', '1,234.50', '1.234,50', '1’234.50', '$1,234.50'])
          assert.deepEqual(await found(key, query), [inEuros.id, inDollars.id], query)
        for (const query of ['EUR 1234.50', '1.234,50 €', 'eur1234.50'])
          assert.deepEqual(await found(key, query), [inEuros.id], query)
        assert.deepEqual(await found(key, 'USD 1,234.50'), [inDollars.id])
        assert.deepEqual(await found(key, 'GBP 1234.50'), [])
        assert.deepEqual(await found(key, '1,234'), [round.id])
        assert.deepEqual(await found(key, '1234.52'), [])
      }
      const { body } = await search(issuer.key, 'usd 1234.5')
      assert.deepEqual(body.data[0].match, { field: 'total', value: '1234.50 USD' })
    })

    test('the list finds amounts as well, beside other words and filters', async () => {
      for (const side of [issuer, counterparty]) {
        assert.deepEqual(await searchIds('boards 1,234.50', side), [inEuros.id, inDollars.id])
        assert.deepEqual(await searchIds('1234.50 bricks', side), [])
        assert.deepEqual(await searchIds('1234.50', side, '&status=paid'), [])
      }
      assert.deepEqual(await searchIds('1234.50', await anOrganization(running)), [])
    })
  })
}

const pay = async ({ issuer, counterparty }: Pair, id: string): Promise<string> => {
  for (const to of ['approved', 'paid']) {
    const moved = await move(running, counterparty.key, id, to)
    assert.equal(moved.status, 200, moved.text)
  }
  const payments = await callApi(running, 'GET', `/v1/payments?document=${id}`, issuer)
  return payments.body.data[0].id
}

describe('contract 8: search by amount, as amounts change', () => {
  test('a number beside a word is a part of a reference, and a reference comes before an amount', async () => {
    const pair = await aPair(running)
    const costs = await anInvoice(running, pair, worth(42))
    const refers = await anInvoice(running, pair, { external_refs: { order: 'PO-42' } })
    assert.deepEqual(await found(pair.issuer.key, 'po 42'), [refers.id])
    assert.deepEqual(await found(pair.issuer.key, '42'), [refers.id, costs.id])
    assert.deepEqual(await found(pair.issuer.key, '42.00'), [costs.id])
  })

  test('a number is not taken for the misspelt name of a party', async () => {
    const [name, other] = [await anOrganization(running, { name: '123456 Ltd' }), 1234.57] as const
    const pair = await connectPair(running, await anOrganization(running), name)
    const { id } = await anInvoice(running, pair)
    assert.deepEqual(await found(pair.issuer.key, '123456'), [id, pair.connection])
    assert.deepEqual(await found(pair.issuer.key, String(other)), [])
  })

  test('a draft is found by its latest total, by its issuer only', async () => {
    const pair = await aPair(running)
    const { issuer, counterparty } = pair
    const draft = await aDraft(running, pair, worth(77.01))
    await index(issuer)
    const edited = { key: issuer.key, body: worth(88.02) }
    await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, edited)
    const check = async () => {
      assert.deepEqual(await found(issuer.key, '77.01'), [])
      assert.deepEqual(await found(issuer.key, '88,02'), [draft.id])
      assert.deepEqual(await found(counterparty.key, '88.02'), [])
    }
    await check()
    await index(issuer)
    await check()
  })

  test('both sides find a payment by its own amount, at once and once it is indexed', async () => {
    const pair = await aPair(running)
    const invoice = await anInvoice(running, pair, worth(900.9))
    const note = await aDraft(running, pair, {
      document_type: 'credit_note',
      ...worth(100),
      references: [{ rel: 'credits', document_id: invoice.id }],
    })
    await callApi(running, 'POST', `/v1/documents/${note.id}/issue`, { key: pair.issuer.key })
    for (const side of [pair.issuer, pair.counterparty]) await index(side)
    const payment = await pay(pair, invoice.id)
    const check = async () => {
      for (const { key } of [pair.issuer, pair.counterparty]) {
        assert.deepEqual(await found(key, '800.90'), [payment])
        assert.deepEqual(await found(key, '$800.9'), [payment])
        assert.deepEqual(await found(key, 'boards USD 800.90'), [payment])
        assert.deepEqual(await found(key, 'EUR 800.90'), [])
        assert.deepEqual(await found(key, '900.90'), [invoice.id])
      }
    }
    await check()
    for (const side of [pair.issuer, pair.counterparty]) await index(side)
    await check()
    const { secret } = await aKey(running, pair.issuer, ['documents:read'])
    assert.deepEqual(await found(secret, '800.90'), [])
    const { body } = await search(pair.issuer.key, '800.90')
    assert.deepEqual(body.data[0].match, { field: 'amount', value: '800.90 USD' })
  })

  test('live documents are found by their total', async () => {
    const pair = await aPair(running, 'live')
    const { id } = await anInvoice(running, pair, worth(0.05))
    for (const { key } of [pair.issuer, pair.counterparty])
      assert.deepEqual(await found(key, '0,05'), [id])
  })

  test('entries of an older version, which lack amounts, are renewed in the background', async () => {
    const pair = await aPair(running)
    const older = await anInvoice(running, pair, worth(314.15))
    const payment = await pay(pair, older.id)
    await index(pair.issuer)
    await running.database.run(sql`
      update search_entries set words = array_to_tsvector(
        array(select word from unnest(tsvector_to_array(words)) word where word !~ '[=+]'))
      where organization_id = ${pair.issuer.uuid}`)
    assert.deepEqual(await found(pair.issuer.key, '314.15'), [])
    await running.database.run(sql`
      update search_progress set renewed = 0 where organization_id = ${pair.issuer.uuid}`)
    while (await indexSearch.run(running.service.context));
    assert.deepEqual(new Set(await found(pair.issuer.key, '314.15')), new Set([older.id, payment]))
    const [progress] = await running.database.rows<{ isDone: boolean }>(sql`
      select renewed = indexed as "isDone" from search_progress
      where organization_id = ${pair.issuer.uuid}`)
    assert.equal(progress!.isDone, true)
  })
})
