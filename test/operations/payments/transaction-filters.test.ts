/**
 * Contract 4: the list of transactions under every filter, by pages of any length, is that part of
 * the whole list. Each page is compared with the chain of postings beside it (docs/decisions/0179),
 * so these lists would be refused if one of them ended in a wrong place.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { aPair, anOrganization } from '../../support/fixtures.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { payFrom } from '../../support/payments/approved-invoices.ts'
import { whileTampered } from '../../support/provenance/row-tampering.ts'
import { startTestService } from '../../support/test-service.ts'

// Without tasks, which would resolve the payments that are under way.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const { issuer } = pair

const post = async (path: string, body: object) => {
  const { status, text } = await callApi(running, 'POST', path, { key: issuer.key, body })
  assert.equal(status, 200, text)
}

const simulate = (payment: string, outcome: string) =>
  post(`/v1/sandbox/payments/${payment}/simulate`, { outcome })

const waiting = await payFrom(running, pair, 'acct_test_stuck')
for (let count = 0; count < 3; count += 1) await payFrom(running, pair, 'acct_test_ok')
await simulate(await payFrom(running, pair, 'acct_test_ok'), 'return')
await simulate(await payFrom(running, pair, 'acct_test_stuck'), 'fail')
for (const currency of ['USD', 'EUR']) await post('/v1/sandbox/topup', { currency, amount: 5 })
await simulate(waiting, 'settle')
for (let count = 0; count < 3; count += 1) await payFrom(running, pair, 'acct_test_stuck')
await payFrom(running, pair, 'acct_test_ok')

// Two of the organization's transactions were resolved on each day of October.
await database.script('set session_replication_role = replica')
await runAndSeal(
  database,
  'ledger_tx',
  sql`
    update ledger_tx t set seal = '', resolved_at = d.day, effective_at = d.day from (
      select t.id, '2026-10-01'::timestamptz
        + ((row_number() over (order by resolved_at, posted_version) / 2) || ' days')::interval as day
      from ledger_tx t join ledger_account a on a.id = t.account_id
      where a.organization_id = ${issuer.uuid} and resolved_at is not null) d
    where d.id = t.id`,
)
await database.script('set session_replication_role = default')

interface Listed {
  id: string
  account_id: string
  type: string
  payment_id: string | null
  effective_at: string
}

const listed = (query: string): Promise<Listed[]> =>
  allPages(running, issuer.key, `/v1/treasury/transactions?${query}`)

const all = await listed('limit=100')
const accounts = [...new Set(all.map(({ account_id }) => account_id))]
const payments = [...new Set(all.flatMap(({ payment_id }) => payment_id ?? []))]
const october = (day: number): string => `2026-10-${String(day).padStart(2, '0')}`

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
const filters = fc.record({
  limit: fc.constantFrom(1, 2, 3, 7, 100),
  account: maybe(fc.subarray(accounts, { minLength: 1, maxLength: 3 })),
  type: maybe(fc.subarray(['payment_in', 'topup', 'return', 'sweep_out'], { minLength: 1 })),
  payment: maybe(fc.subarray(payments, { minLength: 1, maxLength: 3 })),
  since: maybe(fc.integer({ min: 1, max: 12 }).map(october)),
  until: maybe(fc.integer({ min: 1, max: 12 }).map(october)),
})

test('under every filter, all pages together are that part of the list', async () => {
  assert(all.length > 20 && payments.length > 8 && accounts.length === 8)
  await fc.assert(
    fc.asyncProperty(filters, async ({ limit, ...chosen }) => {
      const { account, type, payment, since, until } = chosen
      const query = Object.entries(chosen).flatMap(([name, value]) =>
        value === undefined ? [] : `&${name}=${String(value)}`,
      )
      const expected = all.filter((one) => {
        const day = one.effective_at.slice(0, 10)
        return (
          account?.includes(one.account_id) !== false &&
          type?.includes(one.type) !== false &&
          (payment === undefined || payment.includes(one.payment_id ?? '')) &&
          (since === undefined || day >= since) &&
          (until === undefined || day <= until)
        )
      })
      assert.deepEqual(await listed(`limit=${limit}${query.join('')}`), expected)
    }),
    { numRuns: 60 },
  )
})

test('lists that are read while payments are made are given', async () => {
  let isPaying = true
  const paying = (async () => {
    for (let count = 0; count < 12; count += 1) {
      const payment = await payFrom(
        running,
        pair,
        count % 2 === 0 ? 'acct_test_ok' : 'acct_test_stuck',
      )
      if (count % 2 === 1) await simulate(payment, 'settle')
    }
    isPaying = false
  })()
  let reads = 0
  while (isPaying) {
    for (const query of ['limit=3', 'type=return&limit=2', `payment=${payments[0]}`]) {
      const path = `/v1/treasury/transactions?${query}`
      const { status, text } = await callApi(running, 'GET', path, { key: issuer.key })
      assert.equal(status, 200, text)
      reads += 1
    }
  }
  await paying
  assert(reads > 12)
})

test('after a reset, a list and the cursor of an earlier one show what came since', async () => {
  const { key } = issuer
  const path = '/v1/treasury/transactions?limit=2'
  const { next_cursor } = (await callApi(running, 'GET', path, { key })).body
  await post('/v1/sandbox/reset', {})
  const since = await listed('limit=3')
  assert.deepEqual(new Set(since.map(({ type }) => type)), new Set(['topup']))
  assert.equal(since.length, 8)
  const later = await callApi(running, 'GET', `${path}&cursor=${next_cursor}`, { key })
  assert.equal(later.status, 200, later.text)
  const known = new Set(since.map(({ id }) => id))
  assert(later.body.data.every(({ id }: Listed) => known.has(id)))
  assert.equal((await listed(`type=topup&account=${accounts.join()}`)).length, 8)
})

test('a filter may leave out more postings than are read at once', async () => {
  const other = await anOrganization(running)
  const path = '/v1/treasury/transactions?type=topup&limit=1'
  const [topUp] = await allPages(running, other.key, path)
  const uuid = decodeId('acct', topUp.account_id)!
  await database.run(sql`
    insert into ledger_tx (id, mode, currency, kind, account_id, amount, status, opened_version,
      posted_version, running_balance, previous_posting, effective_at, created_at, resolved_at, seal)
    select gen_random_uuid(), mode, currency, 'sweep_in', id, 1, 'posted', n, n, posted + n,
      n - 1, now(), now(), now(), '' from ledger_account, generate_series(2, 2500) n
    where id = ${uuid}`)
  await runAndSeal(database, 'ledger_tx', sql`select 1`)
  const named = sql`update ledger_account set version = 2500, last_posting = 2500 where id = ${uuid}`
  await runAndSeal(database, 'ledger_account', named)
  const topUps = `${path}&account=${topUp.account_id}`
  assert.deepEqual(await allPages(running, other.key, topUps), [topUp])
  for (const change of [
    `delete from ledger_tx where account_id = '${uuid}' and posted_version = 700`,
    `update ledger_tx set kind = 'sweep_in' where account_id = '${uuid}'`,
    `update ledger_tx set previous_posting = 7 where account_id = '${uuid}' and posted_version = 9`,
  ]) {
    await whileTampered(database, 'ledger_tx', change, async () => {
      const reply = await callApi(running, 'GET', topUps, { key: other.key })
      assertRefused(reply, 'integrity_failure')
    })
    assert.deepEqual(await allPages(running, other.key, topUps), [topUp])
  }
})
