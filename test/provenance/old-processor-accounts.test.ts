/**
 * Provenance 8: an old row of processor_accounts with its old seal pays nobody
 * (docs/decisions/0178). Live money goes to the account that the operator connected last.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { assertNoticed, copyRows } from '../support/database/old-rows.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { loansClient } from '../support/finance/loans.ts'
import { type Pair, type TestOrganization, aPair } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { connectTestProcessor } from '../support/payments/connect-test-processor.ts'
import { startFakeStripe } from '../support/payments/fake-stripe.ts'
import { adminClient } from '../support/processes/admin-client.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const { database, logLines } = running
const { get } = loansClient(running)
const { expectSuccess } = adminClient(running)

const payoutsTo = (account: string) =>
  [...fakeStripe.intents.values()].filter(({ transfer }) => transfer === account)

const connect = ({ id }: TestOrganization, account: string) => {
  const payer = ['--customer', `cus_${account}`, '--methods', 'USD=pm_usd']
  return expectSuccess(['processor', 'connect', id, ...payer, '--payout', `acct_${account}`])
}

/** The payee was connected to one account, then to another; returns what brings the first back. */
const aPairWithAnOldAccount = async () => {
  const pair = await aPair(running, 'live')
  const { issuer, counterparty } = pair
  await connectTestProcessor(running, counterparty)
  const [old, present] = [`old${issuer.uuid}`, `new${issuer.uuid}`]
  await connectTestProcessor(running, issuer, old)
  const isOfPayee = `t.organization_id = '${issuer.uuid}'`
  const writeBack = await copyRows(database, 'processor_accounts', isOfPayee)
  await connect(issuer, present)
  return { pair, writeBack, old: `acct_${old}`, present: `acct_${present}`, isOfPayee }
}

const payBill = async (pair: Pair) => {
  const { id } = await anApprovedInvoice(running, pair)
  return pay(running, pair.counterparty.key, id)
}

describe('a row of processor_accounts', () => {
  test('that is old starts no payment, and is not shown', async () => {
    const { pair, writeBack, old, present } = await aPairWithAnOldAccount()
    assert.equal((await payBill(pair)).status, 200)
    await until('it is submitted', () => payoutsTo(present).length === 1)
    await writeBack()
    assertNoticed(running, await payBill(pair), 'processor_accounts')
    const shown = await get(pair.issuer.key, '/v1/finance/setup')
    assertNoticed(running, shown, 'processor_accounts')
    assert.deepEqual(payoutsTo(old), [])
    await connect(pair.issuer, 'again')
    assert.equal((await payBill(pair)).status, 200, 'the operator has said it anew')
  })

  test('that is old is not where a payment goes that is under way', async () => {
    const { pair, writeBack, old, present } = await aPairWithAnOldAccount()
    fakeStripe.faults.push(...Array<'500 before'>(1_000).fill('500 before'))
    const { body } = await payBill(pair)
    await writeBack()
    fakeStripe.faults.length = 0
    const alarm = `processor_accounts ${pair.issuer.uuid}: an old row has come back`
    await until('the task refuses it', async () => {
      await runAndSeal(
        database,
        'payments',
        sql`update payments set due_at = clock_timestamp()
        where id = ${decodeId('pay', body.payment.id)!} and status = 'processing'`,
      )
      return logLines.some((line) => line.includes(alarm))
    })
    assert.deepEqual([...payoutsTo(old), ...payoutsTo(present)], [])
  })

  test('that was deleted is missed, until the operator connects the organization again', async () => {
    const { pair, isOfPayee } = await aPairWithAnOldAccount()
    await database.script(`delete from processor_accounts t where ${isOfPayee}`)
    const gone = await payBill(pair)
    assert.deepEqual([gone.status, gone.body.error?.code], [500, 'integrity_failure'], gone.text)
    await connect(pair.issuer, 'once_more')
    assert.equal((await payBill(pair)).status, 200)
  })
})
