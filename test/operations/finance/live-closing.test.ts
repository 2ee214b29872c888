/** When a repaid loan in live money is closed (domain 5.4): once no bank can return it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { liveRail } from '../../support/finance/live-rail.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const { database } = running
const loans = loansClient(running)
const { posted, agreementOf } = loans
const parties = await loanParties(running, 'live')
const { borrower, lender } = parties
const { settle, returned, paid } = liveRail(running, fakeStripe, loans)

const fundedLoan = async (invoiceFields: object = {}): Promise<string> => {
  const { agreement } = await loans.accepted(parties, {}, invoiceFields)
  await settle(await paid(lender.key, agreement.documents.disbursement_id))
  return agreement.id
}

/** Returns the id of the payment. */
const repay = async (id: string): Promise<string> => {
  const { payments } = await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  const payment: string = payments.at(-1).id
  await settle(payment)
  return payment
}

const closesAt = async (id: string): Promise<string | null> => {
  const uuid = decodeId('agr', id)!
  const query = sql`select due_at from finance_agreements where id = ${uuid}`
  return (await database.rows<{ due_at: string | null }>(query))[0]!.due_at
}

test('domain 5.4: dollars are returned for five banking days, and no weekend has any', async () => {
  const id = await fundedLoan()
  await repay(id)
  const lastDays = {
    '2100-01-04': '2100-01-11', // a Monday, and the Monday after it
    '2100-01-05': '2100-01-12',
    '2100-01-06': '2100-01-13',
    '2100-01-07': '2100-01-14',
    '2100-01-08': '2100-01-15',
    '2100-01-09': '2100-01-15', // a Saturday, and the Friday after it
    '2100-01-10': '2100-01-15',
  }
  for (const [repaid, last] of Object.entries(lastDays)) {
    const repaidAt = `${repaid}T12:00:00.000Z`
    await runAndSeal(
      database,
      'finance_agreements',
      sql`update finance_agreements set repaid_at = ${repaidAt}, due_at = clock_timestamp()
      where id = ${decodeId('agr', id)!}`,
    )
    await until('its deadline is known', async () => {
      const at = await closesAt(id)
      return at !== null && at > '2100'
    })
    assert.equal(await closesAt(id), `${last}T12:00:00.000Z`, `repaid on ${repaid}`)
  }
  assert.equal((await agreementOf(lender.key, id)).status, 'repaid')
})

test('domain 5.4: what is not repaid by ACH is closed at once', async () => {
  const id = await fundedLoan({ currency: 'EUR' })
  await repay(id)
  const { status, closed_reason } = await agreementOf(lender.key, id)
  assert.deepEqual([status, closed_reason], ['closed', 'repaid'])
})

test('domain 5.4: what is owed again is not repaid, and its days begin anew with the next repayment', async () => {
  const id = await fundedLoan()
  const first = await repay(id)
  // As if that had been long ago: nothing of it counts for the next repayment.
  await runAndSeal(
    database,
    'finance_agreements',
    sql`update finance_agreements set repaid_at = repaid_at - interval '30 days'
    where id = ${decodeId('agr', id)!}`,
  )
  const { repaid_at: before } = await agreementOf(lender.key, id)
  assert.notEqual(before, null)
  await returned(first)
  for (const { key } of [borrower, lender]) {
    const { status, repaid_at } = await agreementOf(key, id)
    assert.deepEqual([status, repaid_at], ['flagged', null])
  }
  await repay(id)
  const { status, repaid_at, funded_at } = await agreementOf(lender.key, id)
  assert.equal(status, 'repaid')
  assert(repaid_at > funded_at, `${repaid_at} is the time of the second repayment`)
  assert((await closesAt(id))! > repaid_at)
})
