/** Contract 11: `running_balance` adds up in the order of the list, which is that of posting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { eachPage } from '../../support/http/all-pages.ts'
import { aPair } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty } = pair

interface Transaction {
  id: string
  account_id: string
  status: string
  amount: number
  running_balance: number | null
}

const transactions = async (limit: number): Promise<Transaction[]> => {
  const path = `/v1/treasury/transactions?limit=${limit}`
  const all: Transaction[] = []
  for await (const { data } of eachPage(running, issuer.key, path)) all.push(...data)
  return all
}

const payFrom = async (source: string): Promise<string> => {
  const { id } = await anApprovedInvoice(running, pair)
  const body = { source_account_id: source }
  return (await pay(running, counterparty.key, id, { body })).body.payment.id
}

const simulate = (payment: string, outcome: string) =>
  callApi(running, 'POST', `/v1/sandbox/payments/${payment}/simulate`, {
    key: counterparty.key,
    body: { outcome },
  })

test('payments that settle in another order than they began add up', async () => {
  const slow = await payFrom('acct_test_stuck')
  const failing = await payFrom('acct_test_stuck')
  await payFrom('acct_test_ok')
  const open = await payFrom('acct_test_stuck')
  await payFrom('acct_test_ok')
  assert.equal((await simulate(failing, 'fail')).status, 200)
  assert.equal((await simulate(slow, 'settle')).status, 200)
  await payFrom('acct_test_ok')
  const all = await transactions(100)
  assert.deepEqual(await transactions(2), all, 'every page')
  const [first, ...others] = all
  assert.deepEqual([first!.status, first!.running_balance], ['pending', null], open)
  const posted = others.filter(({ status }) => status === 'posted')
  assert.equal(posted.length >= 4, true)
  for (const [at, { account_id, amount, running_balance }] of posted.entries()) {
    const before = posted.slice(at + 1).find((one) => one.account_id === account_id)
    const sum = Math.round(((before?.running_balance ?? 0) + amount) * 100)
    assert.equal(Math.round(running_balance! * 100), sum)
  }
})
