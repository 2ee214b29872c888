/** Search (contract 8): which queries find a document, for whom, before and after indexing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { indexSearch } from '../../../src/tasks/index-search.ts'
import { assertProblems } from '../../support/http/error-responses.ts'
import { searchClient } from '../../support/documents/search-client.ts'
import { callApi } from '../../support/api-client.ts'
import {
  type Pair,
  aDraft,
  exampleLine,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  move,
} from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

// Runs without background tasks, so that a document stays unindexed until a test indexes it.
const running = await startTestService({ PROCESS_ROLE: 'api' })

const { search, searchIds, index } = searchClient(running)

const texts = {
  notes: 'Ring the bell at Überseestraße, please',
  external_refs: { issuer_ref: 'SO-2026-0117', project: 'harbour_crane' },
  metadata: { margin: 'hushhush' },
  line_items: [
    { ...exampleLine, description: 'Oak boards, planed', sku: 'OAK/180-B' },
    { ...exampleLine, sku: 'ZQPINE180-7mm' },
  ],
}

const aNamedPair = async (): Promise<Pair> =>
  connectPair(
    running,
    await anOrganization(running, { name: 'Bright Timber' }),
    await anOrganization(running, { name: 'Harbour Café Ltd' }),
  )

/** Queries that find the document for both sides, and queries that find it for neither. */
const sharedTerms = ['oak', 'Boards', 'plan', 'bell', 'ubersee', 'ÜBERSEESTRASSE', 'oak180']
const matchingQueries = [
  'ZQPINE180',
  'zqpine1',
  'ZQPINE',
  'zqp',
  '7',
  '7m',
  '7MM',
  'zqp 180-B',
  'zqpine180 7',
]
const references = [
  'SO-2026-0117',
  'so 2026',
  '117',
  '0117',
  'harbour',
  'SO20260117',
  'INV-000001',
  'inv-1',
]
const digitPrefixes = [
  '11 so',
  'so 202 oak',
  'so-2026',
  '2026-01',
  '0117 oak',
  'oak/18',
  '180-b oak',
]
const unmatchedQueries = [
  'pine180',
  'zqpine180mm',
  'zqpine180 mm',
  'so-117',
  'oak-7',
  'oaken',
  'hushhush',
  'margin',
  'project',
  'inv-9',
  'ak',
  'oak birch',
  'invoice',
]

for (const stage of ['before indexing', 'after indexing'] as const) {
  describe(`contract 8: search ${stage}`, async () => {
    const pair = await aNamedPair()
    const { id } = await anInvoice(running, pair, texts)
    await anInvoice(running, pair, { notes: 'Another one', line_items: [exampleLine] })
    if (stage === 'after indexing') {
      await index(pair.issuer)
      await index(pair.counterparty)
    }

    for (const query of [
      ...sharedTerms,
      ...matchingQueries,
      ...digitPrefixes,
      ...references.filter((query) => query !== 'harbour'),
    ]) {
      test(`${query} finds the document for both sides`, async () => {
        assert.deepEqual(await searchIds(query, pair.issuer), [id])
        assert.deepEqual(await searchIds(query, pair.counterparty), [id])
      })
    }

    for (const query of unmatchedQueries) {
      test(`${query} finds no document`, async () => {
        assert.deepEqual(await searchIds(query, pair.issuer), [])
        assert.deepEqual(await searchIds(query, pair.counterparty), [])
      })
    }

    test('each side alone finds a document by its own number and by the other party’s name', async () => {
      assert.deepEqual(await searchIds('BILL-000001', pair.counterparty), [id])
      assert.deepEqual(await searchIds('BILL-000001', pair.issuer), [])
      assert.equal((await searchIds('cafe', pair.issuer)).length, 2)
      assert.deepEqual(await searchIds('cafe', pair.counterparty), [])
      assert.equal((await searchIds('bright timb', pair.counterparty)).length, 2)
    })

    test('a typo is tolerated in a party’s name and nowhere else', async () => {
      for (const query of ['habrour', 'harbor', 'harbur cafe']) {
        assert.equal((await searchIds(query, pair.issuer)).length, 2, query)
      }
      assert.deepEqual(await searchIds('baords', pair.issuer), [])
    })

    test('an unrelated organization finds no document', async () => {
      const stranger = await anOrganization(running)
      for (const query of [...sharedTerms, ...matchingQueries, ...references]) {
        assert.deepEqual(await searchIds(query, stranger), [])
      }
    })
  })
}

test('contract 8: SKU-9 finds that SKU and longer ones, not numbers that end in 9', async () => {
  const pair = await aNamedPair()
  const line = (sku: string) => ({ line_items: [{ ...exampleLine, sku }] })
  const ids: string[] = []
  for (let i = 1; i <= 9; i += 1) ids.push((await aDraft(running, pair, line(`SKU-${i}`))).id)
  const longer = await aDraft(running, pair, line('SKU-91'))
  await aDraft(running, pair, { ...line('SKU-1'), notes: 'Ordered by 9 o’clock, INV-000009' })
  const expected = [longer.id, ids[8]!]
  assert.deepEqual(await searchIds('SKU-9', pair.issuer), expected)
  await index(pair.issuer)
  assert.deepEqual(await searchIds('SKU-9', pair.issuer), expected)
  assert.deepEqual(await searchIds('sku-9 sku', pair.issuer), expected)
})

