/**
 * Provenance 8: the postings of an account are chained, and every organization has the same
 * accounts, so the treasury shows all of them or refuses (docs/decisions/0179).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { aPair } from '../support/fixtures.ts'
import { allPages } from '../support/http/all-pages.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { payFrom } from '../support/payments/approved-invoices.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const { issuer } = pair
const { key } = issuer
const get = (path: string) => callApi(running, 'GET', path, { key })

const simulate = async (payment: string, outcome: string): Promise<void> => {
  const path = `/v1/sandbox/payments/${payment}/simulate`
  const { status, text } = await callApi(running, 'POST', path, { key, body: { outcome } })
  assert.equal(status, 200, text)
}

const payments: string[] = []
for (let count = 0; count < 5; count += 1)
  payments.push(await payFrom(running, pair, 'acct_test_ok'))
await simulate(payments[4]!, 'return')
await simulate(await payFrom(running, pair, 'acct_test_stuck'), 'fail')
await payFrom(running, pair, 'acct_test_stuck')
const topUp = { key, body: { currency: 'USD', amount: 7 } }
assert.equal((await callApi(running, 'POST', '/v1/sandbox/topup', topUp)).status, 200)

interface Listed {
  id: string
  account_id: string
  currency: string
  status: string
  type: string
  effective_at: string
}

const listed: Listed[] = await allPages(running, key, '/v1/treasury/transactions?limit=100')
const settlement = listed.find(({ type }) => type === 'payment_in')!.account_id
const account = `'${decodeId('acct', settlement)}'`

// The n-th posting was on the n-th of October.
await database.script('set session_replication_role = replica')
await runAndSeal(
  database,
  'ledger_tx',
  sql`
    update ledger_tx t set seal = '', resolved_at = d.day, effective_at = d.day from (
      select id, '2026-09-30T12:00:00Z'::timestamptz
        + (row_number() over (order by posted_version) || ' days')::interval as day
      from ledger_tx where account_id = ${decodeId('acct', settlement)} and status = 'posted') d
    where d.id = t.id`,
)
await database.script('set session_replication_role = default')

const path = (query: string): string => `/v1/treasury/transactions?${query}`
const posted: Listed[] = (
  await allPages(running, key, path(`limit=100&account=${settlement}`))
).filter(({ status }) => status === 'posted')
const uuidOf = (at: number): string => `'${decodeId('ttx', posted.at(at)!.id)}'`
const dayOf = (at: number): string => posted.at(at)!.effective_at.slice(0, 10)

/** Whether every page of the list is given. */
const isGiven = async (list: string): Promise<boolean> => {
  for (let cursor = ''; ;) {
    const reply = await get(list + cursor)
    if (reply.status !== 200) {
      assertRefused(reply, 'integrity_failure')
      return false
    }
    if (reply.body.next_cursor === null) return true
    cursor = `&cursor=${encodeURIComponent(reply.body.next_cursor)}`
  }
}

const lists = ['limit=100', 'limit=1', 'limit=2', `account=${settlement}&limit=3`]

const assertWithheld = async (table: string, statement: string, queries: readonly string[]) => {
  for (const query of queries) assert(await isGiven(path(query)), query)
  await whileTampered(database, table, statement, async () => {
    for (const query of queries) assert(!(await isGiven(path(query))), `${statement}: ${query}`)
  })
  for (const query of queries) assert(await isGiven(path(query)), query)
}

