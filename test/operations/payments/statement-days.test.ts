/** Contract 12: statements of an account with postings on several days, and their schema. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { aPair } from '../../support/fixtures.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { parsedCsv } from '../../support/interop/parsed-csv.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { hasProgram } from '../../support/processes/has-program.ts'
import { startTestService } from '../../support/test-service.ts'

// Without tasks, since the auditor would find the rows that these tests tamper with.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running)
const { counterparty } = pair
const { key } = counterparty
const { database } = running

for (let count = 0; count < 9; count += 1) {
  const { id } = await anApprovedInvoice(running, pair)
  await pay(running, key, id)
}
const account = (
  await callApi(running, 'GET', '/v1/treasury/accounts?limit=100', { key })
).body.data.find(
  ({ currency, is_default }: Record<string, unknown>) => currency === 'USD' && is_default,
)
const accountUuid = decodeId('acct', account.id)!

/** The n-th posting was on day n ÷ 3 of November, so that a statement has several of a day. */
await database.script('set session_replication_role = replica')
await runAndSeal(
  database,
  'ledger_tx',
  sql`
    update ledger_tx t set seal = '', resolved_at = d.day, effective_at = d.day from (
      select id, '2026-10-01'::timestamptz + ((row_number() over (order by posted_version) / 3)
        || ' days')::interval as day
      from ledger_tx where account_id = ${accountUuid} and status = 'posted') d
    where d.id = t.id`,
)

await database.script('set session_replication_role = default')

const schema = join(import.meta.dirname, '../../vectors/external/iso20022/camt.053.001.08.xsd')

const statementPath = (query: string, id = account.id) =>
  `/v1/treasury/accounts/${id}/statement?${query}`

const statement = (from: string, to: string, format = 'csv') =>
  callApi(running, 'GET', statementPath(`format=${format}&from=${from}&to=${to}`), { key })

type Row = Record<string, string>

const rowsOf = async (from: string, to: string) => {
  const { text, status } = await statement(from, to)
  assert.equal(status, 200, text)
  const rows = parsedCsv(text)
  return { opening: rows[0]!, entries: rows.slice(1, -1), closing: rows.at(-1)! }
}

const cents = (amount: string | number): number => Math.round(Number(amount) * 100)

const sumOf = (entries: readonly Row[]): number =>
  entries.reduce((sum, { amount }) => sum + cents(amount!), 0)

const posted: Record<string, string | number>[] = (
  await allPages(running, key, `/v1/treasury/transactions?limit=100&account=${account.id}`)
)
  .filter(({ status }) => status === 'posted')
  .toReversed()

const october = (day: number) => `2026-10-${String(day).padStart(2, '0')}`

describe('contract 12: a statement adds up', () => {
  test('for every period: opening balance and entries make the closing balance', async () => {
    const period = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 8 }))
    await fc.assert(
      fc.asyncProperty(period, async ([first, days]) => {
        const [from, to] = [october(first), october(first + days)]
        const { opening, entries, closing } = await rowsOf(from, to)
        assert.equal(
          cents(opening.running_balance!) + sumOf(entries),
          cents(closing.running_balance!),
        )
        const expected = posted.filter(({ effective_at }) => {
          const day = String(effective_at).slice(0, 10)
          return day >= from && day <= to
        })
        assert.deepEqual(
          entries.map(({ id, amount }) => [id, cents(amount!)]),
          expected.map(({ id, amount }) => [id, cents(amount!)]),
        )
        const before = await rowsOf('2026-09-01', october(first - 1 || 1))
        if (first > 1) {
          assert.equal(before.closing.running_balance, opening.running_balance)
        }
      }),
      { numRuns: 12 },
    )
  })
})

// Debian: apt install libxml2-utils.
test(
  'contract 12: camt.053 follows the schema of ISO 20022',
  { skip: !hasProgram('xmllint') },
  async () => {
    const { text: input } = await statement('2026-10-01', '2026-10-08', 'camt053')
    const args = ['--noout', '--nonet', '--schema', schema, '-']
    const { status, stderr } = spawnSync('xmllint', args, { input, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  },
)
