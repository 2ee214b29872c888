/**
 * The sweep cases of domain 5.4 (loan-sweeps.json) in live money, among three organizations. CI
 * plays some of them; `LONG=1` plays all.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { liveRail } from '../support/finance/live-rail.ts'
import { type LoanIds, idsOf, loanSteps, outcomeOf } from '../support/finance/loan-steps.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { startFakeStripe } from '../support/payments/fake-stripe.ts'
import { startTestService } from '../support/test-service.ts'
import vectors from './loan-sweeps.json' with { type: 'json' }

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const loans = loansClient(running)
const { documentOf, found } = loans
const rail = liveRail(running, fakeStripe, loans)
const parties = await loanParties(running, 'live')
const { lender } = parties

const step = loanSteps(loans, parties, {
  pay: async (key, document, isSlow) => {
    const payment = await rail.paid(key, document)
    if (!isSlow) await rail.settle(payment)
  },
  happens: async (outcome, key, document) => {
    const { id } = (await documentOf(key, document)).payment
    await { settle: rail.settle, fail: rail.fail, return: rail.returned }[outcome](id)
  },
})

/** In the sandbox a sweep settles in place; here the rail takes it, and it settles next. */
const settleSweeps = async ({ agreement }: LoanIds): Promise<void> => {
  const { sweeps } = await found(lender.key, `/v1/finance/agreements/${agreement}/repayment`)
  for (const { payment_id, status } of sweeps) {
    if (status === 'processing') await rail.settle(payment_id)
  }
}

/** What is repaid stays open until no bank can return it. */
const inLive = (expected: { closed_reason: string | null }) =>
  expected.closed_reason === 'repaid'
    ? { ...expected, status: 'repaid', closed_reason: null }
    : expected

const inShort = new Set([
  'a credit note leaves less than is owed',
  'the repayment under way then fails',
  'the funding under way then settles',
  'the invoice is credited in full before the funding',
  'the funding of a credited invoice then fails',
  'the proceeds are returned after everything was repaid',
  'the sweep itself is returned',
  'the invoice settles while the disbursement is returned',
  'the disbursement is returned after a sweep',
  'the lender pays again after a sweep',
  'the sweep is returned after the disbursement',
])

const isLong = process.env['LONG'] === '1'
const cases = vectors.cases.filter(({ case: title }) => isLong || inShort.has(title))

describe('domain 5.4: live: what is swept, owed and flagged', () => {
  for (const { case: title, steps: names, expected, terms } of cases) {
    test(`${title}: ${names.join(', ')}`, async () => {
      const ids = idsOf(await loans.accepted(parties, terms === undefined ? {} : { terms }))
      for (const name of names) {
        await step(name, ids)
        await settleSweeps(ids)
      }
      assert.deepEqual(await outcomeOf(loans, parties, ids), inLive(expected))
    })
  }

  test('no case of the short run is misspelt', () => {
    assert(inShort.isSubsetOf(new Set(vectors.cases.map(({ case: title }) => title))))
  })
})
