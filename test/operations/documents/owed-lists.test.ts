/** Lists by due date, by currency and of what is owed (contract 4, console 1.9). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { owedStatuses } from '../../../src/contract/document-phases.ts'
import { sql } from '../../../src/database/sql.ts'
import { allConditionsOf } from '../../../src/store/documents/document-filters.ts'
import { listDocuments } from '../../../src/store/documents/document-list.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { openTestConnection } from '../../support/database/test-connection.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { aDraft, anInvoice, exampleLine, move } from '../../support/fixtures.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { assertProblems } from '../../support/http/error-responses.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

// oxlint-disable-next-line typescript/no-explicit-any -- a row of a response
type Row = any

const listAll = (query: string, { key } = issuer): Promise<Row[]> =>
  allPages(running, key, `/v1/documents?${query}`)

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id)

/** Invoices that are not due yet or late, in two currencies, and what is not owed beside them. */
const aMixedList = async (): Promise<void> => {
  const past = { document_date: inDays(-200) }
  for (const days of [-120, -91, -90, -61, -60, -31, -30, -1, 0, 1, 40])
    await anInvoice(running, pair, { ...past, due_date: inDays(days) })
  await anInvoice(running, pair, { ...past, payment_terms: null })
  await anInvoice(running, pair, { ...past, due_date: inDays(-5), currency: 'EUR' })
  const invoice = await anInvoice(running, pair, { ...past, due_date: inDays(-6) })
  await anInvoice(running, pair, {
    document_type: 'credit_note',
    due_date: inDays(3),
    references: [{ rel: 'credits', document_id: invoice.id }],
  })
  await aDraft(running, pair, { due_date: inDays(1) })
  const { id } = await anInvoice(running, pair, { ...past, due_date: inDays(-2) })
  await move(running, counterparty.key, id, 'rejected')
  await anInvoice(running, pair, { document_type: 'quote' })
  const free = { due_date: inDays(-3), line_items: [{ ...exampleLine, unit_price: 0 }] }
  await anInvoice(running, pair, { ...past, ...free })
}
await aMixedList()
const everything = await listAll('limit=100')

const isOwed = ({ status, document_type, balance_due }: Row): boolean =>
  owedStatuses.includes(status) &&
  ['invoice', 'credit_note'].includes(document_type) &&
  balance_due > 0
/** A document without a due date is due after all others. */
const isDue = ({ due_date: due }: Row, from: string, to: string): boolean =>
  (due === null ? to === '9' : due >= from) && (due === null || due <= to)

const filters: [query: string, matches: (row: Row) => boolean][] = [
  ['currency=EUR', ({ currency }) => currency === 'EUR'],
  ['currency=EUR,USD', () => true],
  ['currency=GBP', () => false],
  [`due_from=${inDays(-30)}&due_to=${inDays(-1)}`, (row) => isDue(row, inDays(-30), inDays(-1))],
  [`due_to=${inDays(-91)}`, (row) => isDue(row, '', inDays(-91))],
  [`due_from=${inDays(0)}`, (row) => isDue(row, inDays(0), '9')],
  [
    `due_from=${inDays(0)}&phase=pending`,
    (row) => isDue(row, inDays(0), '9') && row.phase === 'pending',
  ],
  ['owed=receivable', (row) => isOwed(row) && row.document_type === 'invoice'],
  ['owed=payable', (row) => isOwed(row) && row.document_type === 'credit_note'],
  ['owed=receivable&status=draft', () => false],
  [
    `owed=receivable&currency=USD&due_to=${inDays(-1)}`,
    (row) => isOwed(row) && row.currency === 'USD' && isDue(row, '', inDays(-1)),
  ],
  [`due_from=${inDays(2)}&due_to=${inDays(1)}`, () => false],
]

