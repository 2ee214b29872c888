/** The arithmetic of loans, and the table of what is swept (domain 5.2, 5.4 and 5.6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepAmount } from '../../src/core/finance/sweep-amount.ts'
import { disclosureOf } from '../../src/core/finance/loan-terms.ts'

test('domain 5.4: a sweep is min(proceeds, owed − in flight), and never below 0', () => {
  for (let proceeds = 0n; proceeds <= 12n; proceeds += 1n) {
    for (let owed = 0n; owed <= 12n; owed += 1n) {
      for (let inFlight = 0n; inFlight <= 12n; inFlight += 1n) {
        const amount = sweepAmount({ proceeds, owed, inFlight })
        assert(amount >= 0n && amount <= proceeds, 'no more than the proceeds')
        assert(inFlight > owed ? amount === 0n : amount + inFlight <= owed, 'no more than owed')
        if (owed > inFlight) assert(amount === proceeds || amount + inFlight === owed)
      }
    }
  }
})

test('domain 5.6: the annualized cost has four decimals and a term of at least a day', () => {
  const terms = {
    currency: 'USD',
    principal: 1_000_000n,
    fee_type: 'bps',
    fee_value: 250n,
    grace_days: 7,
    due_date: '2026-12-20',
  }
  assert.equal(disclosureOf(terms, '2026-11-20').annualizedCost, 3_042n)
  assert.equal(disclosureOf(terms, '2026-12-20').termDays, 1)
  const costOf = (fee_value: bigint) => {
    const flat = { ...terms, principal: 7_300_000n, fee_type: 'flat', fee_value }
    return disclosureOf(flat, '2026-12-19').annualizedCost
  }
  assert.deepEqual([costOf(3n), costOf(5n)], [2n, 2n], '1.5 and 2.5: a half goes to the even one')
})
