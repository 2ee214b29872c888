/**
 * Provenance 8, domain 4.4: debits and credits are what their sealed transaction says, wherever a
 * transaction is shown or verified (docs/decisions/0150).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { aPair } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const { issuer, counterparty } = pair
const get = (path: string, key: string) => callApi(running, 'GET', path, { key })

const invoice = await anApprovedInvoice(running, pair)
assert.equal((await pay(running, counterparty.key, invoice.id)).status, 200)

const transactionOf = (kind: string): string => `tx_id in (select t.id from ledger_tx t
  join ledger_account a on a.id = t.account_id join organizations o on o.id = a.organization_id
  where t.kind = '${kind}' and o.id in ('${issuer.uuid}', '${counterparty.uuid}'))`

const assertWithheld = async (statement: string, paths: readonly [string, string][]) => {
  for (const [path, key] of paths) assert.equal((await get(path, key)).status, 200, path)
  await whileTampered(database, 'ledger_entry', statement, async () => {
    for (const [path, key] of paths) {
      assertRefused(await get(path, key), 'integrity_failure')
    }
  })
  for (const [path, key] of paths) assert.equal((await get(path, key)).status, 200, path)
}

const other = `(select id from ledger_account order by id desc limit 1)`
const hands: Readonly<Record<string, (rows: string) => string>> = {
  'another amount': (rows) => `update ledger_entry set amount = amount + 1 where ${rows}`,
  'another side': (rows) =>
    `update ledger_entry set side = case side when 'debit' then 'credit' else 'debit' end where ${rows}`,
  'another account': (rows) =>
    `update ledger_entry set account_id = ${other} where ${rows} and side = 'debit'`,
  'another system account': (rows) =>
    `update ledger_entry e set account_id = o.account_id from ledger_entry o
     join ledger_tx t on t.id = o.tx_id and t.kind = 'topup' and t.currency = 'USD'
     where e.${rows} and e.side = 'debit' and o.side = 'debit' and o.currency = e.currency`,
  'another mode': (rows) => `update ledger_entry set mode = 'live' where ${rows}`,
  'another currency': (rows) => `update ledger_entry set currency = 'EUR' where ${rows}`,
  'no credit': (rows) => `delete from ledger_entry where ${rows} and side = 'credit'`,
  'one credit more': (rows) =>
    `insert into ledger_entry select tx_id, gen_random_uuid(), mode, currency, side, amount
     from ledger_entry where ${rows} and side = 'credit'`,
  'the entries of another': (rows) =>
    `update ledger_entry set tx_id = gen_random_uuid() where ${rows}`,
}

for (const [what, hand] of Object.entries(hands)) {
  test(`a payment with ${what} in the ledger is withheld from its parties`, async () => {
    await assertWithheld(hand(transactionOf('payment_in')), [
      ['/v1/treasury/transactions', issuer.key],
      [`/v1/documents/${invoice.id}/history`, counterparty.key],
      [`/v1/documents/${invoice.id}/export`, issuer.key],
    ])
  })
}

test('what no document names is compared as well', async () => {
  await assertWithheld(hands['another amount']!(transactionOf('topup')), [
    ['/v1/treasury/transactions', counterparty.key],
  ])
})

test('every transaction has the entries that follow from it, whatever became of it', async () => {
  for (const outcome of ['settle', 'fail', 'return']) {
    const { id } = await anApprovedInvoice(running, pair)
    const body = { source_account_id: 'acct_test_stuck' }
    const paid = await pay(running, counterparty.key, id, { body })
    const path = `/v1/sandbox/payments/${paid.body.payment.id}/simulate`
    if (outcome === 'return') {
      await callApi(running, 'POST', path, { key: issuer.key, body: { outcome: 'settle' } })
    }
    const decided = await callApi(running, 'POST', path, { key: issuer.key, body: { outcome } })
    assert.equal(decided.status, 200, decided.text)
    assert.equal((await get(`/v1/documents/${id}/history`, issuer.key)).status, 200, outcome)
  }
  const [row] = await database.rows<{ kinds: string[] }>(sql`
    select array_agg(distinct kind order by kind) as kinds from ledger_tx`)
  assert.deepEqual(row!.kinds, ['payment_in', 'payment_out', 'return', 'topup'])
  for (const { key } of [issuer, counterparty]) {
    assert.equal((await get('/v1/treasury/transactions?limit=100', key)).status, 200)
  }
})