describe('contract 4: lists by due date, currency and what is owed', () => {
  for (const [query, matches] of filters) {
    test(`?${query} returns the matching documents in order`, async () => {
      const expected = idsOf(everything.filter(matches))
      assert.deepEqual(idsOf(await listAll(`${query}&limit=100`)), expected)
      assert.deepEqual(idsOf(await listAll(`${query}&limit=2`)), expected, 'in small pages')
      const changed = await listAll(`${query}&sort=updated&limit=100`)
      assert.deepEqual(idsOf(changed).toSorted(), expected.toSorted(), 'by change')
      const file = await callApi(running, 'GET', `/v1/documents.csv?${query}`, { key: issuer.key })
      assert.equal(file.text.trim().split('\n').length - 1, expected.length, 'as a file')
    })
  }

  test('a bill of 0 is owed by nobody', async () => {
    const day = `due_from=${inDays(-3)}&due_to=${inDays(-3)}`
    assert.deepEqual(
      (await listAll(day)).map(({ balance_due }) => balance_due),
      [0],
    )
    assert.deepEqual(await listAll(`${day}&owed=receivable`), [])
    assert.deepEqual(await listAll(`${day}&owed=payable`, counterparty), [])
  })

  test('a bar of the ageing is the sum of the list behind it, for both sides', async () => {
    const ranges: Record<string, string> = {
      current: `due_from=${inDays(0)}`,
      '1-30': `due_from=${inDays(-30)}&due_to=${inDays(-1)}`,
      '31-60': `due_from=${inDays(-60)}&due_to=${inDays(-31)}`,
      '61-90': `due_from=${inDays(-90)}&due_to=${inDays(-61)}`,
      over_90: `due_to=${inDays(-91)}`,
    }
    for (const side of [issuer, counterparty]) {
      const path = '/v1/statistics?metric=ageing'
      const { points } = (await callApi(running, 'GET', path, { key: side.key })).body
      assert(points.length >= 6)
      for (const { group, bucket, currency, amount, count } of points) {
        const query = `owed=${group}&currency=${currency}&${ranges[bucket]}`
        const rows = await listAll(query, side)
        const cents = rows.reduce((sum, row) => sum + Math.round(row.balance_due * 100), 0)
        assert.deepEqual([cents, rows.length], [Math.round(amount * 100), count], query)
      }
    }
  })

  test('a range with more rows than are sorted is scanned, and its pages are the same', async () => {
    const viewer = { id: issuer.uuid, resetPosition: 0n }
    for (const filter of [
      { owed: 'receivable' },
      { dueTo: inDays(-1), statuses: ['submitted'] },
    ] as const) {
      const read: string[] = []
      let before: bigint | undefined
      do {
        const request = { viewer, filters: filter, limit: 100, scanMaxRows: 3 }
        const databases = { read: running.database, pages: running.database }
        const page = await listDocuments(databases, { ...request, before })
        read.push(...page.rows.map(({ id }) => id))
        before = page.next ?? undefined
      } while (before !== undefined)
      const request = { viewer, filters: filter, limit: 100, scanMaxRows: 5_000 }
      const databases = { read: running.database, pages: running.database }
      const whole = await listDocuments(databases, { ...request, before: undefined })
      assert(whole.rows.length > 3)
      assert.deepEqual(
        read,
        whole.rows.map(({ id }) => id),
      )
    }
  })

  test('no count of what is owed reads all documents once, however many it has', async () => {
    const db = await openTestConnection(running.databaseUrl, 'docex test')
    // As for very many: one look at all documents costs less than a look for each.
    await db.script('set enable_indexscan = off; set enable_bitmapscan = off')
    const plan = await db.rows<Record<string, string>>(sql`
      explain select 1 from document_views v
      where v.organization_id = ${issuer.uuid} and ${allConditionsOf({ owed: 'receivable' })}`)
    await db.close()
    const text = plan.flatMap((row) => Object.values(row)).join('\n')
    assert.match(text, /SubPlan/)
    assert.doesNotMatch(text, /hashed/)
  })

  test('the index of what is open has the statuses in which something is owed', async () => {
    const index = await running.database.row<{ definition: string }>(sql`
      select pg_get_indexdef('document_views_by_due'::regclass) as definition`)
    const condition = index!.definition.split('WHERE')[1]!
    const named = [...condition.matchAll(/'(\w+)'/g)].map(([, status]) => status)
    assert.deepEqual(named.toSorted(), owedStatuses.toSorted())
  })

  test('a draft is found by the due date and the currency that it has now', async () => {
    const { id } = await aDraft(running, pair, { currency: 'GBP', due_date: inDays(9) })
    const body = { currency: 'CAD', due_date: inDays(10) }
    await callApi(running, 'PATCH', `/v1/documents/${id}`, { key: issuer.key, body })
    const day = (days: number) => `due_from=${inDays(days)}&due_to=${inDays(days)}`
    assert.deepEqual(idsOf(await listAll(`currency=CAD&${day(10)}`)), [id])
    assert.deepEqual(await listAll(`currency=GBP`), [])
    assert.deepEqual(await listAll(day(9)), [])
  })

  for (const query of [
    'currency=XYZ',
    'currency=',
    'due_from=2026-02-30',
    'due_to=2026-03-04T00:00:00Z',
    'owed=mine',
  ]) {
    const [name] = query.split('=')
    test(`?${query} answers 400 and names the parameter`, async () => {
      const reply = await callApi(running, 'GET', `/v1/documents?${query}`, { key: issuer.key })
      assertProblems(reply, `${name} invalid_value`)
    })
  }
})
