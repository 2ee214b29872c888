/** Pages, cursors and filters of lists (specification 4.3, contract 6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { phases } from '../../../src/contract/document-phases.ts'
import { documentTypes } from '../../../src/contract/document-types.ts'
import { assertProblems } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { allPages, eachPage } from '../../support/http/all-pages.ts'
import {
  type TestOrganization,
  aDraft,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  move,
} from '../../support/fixtures.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()
const elsewhere = await connectPair(running, await anOrganization(running), issuer)

const list = (query: string, { key }: Pick<TestOrganization, 'key'> = issuer): Promise<Reply> =>
  callApi(running, 'GET', `/v1/documents${query === '' ? '' : `?${query}`}`, { key })

// oxlint-disable-next-line typescript/no-explicit-any -- rows of a response
type Row = any

const listAll = (query: string, { key }: Pick<TestOrganization, 'key'> = issuer): Promise<Row[]> =>
  allPages(running, key, `/v1/documents?${query}`)

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id)

/** Documents of several types, states, dates and directions, on two connections. */
const aMixedList = async (): Promise<void> => {
  const moves: Record<string, string[]> = {
    draft: [],
    cancelled: ['cancelled'],
    submitted: ['submitted'],
    acknowledged: ['submitted', 'acknowledged'],
    approved: ['submitted', 'approved'],
    disputed: ['submitted', 'disputed'],
    rejected: ['submitted', 'rejected'],
  }
  for (const [place, states] of [
    [pair, Object.values(moves)],
    [elsewhere, Object.values(moves).slice(2)],
  ] as const) {
    for (const [day, [first, second]] of states.entries()) {
      const document_date = `2026-03-0${day + 1}`
      const make = first === 'submitted' ? anInvoice : aDraft
      const { id } = await make(running, place, { document_date })
      if (first === 'cancelled') await move(running, place.issuer.key, id, first)
      if (second !== undefined) await move(running, place.counterparty.key, id, second)
    }
  }
  for (const document_type of ['quote', 'purchase_order', 'delivery_note']) {
    // A quote of that day would have expired by now.
    const more = document_type === 'quote' ? { valid_until: '2999-12-31' } : {}
    await anInvoice(running, pair, { document_type, document_date: '2026-03-05', ...more })
  }
}
await aMixedList()
const everything = await listAll('limit=100')

describe('specification 4.3: pages', () => {
  test('a list is sorted newest first, limit is a maximum, and has_more announces another page', async () => {
    assert.equal(everything.length, 15)
    const newestFirst = everything.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    const own = (rows: Row[]) => idsOf(rows.filter(({ direction }) => direction === 'issued'))
    assert.deepEqual(own(everything), own(newestFirst))
    for (const limit of [1, 4, 15, 100]) {
      assert.deepEqual(idsOf(await listAll(`limit=${limit}`)), idsOf(everything), `limit ${limit}`)
    }
  })

  test('4.3.5 limit is 1 to 100 and 20 by default; other values are refused, not clamped', async () => {
    const many = await aPair(running)
    for (let i = 0; i < 22; i += 1) await aDraft(running, many)
    assert.equal((await list('', many.issuer)).body.data.length, 20)
    for (const limit of ['0', '101', '-1']) {
      assertProblems(await list(`limit=${limit}`), 'limit out_of_range')
    }
    for (const limit of ['abc', '', '1.5', '1e1', '0x10', '%201', '9'.repeat(20)]) {
      assertProblems(await list(`limit=${limit}`), 'limit wrong_type')
    }
  })

  test('4.3.3 pages are disjoint and stable while documents are created', async () => {
    const busy = await aPair(running)
    for (let i = 0; i < 12; i += 1) await aDraft(running, busy)
    const before = idsOf(await listAll('limit=100', busy.issuer))
    const read: string[] = []
    for await (const { data } of eachPage(running, busy.issuer.key, '/v1/documents?limit=5')) {
      read.push(...idsOf(data))
      await Promise.all([aDraft(running, busy), aDraft(running, busy)])
    }
    assert.deepEqual(read, before)
  })

  test('the counterparty’s list is sorted by the moment it first saw each document', async () => {
    const fresh = await aPair(running)
    const [one, two, three] = [
      await aDraft(running, fresh),
      await aDraft(running, fresh),
      await aDraft(running, fresh),
    ]
    for (const { id } of [two, three, one]) {
      await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: fresh.issuer.key })
    }
    assert.deepEqual(idsOf(await listAll('limit=2', fresh.counterparty)), [
      one.id,
      three.id,
      two.id,
    ])
    assert.deepEqual(idsOf(await listAll('limit=2', fresh.issuer)), [three.id, two.id, one.id])
  })

  test('a draft is only in its issuer’s list, and a list row equals the document as read', async () => {
    assert(everything.some(({ status }) => status === 'draft'))
    const theirs = await listAll('limit=100', counterparty)
    assert(theirs.every(({ status }) => status !== 'draft'))
    for (const [row, { key }] of [
      [everything[0], issuer],
      [theirs[0], counterparty],
    ]) {
      const read = await callApi(running, 'GET', `/v1/documents/${row.id}`, { key })
      assert.deepEqual(row, read.body)
    }
  })
})

