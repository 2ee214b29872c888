/** Search (contract 8): what a document is found by, at once and at any depth, and by whom. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { indexSearch } from '../../../src/tasks/index-search.ts'
import { assertProblems } from '../../support/http/error-responses.ts'
import { searchClient } from '../../support/documents/search-client.ts'
import {
  type Pair,
  aDraft,
  exampleLine,
  aPair,
  anInvoice,
  anOrganization,
  callApi,
  connectPair,
  move,
  startTestService,
} from '../../support/service.ts'

// Without tasks: what is behind the index stays there until a test runs the task itself.
const running = await startTestService({ PROCESS_ROLE: 'api' })

const { search, found, index } = searchClient(running)

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

/** What both sides find it by, and what neither does. */
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
const references = ['SO-2026-0117', 'so 2026', '117', '0117', 'harbour', 'SO20260117', 'INV-000001']
const unmatchedQueries = [
  'pine180',
  'zqpine180mm',
  'zqpine180 mm',
  'oaken',
  '11 so',
  'so 202 oak',
  'hushhush',
  'margin',
  'project',
  'inv-9',
  'ak',
  'oak birch',
  'invoice',
]

for (const where of ['behind the index', 'in the index'] as const) {
  describe(`contract 8, ${where}`, async () => {
    const pair = await aNamedPair()
    const { id } = await anInvoice(running, pair, texts)
    await anInvoice(running, pair, { notes: 'Another one', line_items: [exampleLine] })
    if (where === 'in the index') {
      await index(pair.issuer)
      await index(pair.counterparty)
    }

    for (const query of [
      ...sharedTerms,
      ...matchingQueries,
      ...references.filter((one) => one !== 'harbour'),
    ]) {
      test(`${query} finds it on both sides`, async () => {
        assert.deepEqual(await found(query, pair.issuer), [id])
        assert.deepEqual(await found(query, pair.counterparty), [id])
      })
    }

    for (const query of unmatchedQueries) {
      test(`${query} finds nothing`, async () => {
        assert.deepEqual(await found(query, pair.issuer), [])
        assert.deepEqual(await found(query, pair.counterparty), [])
      })
    }

    test('its own number and the name of the other party are found by that side alone', async () => {
      assert.deepEqual(await found('BILL-000001', pair.counterparty), [id])
      assert.deepEqual(await found('BILL-000001', pair.issuer), [])
      assert.equal((await found('cafe', pair.issuer)).length, 2)
      assert.deepEqual(await found('cafe', pair.counterparty), [])
      assert.equal((await found('bright timb', pair.counterparty)).length, 2)
    })

    test('a typing error in a name is forgiven, in anything else it is not', async () => {
      for (const query of ['habrour', 'harbor', 'harbur cafe']) {
        assert.equal((await found(query, pair.issuer)).length, 2, query)
      }
      assert.deepEqual(await found('baords', pair.issuer), [])
    })

    test('a stranger finds none of it', async () => {
      const stranger = await anOrganization(running)
      for (const query of [...sharedTerms, ...matchingQueries, ...references]) {
        assert.deepEqual(await found(query, stranger), [])
      }
    })
  })
}

test('a draft is found by its issuer alone, at once, and by what it says since its last edit', async () => {
  const pair = await aNamedPair()
  const { issuer, counterparty } = pair
  const draft = await aDraft(running, pair, { notes: 'walnut' })
  const edit = (notes: string) =>
    callApi(running, 'PATCH', `/v1/documents/${draft.id}`, { key: issuer.key, body: { notes } })
  assert.deepEqual(await found('walnut', issuer), [draft.id])
  await index(issuer)
  assert.deepEqual(await found('walnut', issuer), [draft.id])
  await edit('maple')
  assert.deepEqual(await found('walnut', issuer), [])
  assert.deepEqual(await found('maple', issuer), [draft.id])
  await index(issuer)
  assert.deepEqual([await found('walnut', issuer), await found('maple', issuer)], [[], [draft.id]])
  assert.deepEqual(await found('maple', counterparty), [])
  await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, { key: issuer.key })
  assert.deepEqual(await found('maple', counterparty), [draft.id])
})

test('pages of a search are newest first, disjoint and complete across both places', async () => {
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
    assert.deepEqual(await found('ledg', pair.issuer, `&limit=${limit}`), ids, `limit ${limit}`)
  }
  const [first, , third] = ids
  await callApi(running, 'POST', `/v1/documents/${first}/issue`, { key: pair.issuer.key })
  await move(running, pair.issuer.key, third!, 'cancelled')
  assert.deepEqual(await found('ledger', pair.issuer, '&status=submitted'), [first])
  assert.deepEqual(await found('ledger', pair.issuer, '&phase=closed,pending&limit=1'), [
    first,
    third,
  ])
  assert.deepEqual(await found('ledger', pair.issuer, '&type=quote'), [])
  assert.deepEqual(await found('ledger', pair.counterparty), [first])
})

test('a search without a word, or with too many, is refused by name', async () => {
  const { issuer } = await aNamedPair()
  for (const query of ['!?', '  ', 'a b c d e f g h i j k']) {
    assertProblems(await search(query, issuer), 'query invalid_value')
  }
  assertProblems(await search('', issuer), 'query invalid_value')
  assertProblems(await search('x'.repeat(201), issuer), 'query too_long')
})

test('contract 6: a cursor of one search serves no other', async () => {
  const pair = await aNamedPair()
  await anInvoice(running, pair, { notes: 'one' })
  await anInvoice(running, pair, { notes: 'one' })
  const { next_cursor } = (await search('one', pair.issuer, '&limit=1')).body
  const other = await search('on', pair.issuer, `&limit=1&cursor=${next_cursor}`)
  assertProblems(other, 'cursor invalid_cursor')
})

test('words with quotes, backslashes and operators of the index are words like any other', async () => {
  const pair = await aNamedPair()
  const hostile = `O'Neil \\'x':* & !b <-> "c" 'd | (e) %_ \u0301`
  const { id } = await aDraft(running, pair, { notes: hostile })
  assert.deepEqual(await found(hostile, pair.issuer), [id])
  await index(pair.issuer)
  assert.deepEqual(await found(hostile, pair.issuer), [id])
  assert.deepEqual(await found("o'neil:*", pair.issuer), [id])
})

test('two processes may index at once, and again: nothing is found twice or lost', async () => {
  const pair = await aPair(running)
  for (let i = 0; i < 120; i += 1) await aDraft(running, pair, { notes: 'brass' })
  const { context } = running.service
  await Promise.all([indexSearch.run(context), indexSearch.run(context)])
  while (await indexSearch.run(context));
  assert.equal(new Set(await found('brass', pair.issuer, '&limit=100')).size, 120)
  await running.database.run(sql`update search_progress set indexed = 0`)
  while (await indexSearch.run(context));
  assert.equal((await found('brass', pair.issuer, '&limit=100')).length, 120)
})
