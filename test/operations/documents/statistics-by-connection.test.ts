/** What is owed, exchanged and paid within each connection (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { openDatabase } from '../../../src/database/pool.ts'
import { sql } from '../../../src/database/sql.ts'
import { settledPaymentsOf } from '../../../src/store/payments/payments.ts'
import { callApi } from '../../support/api-client.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { aDraft, aPair, anInvoice, connectPair, move } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

interface Point {
  group: string
  bucket: string
  amount: number
  count: number
  days_to_pay: { median: number; p90: number } | null
}

const pointsOf = async (key: string, connection: string): Promise<Point[]> => {
  const reply = await callApi(running, 'GET', '/v1/statistics?metric=connections', { key })
  assert.equal(reply.status, 200, reply.text)
  const points: Point[] = reply.body.points
  return points.filter(({ bucket }) => bucket === connection)
}

/** Its invoice has paid 12,500.00, so that the fee of 312.50 is left to pay. */
const aLoanLessItsFee = async () => {
  const loans = loansClient(running)
  const parties = await loanParties(running)
  const terms = { principal: 12_500, fee: { type: 'bps', value: 250 }, grace_days: 7 }
  const loan = await loans.funded(parties, { terms })
  await loans.posted(parties.debtor.key, `/v1/documents/${loan.pledged_document_id}/pay`)
  return { ...parties, loans, loan }
}

describe('console 1.2: statistics by connection', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  const open = await anInvoice(running, pair)
  await aDraft(running, pair)
  const discarded = await aDraft(running, pair)
  await move(running, issuer.key, discarded.id, 'cancelled')

  test('each side sees what is owed in its direction; no draft is exchanged, nor a discarded one', async () => {
    for (const [{ key }, owed, exchanged] of [
      [issuer, 'receivable', 'issued'],
      [counterparty, 'payable', 'received'],
    ] as const) {
      const shown = (await pointsOf(key, pair.connection)).map(({ group, amount, count }) => ({
        group,
        amount,
        count,
      }))
      const expected = { amount: open.total, count: 1 }
      assert.deepEqual(
        new Map(shown.map(({ group, ...sum }) => [group, sum])),
        new Map([exchanged, owed].toSorted().map((group) => [group, expected])),
      )
    }
  })

  test('the days to pay are those from the date of a document to its payment', async () => {
    const days: number[] = []
    for (const document_date of ['2026-01-01', '2025-12-31']) {
      const invoice = await anApprovedInvoice(running, pair, { document_date })
      const { payment } = (await pay(running, counterparty.key, invoice.id)).body
      const settled = Date.parse(payment.settled_at.slice(0, 10))
      days.push((settled - Date.parse(document_date)) / 86_400_000)
    }
    for (const [{ key }, group] of [
      [issuer, 'collected'],
      [counterparty, 'paid'],
    ] as const) {
      const point = (await pointsOf(key, pair.connection)).find((one) => one.group === group)!
      assert.equal(point.count, 2)
      assert.deepEqual(point.days_to_pay, { median: days[0], p90: days[1] })
    }
  })

  test('a document that is paid in parts counts with all of them', async () => {
    const { loans, loan, borrower, lender } = await aLoanLessItsFee()
    await loans.posted(borrower.key, `/v1/finance/agreements/${loan.id}/repayment`)
    for (const [{ key }, group] of [
      [lender, 'collected'],
      [borrower, 'paid'],
    ] as const) {
      const points = await pointsOf(key, loan.connection_id)
      const point = points.find((one) => one.group === group)!
      assert.deepEqual([point.amount, point.count], [12_812.5, 1])
    }
  })

  test('what was paid of a document counts while its next payment has not settled', async () => {
    const { loans, loan, borrower, lender } = await aLoanLessItsFee()
    const slowly = { source_account_id: 'acct_test_stuck' }
    await loans.posted(borrower.key, `/v1/finance/agreements/${loan.id}/repayment`, slowly)
    for (const [{ key }, group] of [
      [lender, 'collected'],
      [borrower, 'paid'],
    ] as const) {
      const points = await pointsOf(key, loan.connection_id)
      const point = points.find((one) => one.group === group)
      assert.deepEqual([point?.amount, point?.count], [12_500, 1])
    }
  })

  test('what was paid is found by its document, whatever else its parties have paid', async () => {
    const paying = await aPair(running)
    const anyPaid = async (): Promise<string> => {
      const { id } = await anApprovedInvoice(running, paying)
      assert.equal((await pay(running, paying.counterparty.key, id)).status, 200)
      return decodeId('doc', id)!
    }
    const database = openDatabase(running.databaseUrl, running.database.seals)
    const connection = await database.lane('docex test').get()
    const rowsRead = async (): Promise<bigint> => {
      const [read] = await connection.rows<{ count: bigint }>(sql`
        select idx_tup_fetch as count from pg_stat_xact_user_tables where relname = 'payments'`)
      return read!.count
    }
    const rowsReadFor = async (document: string): Promise<bigint> => {
      await connection.run(sql`begin`)
      const before = await rowsRead()
      assert.equal((await settledPaymentsOf(connection, [document])).length, 1)
      const count = (await rowsRead()) - before
      await connection.run(sql`rollback`)
      return count
    }
    const first = await anyPaid()
    assert.equal(await rowsReadFor(first), 1n)
    for (let i = 0; i < 3; i += 1) await anyPaid()
    assert.equal(await rowsReadFor(first), 1n)
    await database.close()
  })

  test('another connection has its own sums', async () => {
    const other = await aPair(running)
    assert.deepEqual(await pointsOf(other.issuer.key, other.connection), [])
    const third = await connectPair(running, issuer, other.counterparty)
    assert.deepEqual(await pointsOf(issuer.key, third.connection), [])
  })
})
