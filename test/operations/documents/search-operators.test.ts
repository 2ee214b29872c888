/** Operators in a search (console 4, docs/decisions/0170), for both sides of the documents. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertProblems } from '../../support/http/error-responses.ts'
import { callApi } from '../../support/api-client.ts'
import { searchClient } from '../../support/documents/search-client.ts'
import {
  type Pair,
  aDraft,
  anInvoice,
  anOrganization,
  connectPair,
  exampleLine,
  move,
} from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { search, searchIds, index } = searchClient(running)

const organizations = async (...names: string[]) => {
  const all = []
  for (const name of names) all.push(await anOrganization(running, { name }))
  return all as [Pair['issuer'], Pair['issuer'], Pair['issuer']]
}

const everywhere = async (query: string, { key }: { key: string }): Promise<string[]> => {
  const path = `/v1/search?q=${encodeURIComponent(query)}`
  const { body, text } = await callApi(running, 'GET', path, { key })
  assert(body.data, text)
  return body.data.map(({ id }: { id: string }) => id)
}

const [timber, harbour, quarry] = await organizations('Bright Timber', 'Harbour Café', 'Old Quarry')
const pair = await connectPair(running, timber, harbour)
// Its only invoice moves the numbers of its counterparty on.
await anInvoice(running, await connectPair(running, quarry, harbour))
const oak = await anInvoice(running, pair, {
  currency: 'EUR',
  document_date: '2025-01-01',
  due_date: '2025-01-31',
  external_refs: { issuer_ref: 'SO-4711' },
  line_items: [{ ...exampleLine, description: 'Oak boards, planed', sku: 'TIM-9' }],
})
const slate = await anInvoice(running, pair, {
  currency: 'USD',
  payment_terms: 'Net 30',
  line_items: [
    { ...exampleLine, unit_price: 500, tax_rate: 0, description: 'Slate; planed boards, no oak' },
  ],
  notes: 'As in SO-4711, instead of TIM-9; see Old Quarry',
})
assert.equal((await move(running, harbour.key, slate.id, 'approved')).status, 200)
const order = await anInvoice(running, pair, { document_type: 'purchase_order' })
const draft = await aDraft(running, pair, { notes: 'Sandstone', currency: 'GBP' })

const bill = (await callApi(running, 'GET', `/v1/documents/${oak.id}`, harbour)).body.number

/** What both sides find of the documents that both see. */
const shared: readonly (readonly [query: string, found: string[]])[] = [
  ['status:approved', [slate.id]],
  ['status:approved,submitted type:invoice boards', [slate.id, oak.id]],
  ['type:purchase_order', [order.id]],
  ['currency:eur', [oak.id]],
  [`number:${oak.number} currency:EUR`, [oak.id]],
  ['ref:SO-4711', [oak.id]],
  ['ref:4711 slate', []],
  ['sku:tim', [oak.id]],
  ['total:5000', [slate.id]],
  ['total:>1080 boards', [slate.id]],
  ['total:>=1080 boards', [slate.id, oak.id]],
  ['total:<5000 boards', [oak.id]],
  ['total:<=EUR5,000.00 boards', [oak.id]],
  ['due:2025-01-31', [oak.id]],
  ['due:<2025-01-31', []],
  ['due:<=2025-01-31', [oak.id]],
  ['due:>2025-01-31 due:<2100-01-01 boards', [slate.id]],
  ['is:overdue', [oak.id]],
  ['is:overdue status:approved', []],
  ['status:paid status:approved', []],
  ['"oak boards"', [oak.id]],
  ['"boards oak"', []],
  ['boards -slate', [oak.id]],
  ['boards -"oak boards"', [slate.id]],
  ['planed -boards', []],
]

