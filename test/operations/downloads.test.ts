/** Contract 12: lists as files. They have the rows of the list, in its order, page by page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { turns } from '../../src/contract/work-classes.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aDraft, aPair, anInvoice, anOrganization } from '../support/fixtures.ts'
import { allPages } from '../support/http/all-pages.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { openSocket } from '../support/http/raw-http.ts'
import { parsedCsv } from '../support/interop/parsed-csv.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running)
const { issuer, counterparty } = pair

const download = (path: string, key = issuer.key) => callApi(running, 'GET', path, { key })

/** What a cell shows of a field, written apart from the service. */
const cellOf = (record: unknown, column: string): string => {
  const value = column
    .split('.')
    .reduce<unknown>((from, name) => (from as Record<string, unknown> | null)?.[name], record)
  if (value === null || value === undefined) return ''
  return typeof value === 'number' ? value.toFixed(2) : String(value as string | boolean)
}

/** A payment names its document by the id alone. */
const isOfDocument = (list: string, column: string): boolean =>
  list === '/v1/payments' && ['document_number', 'counterparty.name'].includes(column)

/** The file has the rows of the list with the same filters, and no cell that is a formula. */
const assertSameRows = async (list: string, filters: string, key: string): Promise<number> => {
  const file = await download(`${list}.csv?${filters}`, key)
  assert.equal(file.status, 200, file.text)
  const rows = parsedCsv(file.text).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !isOfDocument(list, name))),
  )
  const records = await allPages(running, key, `${list}?limit=100&${filters}`)
  assert.deepEqual(
    rows,
    records.map((record) =>
      Object.fromEntries(
        Object.keys(rows[0] ?? {}).map((column) => {
          const text = cellOf(record, column)
          const isFormula = '=+-@\t\r'.includes(text[0] ?? 'a') && !/^-\d+(\.\d+)?$/.test(text)
          const parts = text.replace(/(?<=[;\t\n])(?=[=+\-@])/g, "'")
          return [column, isFormula ? `'${parts}` : parts]
        }),
      ),
    ),
  )
  return rows.length
}

const formulas = [
  '=1+1',
  '+1',
  '-1+2',
  '@SUM(A1)',
  '\t=1',
  '-2',
  'a "quoted", text\nand a line',
  'a;=1',
]

describe('contract 12: documents.csv', () => {
  test('has the rows of the list for either side and any filter', async () => {
    for (const notes of formulas) {
      await anInvoice(running, pair, {
        notes,
        external_refs: { issuer_ref: notes.trim().split('\n')[0] },
      })
    }
    const few = 100 - formulas.length + 3
    for (let i = 0; i < few; i += 1) await aDraft(running, pair, { document_type: 'quote' })
    assert.equal(await assertSameRows('/v1/documents', '', issuer.key), formulas.length + few)
    assert.equal(await assertSameRows('/v1/documents', '', counterparty.key), formulas.length)
    const filters = {
      'type=quote': few,
      'status=draft,approved&type=invoice,quote': few,
      'phase=pending': formulas.length,
      'direction=received': 0,
      'since=2999-01-01': 0,
      'query=quoted': 1,
      [`connection=${pair.connection}&updated_since=2020-01-01`]: formulas.length + few,
    }
    for (const [filter, count] of Object.entries(filters)) {
      assert.equal(await assertSameRows('/v1/documents', filter, issuer.key), count, filter)
    }
  })

  test('is a file, of which HEAD shows the headers', async () => {
    const { headers } = await download('/v1/documents.csv')
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(headers.get('content-disposition'), 'attachment; filename="documents.csv"')
    const head = await callApi(running, 'HEAD', '/v1/documents.csv', { key: issuer.key })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers.get('content-disposition'), headers.get('content-disposition'))
  })

  test('another organization gets the header alone', async () => {
    const { key } = await anOrganization(running)
    const { text } = await download('/v1/documents.csv', key)
    assert.match(text, /^id,document_type,number,.*,updated_at,valid_until\r\n$/)
  })

  test('refuses what is no filter, before anything is sent', async () => {
    for (const query of ['limit=5', 'cursor=a', 'sort=updated', 'fields=id', 'query=...']) {
      assertRefused(await download(`/v1/documents.csv?${query}`), 'invalid_request')
    }
  })
})

