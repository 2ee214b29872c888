/** Pages, cursors and filters of lists: specification 4.3 and contract 6. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { documentTypes, phases } from '../../../src/contract/document-types.ts'
import { assertProblems } from '../../support/http/error-responses.ts'
import {
  type TestOrganization,
  type Reply,
  aDraft,
  aPair,
  anInvoice,
  anOrganization,
  callApi,
  connectPair,
  move,
} from '../../support/service.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()
const elsewhere = await connectPair(running, await anOrganization(running), issuer)

const list = (query: string, { key }: Pick<TestOrganization, 'key'> = issuer): Promise<Reply> =>
  callApi(running, 'GET', `/v1/documents${query === '' ? '' : `?${query}`}`, { key })

// oxlint-disable-next-line typescript/no-explicit-any -- rows of an answer
type Row = any

/** All rows of a query, page by page. */
const allPages = async (
  query: string,
  who: Pick<TestOrganization, 'key'> = issuer,
): Promise<Row[]> => {
  const rows: Row[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, text, body } = await list(`${query}${cursor && `&cursor=${cursor}`}`, who)
    assert.equal(status, 200, text)
    assert.equal(body.has_more, body.next_cursor !== null)
    rows.push(...body.data)
    cursor = body.next_cursor
  }
  return rows
}

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
const everything = await allPages('limit=100')

describe('specification 4.3: pages', () => {
  test('newest first; limit is a maximum; has_more says whether to go on', async () => {
    assert.equal(everything.length, 15)
    const newestFirst = everything.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    const own = (rows: Row[]) => idsOf(rows.filter(({ direction }) => direction === 'issued'))
    assert.deepEqual(own(everything), own(newestFirst))
    for (const limit of [1, 4, 15, 100]) {
      assert.deepEqual(idsOf(await allPages(`limit=${limit}`)), idsOf(everything), `limit ${limit}`)
    }
  })

  test('4.3.5 limit is 1 to 100, default 20; anything else is refused, not clamped', async () => {
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
    const before = idsOf(await allPages('limit=100', busy.issuer))
    const read: string[] = []
    let cursor = ''
    do {
      const page = (await list(`limit=5${cursor}`, busy.issuer)).body
      read.push(...idsOf(page.data))
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
      await Promise.all([aDraft(running, busy), aDraft(running, busy)])
    } while (cursor !== '')
    assert.deepEqual(read, before)
  })

  test('the counterparty’s order is the order in which it first saw the documents', async () => {
    const fresh = await aPair(running)
    const [one, two, three] = [
      await aDraft(running, fresh),
      await aDraft(running, fresh),
      await aDraft(running, fresh),
    ]
    for (const { id } of [two, three, one]) {
      await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: fresh.issuer.key })
    }
    assert.deepEqual(idsOf(await allPages('limit=2', fresh.counterparty)), [
      one.id,
      three.id,
      two.id,
    ])
    assert.deepEqual(idsOf(await allPages('limit=2', fresh.issuer)), [three.id, two.id, one.id])
  })

  test('a draft is in its issuer’s list alone, and a list row is the document as read', async () => {
    assert(everything.some(({ status }) => status === 'draft'))
    const theirs = await allPages('limit=100', counterparty)
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
  const refused = async (query: string, who: Pick<TestOrganization, 'key'> = issuer) =>
    assertProblems(await list(query, who), 'cursor invalid_cursor')

  test('every single flipped bit of a cursor → invalid_cursor', async () => {
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

  test('a cut, lengthened, empty or self-made cursor → invalid_cursor', async () => {
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

  test('a cursor of another organization, list or filter → invalid_cursor', async () => {
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

  test('the same cursor serves another limit, another key and another process', async () => {
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

  test('keys are listed in the same way', async () => {
    const { issuer: admin } = await aPair(running)
    const body = { name: 'One more', scopes: ['documents:read'] }
    for (let i = 0; i < 4; i += 1)
      await callApi(running, 'POST', '/v1/keys', { key: admin.session, body })
    const read: string[] = []
    let query = '?limit=2'
    while (query !== '') {
      const page = (await callApi(running, 'GET', `/v1/keys${query}`, { key: admin.session })).body
      read.push(...idsOf(page.data))
      query = page.has_more ? `?limit=2&cursor=${page.next_cursor}` : ''
    }
    assert.equal(new Set(read).size, 5)
    assert.deepEqual(read, read.toSorted().toReversed(), 'newest first')
  })
})

const flipBit = (bytes: Buffer, bit: number): Buffer => {
  const flipped = Buffer.from(bytes)
  flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7))
  return flipped
}

/** A filter and what it must keep of everything, in the same order. */
type Filter = [query: string, keeps: (row: Row) => boolean]
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
  for (const [query, keeps] of filters) {
    test(`?${query}`, async () => {
      const expected = idsOf(everything.filter(keeps))
      assert.deepEqual(idsOf(await allPages(`${query}&limit=100`)), expected)
      assert.deepEqual(idsOf(await allPages(`${query}&limit=2`)), expected, 'in small pages')
    })
  }

  for (const query of [
    'type=invoise',
    'type=invoice,',
    'status=open',
    'phase=',
    'direction=in',
    'connection=nonsense',
    'connection=doc_01kbm9s346q3d25vt4f5v37e3s',
    'since=2026-02-30',
    'since=yesterday',
    'until=2026-03-04T00:00:00',
    'until=2026-03-04T00:00:00+01:00',
    'updated_since=1764000000',
    'updated_since=2026-03-04T25:00:00Z',
  ]) {
    const [name] = query.split('=')
    test(`?${query} → 400 that names the parameter`, async () => {
      const [problem] = assertProblems(await list(query), `${name} invalid_value`)
      assert(problem!.fix !== undefined, 'it says what to send instead')
    })
  }

  test('a value that nobody knows is asked back, with those that are known', async () => {
    const [type] = assertProblems(await list('type=invoise'), 'type invalid_value')
    assert.match(type!.fix!, /did you mean invoice\?/)
    for (const name of Object.keys(documentTypes)) assert(type!.fix!.includes(name), name)
    const [phase] = assertProblems(await list('phase=open'), 'phase invalid_value')
    for (const name of Object.keys(phases)) assert(phase!.fix!.includes(name), name)
  })
})