describe('contract 6: a cursor is opaque and authenticated', () => {
  const refused = async (query: string, caller: Pick<TestOrganization, 'key'> = issuer) =>
    assertProblems(await list(query, caller), 'cursor invalid_cursor')

  test('a cursor with any single bit flipped answers invalid_cursor', async () => {
    const { next_cursor } = (await list('limit=3')).body
    const bytes = Buffer.from(next_cursor, 'base64url')
    for (const [length, flipped] of [
      [bytes.length, (i: number) => flipBit(bytes, i).toString('base64url')],
      [next_cursor.length, (i: number) => flipBit(Buffer.from(next_cursor), i).toString('latin1')],
    ] as const) {
      for (let bit = 0; bit < length * 8; bit += 1) {
        await refused(`cursor=${encodeURIComponent(flipped(bit))}`)
      }
    }
  })

  test('a truncated, extended, empty or forged cursor answers invalid_cursor', async () => {
    const { next_cursor: cursor } = (await list('limit=3')).body
    for (const wrong of [
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      '',
      '1',
      cursor + cursor,
    ]) {
      await refused(`cursor=${encodeURIComponent(wrong)}`)
    }
  })

  test('a cursor of another organization, list or filter answers invalid_cursor', async () => {
    const { next_cursor: cursor } = (await list('limit=3')).body
    await refused(`cursor=${cursor}`, counterparty)
    for (const filter of ['status=draft', 'type=invoice', 'phase=draft', 'direction=issued']) {
      await refused(`${filter}&cursor=${cursor}`)
    }
    const { next_cursor: issued } = (await list('limit=3&direction=issued')).body
    await refused(`cursor=${issued}`)
    await refused(`direction=received&cursor=${issued}`)
    const keys = await callApi(running, 'GET', `/v1/keys?cursor=${cursor}`, { key: issuer.session })
    assertProblems(keys, 'cursor invalid_cursor')
  })

  test('a cursor works with another limit, another key and another process', async () => {
    const { next_cursor: cursor } = (await list('limit=3')).body
    const second = await running.startAnother()
    for (const [at, key] of [
      [running, issuer.session],
      [second, issuer.key],
    ] as const) {
      const page = await callApi(at, 'GET', `/v1/documents?limit=7&cursor=${cursor}`, { key })
      assert.deepEqual(idsOf(page.body.data), idsOf(everything.slice(3, 10)))
    }
  })

  test('keys are paged in the same way', async () => {
    const { issuer: admin } = await aPair(running)
    const body = { name: 'One more', scopes: ['documents:read'] }
    for (let i = 0; i < 4; i += 1)
      await callApi(running, 'POST', '/v1/keys', { key: admin.session, body })
    const read = idsOf(await allPages(running, admin.session, '/v1/keys?limit=2'))
    assert.equal(new Set(read).size, 5)
    assert.deepEqual(read, read.toSorted().toReversed(), 'newest first')
  })
})

const flipBit = (bytes: Buffer, bit: number): Buffer => {
  const flipped = Buffer.from(bytes)
  flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7))
  return flipped
}

const one = everything.find(({ status }) => status === 'disputed')
const other = everything.find(({ status }) => status === 'approved')