describe('contract 12: payments.csv', () => {
  test('has the rows of the list for either side and any filter', async () => {
    const refused = { source_account_id: 'acct_test_insufficient_funds' }
    for (const body of [{}, refused, {}]) {
      const { id } = await anApprovedInvoice(running, pair)
      await pay(running, counterparty.key, id, { body })
    }
    const filters = ['', 'direction=outgoing', 'direction=incoming', 'status=settled', 'kind=sweep']
    const counts = async (key: string) =>
      Promise.all(filters.map((filter) => assertSameRows('/v1/payments', filter, key)))
    const [all, outgoing, incoming] = await counts(counterparty.key)
    assert.deepEqual([all, outgoing, incoming], [3, 3, 0])
    assert.equal((await counts(issuer.key))[2], 3)
    const { key } = await anOrganization(running)
    assert.equal(await assertSameRows('/v1/payments', '', key), 0)
  })
})

describe('contract 12: files of payments name the document and the other party', () => {
  test('as the reader knows them: who pays is the debtor of camt.053', async () => {
    const own = await aPair(running)
    const { id } = await anApprovedInvoice(running, own)
    await pay(running, own.counterparty.key, id)
    const today = new Date().toISOString().slice(0, 10)
    for (const [key, side, role] of [
      [own.issuer.key, 'counterparty', 'Dbtr'],
      [own.counterparty.key, 'issuer', 'Cdtr'],
    ] as const) {
      const { body: document } = await download(`/v1/documents/${id}`, key)
      const { name } = document[side]
      const [payment] = parsedCsv((await download('/v1/payments.csv', key)).text)
      assert.equal(payment!['document_number'], document.number)
      assert.equal(payment!['counterparty.name'], name)
      const { data } = (await download('/v1/treasury/transactions?limit=1', key)).body
      const path = `/v1/treasury/accounts/${data[0].account_id}/statement?from=${today}&to=${today}`
      const entry = parsedCsv((await download(`${path}&format=csv`, key)).text).at(-2)
      assert.equal(entry!['counterparty.name'], name)
      const party = `<RltdPties><${role}><Pty><Nm>${name}</Nm></Pty></${role}></RltdPties><RmtInf>`
      const { text } = await download(`${path}&format=camt053`, key)
      assert(text.includes(party), text)
    }
  })
})

const locker = await openTestConnection(running.databaseUrl, 'test locker')
after(() => locker.close())

const waitingStatements = async (): Promise<number> => {
  const [row] = await running.database.rows<{ count: bigint }>(sql`
    select count(*) as count from pg_stat_activity
    where application_name like 'docex heavy%' and wait_event_type = 'Lock'`)
  return Number(row!.count)
}

const whileDocumentsAreLocked = async (work: () => Promise<void>): Promise<void> => {
  await locker.script('begin; lock table documents in access exclusive mode')
  try {
    await work()
  } finally {
    await locker.script('rollback')
  }
}

test('a download that its client abandons ends, and leaves its place', async () => {
  await whileDocumentsAreLocked(async () => {
    const hangUp = new AbortController()
    const abandoned = Promise.allSettled(
      Array.from({ length: turns.listDownloads.runningPerOrganization }, () =>
        fetch(`${running.baseUrl}/v1/documents.csv`, {
          headers: { authorization: `Bearer ${issuer.key}` },
          signal: hangUp.signal,
        }),
      ),
    )
    await until('one waits in PostgreSQL', async () => (await waitingStatements()) === 1)
    hangUp.abort()
    await abandoned
    await until('none waits', async () => (await waitingStatements()) === 0)
  })
  assert.equal((await download('/v1/documents.csv')).status, 200)
})

const isLong = process.env['LONG'] === '1'

test('a page is read when the client has taken the pages before', { skip: !isLong }, async () => {
  const own = await aPair(running)
  const notes = 'x'.repeat(5_000)
  const count = 5_000
  for (let made = 0; made < count; made += 20) {
    await Promise.all(Array.from({ length: 20 }, () => aDraft(running, own, { notes })))
  }
  const { socket, text } = await openSocket(running)
  socket.write(
    `GET /v1/documents.csv HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${own.issuer.key}\r\n\r\n`,
  )
  await until('it begins', () => text().length > 0)
  socket.pause()
  const ended = once(socket, 'close')
  await whileDocumentsAreLocked(async () => {
    socket.resume()
    await until('it still reads', async () => (await waitingStatements()) === 1)
    assert(text().length < count * notes.length)
  })
  await until('it is complete', () => text().endsWith('\r\n0\r\n\r\n'))
  assert.equal(text().split(notes).length - 1, count)
  socket.destroy()
  await ended
})