for (const stage of ['before indexing', 'after indexing']) {
  describe(`console 4: operators ${stage}`, async () => {
    if (stage === 'after indexing') for (const side of [timber, harbour]) await index(side)

    test('each restricts the list, on its own, with others and with words, for both sides', async () => {
      for (const side of [timber, harbour])
        for (const [query, found] of shared) {
          assert.deepEqual(await searchIds(query, side), found, `${side.name}: ${query}`)
          const first = new Set(await everywhere(query, side))
          assert.deepEqual(first, new Set(found), `${side.name}: ${query}`)
        }
    })

    test('names mean the sides of the document, and tolerate a typing error', async () => {
      const boards = [slate.id, oak.id]
      for (const query of [
        'from:timber',
        'from:"bright timbr"',
        'to:harbour',
        'to:cafe -consulting',
      ])
        for (const side of [timber, harbour])
          assert.deepEqual(await searchIds(`${query} boards`, side), boards, query)
      for (const query of ['to:timber', 'from:harbour', 'from:quarry'])
        for (const side of [timber, harbour])
          assert.deepEqual(await searchIds(`${query} boards`, side), [], query)
      assert.deepEqual(await searchIds('party:harbor boards', timber), boards)
      assert.deepEqual(await searchIds('party:timber boards', harbour), boards)
      assert.deepEqual(await searchIds('party:timber', timber), [])
      assert.deepEqual(await searchIds('party:quarry boards', harbour), [])
    })

    test("no operator tells the other side's numbers, or of its drafts", async () => {
      assert.deepEqual(await searchIds(`number:${bill}`, harbour), [oak.id])
      assert.deepEqual(await searchIds(`number:${bill}`, timber), [])
      assert.deepEqual(await everywhere(`number:${bill}`, timber), [])
      for (const query of ['is:draft', 'status:draft', 'currency:GBP', 'sandstone -slate']) {
        assert.deepEqual(await searchIds(query, timber), [draft.id], query)
        assert.deepEqual(await searchIds(query, harbour), [], query)
        assert.deepEqual(await everywhere(query, harbour), [], query)
      }
    })

    test('pages continue where the last document of the page was', async () => {
      const all = await searchIds('from:timber -sandstone total:>1', harbour)
      assert.deepEqual(all, [order.id, slate.id, oak.id])
      assert.deepEqual(await searchIds('from:timber total:>1', harbour, '&limit=1'), all)
    })
  })
}

test('operators go with the filters of the list', async () => {
  assert.deepEqual(await searchIds('is:overdue', timber, '&currency=USD'), [])
  assert.deepEqual(await searchIds('total:>1', timber, '&currency=USD&type=invoice'), [slate.id])
  const path = `/v1/documents.csv?query=${encodeURIComponent('is:overdue')}`
  const { text } = await callApi(running, 'GET', path, timber)
  assert(text.includes(oak.id) && !text.includes(slate.id), text)
})

test('a search of everything finds no connection by an operator of documents', async () => {
  assert((await everywhere('harbour', timber)).includes(pair.connection))
  assert((await everywhere('"harbour"', timber)).includes(pair.connection))
  for (const query of ['harbour -cafe', 'party:harbour', 'harbour total:>1'])
    assert(!(await everywhere(query, timber)).includes(pair.connection), query)
})

test('an unknown operator and an illegal value are refused, with the legal ones', async () => {
  const [problem] = assertProblems(await search('statsu:paid', timber), 'query invalid_value')
  assert.match(problem!.message, /no operator statsu:.*status:.*is:/)
  assert.match(problem!.fix ?? '', /did you mean status:\?/)
  for (const query of ['statsu:paid', 'status:late', 'due:soon', 'total:much']) {
    const q = encodeURIComponent(query)
    const { key } = harbour
    const everything = await callApi(running, 'GET', `/v1/search?q=${q}`, { key })
    assertProblems(everything, 'q invalid_value')
    const csv = await callApi(running, 'GET', `/v1/documents.csv?query=${q}`, { key })
    assertProblems(csv, 'query invalid_value')
  }
})