test('only the issuer finds a draft, immediately and by its latest content', async () => {
  const pair = await aNamedPair()
  const { issuer, counterparty } = pair
  const draft = await aDraft(running, pair, { notes: 'walnut' })
  const edit = (notes: string) =>
    callApi(running, 'PATCH', `/v1/documents/${draft.id}`, { key: issuer.key, body: { notes } })
  assert.deepEqual(await searchIds('walnut', issuer), [draft.id])
  await index(issuer)
  assert.deepEqual(await searchIds('walnut', issuer), [draft.id])
  await edit('maple')
  assert.deepEqual(await searchIds('walnut', issuer), [])
  assert.deepEqual(await searchIds('maple', issuer), [draft.id])
  await index(issuer)
  assert.deepEqual(
    [await searchIds('walnut', issuer), await searchIds('maple', issuer)],
    [[], [draft.id]],
  )
  assert.deepEqual(await searchIds('maple', counterparty), [])
  await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, { key: issuer.key })
  assert.deepEqual(await searchIds('maple', counterparty), [draft.id])
})

test('search pages are newest first, disjoint and complete across indexed and unindexed documents', async () => {
  const pair = await aNamedPair()
  const ids: string[] = []
  const write = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      ids.unshift((await aDraft(running, pair, { notes: `ledger ${ids.length}` })).id)
    }
  }
  await write(7)
  await index(pair.issuer)
  await write(6)
  for (const limit of [1, 3, 100]) {
    assert.deepEqual(await searchIds('ledg', pair.issuer, `&limit=${limit}`), ids, `limit ${limit}`)
  }
  const [first, , third] = ids
  await callApi(running, 'POST', `/v1/documents/${first}/issue`, { key: pair.issuer.key })
  await move(running, pair.issuer.key, third!, 'cancelled')
  assert.deepEqual(await searchIds('ledger', pair.issuer, '&status=submitted'), [first])
  assert.deepEqual(await searchIds('ledger', pair.issuer, '&phase=closed,pending&limit=1'), [
    first,
    third,
  ])
  assert.deepEqual(await searchIds('ledger', pair.issuer, '&type=quote'), [])
  assert.deepEqual(await searchIds('ledger', pair.counterparty), [first])
})

test('a search without a word, or with too many, is refused', async () => {
  const { issuer } = await aNamedPair()
  for (const query of ['!?', '  ', 'a b c d e f g h i j k']) {
    assertProblems(await search(query, issuer), 'query invalid_value')
  }
  assertProblems(await search('', issuer), 'query invalid_value')
  assertProblems(await search('x'.repeat(201), issuer), 'query too_long')
})

test('contract 6: a cursor of one search is refused by another', async () => {
  const pair = await aNamedPair()
  await anInvoice(running, pair, { notes: 'one' })
  await anInvoice(running, pair, { notes: 'one' })
  const { next_cursor } = (await search('one', pair.issuer, '&limit=1')).body
  const other = await search('on', pair.issuer, `&limit=1&cursor=${next_cursor}`)
  assertProblems(other, 'cursor invalid_cursor')
})

test('quotes, backslashes and index operators in a query are matched as plain text', async () => {
  const pair = await aNamedPair()
  const hostile = `O'Neil \\'x':* & !b <-> "c" 'd | (e) %_ \u0301`
  const { id } = await aDraft(running, pair, { notes: hostile })
  assert.deepEqual(await searchIds(hostile, pair.issuer), [id])
  await index(pair.issuer)
  assert.deepEqual(await searchIds(hostile, pair.issuer), [id])
  assert.deepEqual(await searchIds("o'neil:*", pair.issuer), [id])
})

test('after concurrent and repeated indexing, every document is found exactly once', async () => {
  const pair = await aPair(running)
  for (let i = 0; i < 120; i += 1) await aDraft(running, pair, { notes: 'brass' })
  const { context } = running.service
  await Promise.all([indexSearch.run(context), indexSearch.run(context)])
  while (await indexSearch.run(context));
  assert.equal(new Set(await searchIds('brass', pair.issuer, '&limit=100')).size, 120)
  await running.database.run(sql`update search_progress set indexed = 0`)
  while (await indexSearch.run(context));
  assert.equal((await searchIds('brass', pair.issuer, '&limit=100')).length, 120)
})

test('the longest words that a document may have leave its entry whole, for both sides', async () => {
  const pair = await aPair(running)
  // 13 syllables of three letters: nearly as long as a word of the index, in bytes too.
  const wordOf = (n: number) =>
    [...n.toString(27).padStart(13, '0')]
      .map((digit) => String.fromCodePoint(0xac01 + 28 * parseInt(digit, 27)))
      .join('')
  const perLine = 71
  const line_items = Array.from({ length: 200 }, (_, line) => ({
    ...exampleLine,
    description: Array.from({ length: perLine }, (_, i) => wordOf(line * perLine + i)).join(' '),
  }))
  const { id } = await anInvoice(running, pair, { line_items })
  for (const organization of [pair.issuer, pair.counterparty]) {
    await index(organization)
    const [entry] = await running.database.rows<{ words: string }>(sql`
      select words::text from search_entries where organization_id = ${organization.uuid}`)
    assert(entry!.words.length > 0)
    for (let n = 0; n < 7_000; n += 350)
      assert.deepEqual(await searchIds(wordOf(n), organization), [id], String(n))
  }
})