/** A filter and the rows of `everything` that it must return, in the same order. */
type Filter = [query: string, matches: (row: Row) => boolean]
const filters: Filter[] = [
  ...['invoice', 'quote', 'statement'].map((type): Filter => [
    `type=${type}`,
    (row) => row.document_type === type,
  ]),
  ['type=quote,delivery_note', (row) => ['quote', 'delivery_note'].includes(row.document_type)],
  ...['draft', 'submitted', 'approved', 'paid'].map((status): Filter => [
    `status=${status}`,
    (row) => row.status === status,
  ]),
  ['status=draft,sent', (row) => ['draft', 'sent'].includes(row.status)],
  ...Object.entries(phases).map(([phase, statuses]): Filter => [
    `phase=${phase}`,
    (row) => (statuses as readonly string[]).includes(row.status) && row.phase === phase,
  ]),
  ['phase=draft,disputed', (row) => ['draft', 'disputed'].includes(row.phase)],
  ['phase=pending&status=sent,draft', (row) => row.status === 'sent'],
  [`id=${one.id}`, (row) => row === one],
  [`id=${other.id},${one.id},${other.id}`, (row) => row === one || row === other],
  [`id=${one.id},${other.id}&status=${one.status}`, (row) => row === one],
  [`id=doc_${'0'.repeat(26)}`, () => false],
  ['direction=issued', (row) => row.direction === 'issued'],
  ['direction=received', (row) => row.direction === 'received'],
  [`connection=${pair.connection}`, (row) => row.connection_id === pair.connection],
  [`connection=${pair.connection},${elsewhere.connection}`, () => true],
  [`connection=con_${'0'.repeat(26)}`, () => false],
  ['since=2026-03-04', (row) => row.document_date >= '2026-03-04'],
  ['until=2026-03-04', (row) => row.document_date <= '2026-03-04'],
  ['since=2026-03-04&until=2026-03-04', (row) => row.document_date === '2026-03-04'],
  ['since=2026-03-05&until=2026-03-04', () => false],
  ['since=2026-03-04T23:30:00Z', (row) => row.document_date >= '2026-03-04'],
  ['since=2026-03-03T23:30:00-01:00', (row) => row.document_date >= '2026-03-04'],
  ['until=2026-03-05T00:30:00.5%2B01:00', (row) => row.document_date <= '2026-03-04'],
  [
    'type=invoice&status=submitted,approved&direction=received&since=2026-03-01',
    (row) => row.direction === 'received' && ['submitted', 'approved'].includes(row.status),
  ],
]

describe('specification 4.1: filters', () => {
  for (const [query, matches] of filters) {
    test(`?${query} returns the matching documents in order`, async () => {
      const expected = idsOf(everything.filter(matches))
      assert.deepEqual(idsOf(await listAll(`${query}&limit=100`)), expected)
      assert.deepEqual(idsOf(await listAll(`${query}&limit=2`)), expected, 'in small pages')
    })
  }

  for (const query of [
    'type=invoise',
    'type=invoice,',
    'status=open',
    'phase=',
    'direction=in',
    'id=',
    'id=nonsense',
    'id=con_01kbm9s346q3d25vt4f5v37e3s',
    'connection=nonsense',
    'connection=doc_01kbm9s346q3d25vt4f5v37e3s',
    'since=2026-02-30',
    'since=9999-12-31T23:59:59-00:01',
    'until=0001-01-01T00:00:00%2B00:01',
    'updated_since=9999-12-31T23:59:59.9999Z',
    'since=yesterday',
    'until=2026-03-04T00:00:00',
    'until=2026-03-04T00:00:00+01:00',
    'updated_since=1764000000',
    'updated_since=2026-03-04T25:00:00Z',
  ]) {
    const [name] = query.split('=')
    test(`?${query} answers 400 and names the parameter`, async () => {
      const [problem] = assertProblems(await list(query), `${name} invalid_value`)
      assert(problem!.fix !== undefined, 'the problem has a fix')
    })
  }

  test('an unknown value is refused with a suggestion and the list of known values', async () => {
    const [type] = assertProblems(await list('type=invoise'), 'type invalid_value')
    assert.match(type!.fix!, /did you mean invoice\?/)
    for (const name of Object.keys(documentTypes)) assert(type!.fix!.includes(name), name)
    const [phase] = assertProblems(await list('phase=open'), 'phase invalid_value')
    for (const name of Object.keys(phases)) assert(phase!.fix!.includes(name), name)
  })
})