describe('provenance 8: a list of transactions is refused', () => {
  for (const [which, at] of [
    ['newest', 0],
    ['second newest', 1],
    ['middle', 3],
    ['oldest', -1],
  ] as const) {
    const { type } = posted.at(at)!
    const filtered = [`type=${type}&limit=1`, `since=${dayOf(at)}&until=${dayOf(at)}&limit=5`]
    const withinDays = `since=${dayOf(-1)}&until=${dayOf(0)}&type=${type}&limit=2`

    test(`without its ${which} posting`, async () => {
      const statement = `delete from ledger_tx where id = ${uuidOf(at)}`
      await assertWithheld('ledger_tx', statement, [...lists, ...filtered, withinDays])
    })

    test(`if its ${which} posting was moved to no account, or is of no account`, async () => {
      for (const value of ['gen_random_uuid()', 'null']) {
        const statement = `update ledger_tx set account_id = ${value} where id = ${uuidOf(at)}`
        await assertWithheld('ledger_tx', statement, [...lists, ...filtered])
      }
    })

    test(`if a filter would leave its ${which} posting out, since it was changed`, async () => {
      const other = type === 'topup' ? 'sweep_in' : 'topup'
      for (const [change, query] of [
        [`kind = '${other}'`, `type=${type}&limit=100`],
        [`status = 'voided', posted_version = null, running_balance = null`, 'limit=2'],
        [`effective_at = effective_at - interval '9 days'`, filtered[1]!],
        [`resolved_at = resolved_at - interval '9 days'`, filtered[1]!],
        [`opened_version = 0`, 'limit=2'],
      ] as const) {
        const statement = `update ledger_tx set ${change} where id = ${uuidOf(at)}`
        await assertWithheld('ledger_tx', statement, [query])
      }
    })
  }

  test('without all postings of an account', async () => {
    const all = `where account_id = ${account} and status = 'posted'`
    for (const statement of [
      `delete from ledger_tx ${all}`,
      `update ledger_tx set account_id = gen_random_uuid() ${all}`,
    ]) {
      const day = `since=${dayOf(3)}&until=${dayOf(2)}`
      await assertWithheld('ledger_tx', statement, [...lists, 'type=topup', day])
    }
  })

  test('if an account claims a reset or an end that it did not have', async () => {
    for (const change of ['reset_version = reset_version + 2', 'last_posting = last_posting - 1']) {
      const statement = `update ledger_account set ${change} where id = ${account}`
      await assertWithheld('ledger_account', statement, [...lists, `payment=${payments[0]}`])
    }
  })

  test('without a transaction that is under way, or if a filter leaves a changed one out', async () => {
    const underWay = `where account_id = ${account} and status = 'pending'`
    await assertWithheld('ledger_tx', `delete from ledger_tx ${underWay}`, lists)
    const changed = `update ledger_tx set kind = 'topup' ${underWay}`
    await assertWithheld('ledger_tx', changed, ['type=payment_in&limit=100'])
    const earlier = `update ledger_tx set effective_at = '2020-01-01' ${underWay}`
    await assertWithheld('ledger_tx', earlier, ['since=2026-01-01&limit=100'])
  })

  test('of a payment that has a transaction less', async () => {
    const [paid, returned] = [payments[0]!, payments[4]!]
    for (const [payment, condition] of [
      [paid, `kind = 'payment_in'`],
      [paid, `kind = 'payment_out'`],
      [returned, `kind = 'return' and account_id = ${account}`],
      [returned, `kind = 'payment_in'`],
    ] as const) {
      const those = `where payment_id = '${decodeId('pay', payment)}' and ${condition}`
      const queries = [`payment=${payment}`, `payment=${payment}&type=payment_in`]
      await assertWithheld('ledger_tx', `delete from ledger_tx ${those}`, queries)
      const moved = `update ledger_tx set payment_id = gen_random_uuid() ${those}`
      await assertWithheld('ledger_tx', moved, queries)
    }
  })
})

describe('provenance 8: an account that is gone is missed', () => {
  const places = {
    accounts: '/v1/treasury/accounts',
    'one page of accounts': '/v1/treasury/accounts?limit=1',
    'the account': `/v1/treasury/accounts/${settlement}`,
    balances: '/v1/treasury/balances',
    'balances of another currency': '/v1/treasury/balances?currency=EUR',
    'balances as of a moment': `/v1/treasury/balances?as_of=${new Date().toISOString()}`,
    transactions: path('limit=100'),
    'its transactions': path(`account=${settlement}`),
  }
  for (const [what, place] of Object.entries(places)) {
    test(`in ${what}`, async () => {
      for (const statement of [
        `delete from ledger_account where id = ${account}`,
        `update ledger_account set organization_id = gen_random_uuid() where id = ${account}`,
      ]) {
        assert.equal((await get(place)).status, 200)
        await whileTampered(database, 'ledger_account', statement, async () => {
          assertRefused(await get(place), 'integrity_failure')
        })
        assert.equal((await get(place)).status, 200)
      }
    })
  }
})

test('provenance 8: a transaction is not hidden by a reset that the account did not have', async () => {
  const one = `/v1/treasury/transactions/${posted.at(-1)!.id}`
  const statement = 'update ledger_account set reset_version = reset_version + 100'
  assert.equal((await get(one)).status, 200)
  await whileTampered(database, 'ledger_account', statement, async () => {
    assertRefused(await get(one), 'integrity_failure')
  })
})
