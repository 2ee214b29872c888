/** The arithmetic of loans, and the table of what is swept (domain 5.2, 5.4 and 5.6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepAmount } from '../../src/core/finance/sweep-amount.ts'
import { disclosureOf } from '../../src/core/finance/loan-terms.ts'
import { standingAuthorization } from '../../src/core/finance/standing-authorization.ts'
import { canonicalText } from '../../src/core/provenance/shared-state.ts'

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

test('domain 5.3: a history records the very text of the authorization whose digest was accepted', () => {
  const terms = {
    currency: 'EUR',
    principal: 40_000n,
    fee_type: 'bps',
    fee_value: 250n,
    grace_days: 7,
    due_date: '2026-12-20',
  }
  const id = '01a22ee9-06d6-79b6-89ec-1b4067dde364'
  const text = standingAuthorization({
    offer: id,
    listing: id,
    expiresAt: '2026-12-01T00:00:00.000Z',
    borrower: id,
    settlementAccount: id,
    lender: id,
    fundingAccount: id,
    pledge: {
      document: id,
      issuerNumber: 'INV-\u00e9"1',
      balanceDue: 53_950n,
      currency: 'EUR',
      dueDate: '2026-12-13',
    },
    terms,
    disclosure: disclosureOf(terms, '2026-11-20'),
    notice: 'disclosed',
    nearTwins: 2,
  })
  assert.equal(canonicalText(JSON.parse(text)), text)
})
