/** What a projection expects of documents, and the balances that follow (console 1.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBalances, defaultEnd, expectedOf } from '../../src/core/cash-projection.ts'
import { type LastPayment, type Sum, addUp, inOrder } from '../../src/core/statistics.ts'

// A Thursday; the first week began on the 2nd and the eighth ends on the 26th of April.
const period = { from: '2026-03-05', to: '2026-04-26', interval: 'week' } as const
const bill = {
  type: 'invoice',
  status: 'approved',
  currency: 'USD',
  due_date: '2026-03-20',
  total: 1_000n,
  amount_paid: 100n,
  amount_credited: 50n,
  payment: null as LastPayment | null,
  isUnfunded: false,
  isFrozen: false,
}
const payment = (more: { status: string; scheduled_for?: string }): LastPayment => ({
  amount: 900n,
  settled_at: null,
  scheduled_for: null,
  ...more,
})

test('what is owed is expected in the week of its due date, and what is late in the first one', () => {
  const placeOf = (due_date: string | null) => {
    const [expected] = expectedOf({ ...bill, due_date }, { side: 'counterparty', period })
    return expected && [expected.start, expected.bucket, expected.group, expected.amount]
  }
  assert.deepEqual(placeOf('2026-03-20'), ['2026-03-16', 'due', 'due_out', 850n])
  assert.deepEqual(placeOf('2026-03-05'), ['2026-03-02', 'due', 'due_out', 850n])
  assert.deepEqual(placeOf('2026-03-04'), ['2026-03-02', 'overdue', 'due_out', 850n])
  assert.deepEqual(placeOf('2025-01-01'), ['2026-03-02', 'overdue', 'due_out', 850n])
  assert.deepEqual(placeOf('2026-04-26'), ['2026-04-20', 'due', 'due_out', 850n])
  assert.deepEqual(placeOf('2026-04-27'), [null, 'later', 'due_out', 850n])
  assert.deepEqual(placeOf(null), [null, 'undated', 'due_out', 850n])
})

test('without another end it has eight weeks with the current one, whatever the interval', () => {
  assert.equal(defaultEnd('2026-03-05'), period.to)
})

test('the side that is paid expects it to come in; what nobody owes is not expected', () => {
  const groupOf = (change: object, side: 'issuer' | 'counterparty' = 'issuer') =>
    expectedOf({ ...bill, ...change }, { side, period })[0]?.group
  assert.equal(groupOf({}), 'due_in')
  assert.equal(groupOf({ type: 'repayment' }, 'counterparty'), 'due_out')
  assert.equal(groupOf({ type: 'repayment', isUnfunded: true }, 'counterparty'), undefined)
  assert.equal(groupOf({ type: 'credit_note' }), 'due_out')
  assert.equal(groupOf({ isFrozen: true }), undefined)
  assert.equal(groupOf({ status: 'draft' }), undefined)
  assert.equal(groupOf({ status: 'paid' }), undefined)
  assert.equal(groupOf({ type: 'quote', status: 'accepted' }), undefined)
  assert.equal(groupOf({ amount_paid: 950n }), undefined)
})

test('a scheduled payment counts on its day; one under way is still to come for its payee only', () => {
  const expected = (stored: LastPayment, side: 'issuer' | 'counterparty') => {
    const document = { ...bill, status: 'payment_scheduled', payment: stored }
    const [counted] = expectedOf(document, { side, period })
    return counted && [counted.group, counted.start, counted.bucket, counted.amount]
  }
  const scheduled = payment({ status: 'scheduled', scheduled_for: '2026-03-30' })
  assert.deepEqual(expected(scheduled, 'counterparty'), [
    'scheduled_out',
    '2026-03-30',
    'due',
    900n,
  ])
  assert.deepEqual(expected(scheduled, 'issuer'), ['scheduled_in', '2026-03-30', 'due', 900n])
  for (const status of ['created', 'processing']) {
    assert.equal(expected(payment({ status }), 'counterparty'), undefined)
    const coming = ['scheduled_in', '2026-03-02', 'due', 900n]
    assert.deepEqual(expected(payment({ status }), 'issuer'), coming)
  }
  const paid = { ...bill, amount_paid: 950n, payment: payment({ status: 'settled' }) }
  const settled = { ...paid, status: 'payment_scheduled' }
  assert.deepEqual(expectedOf(settled, { side: 'issuer', period }), [])
})

test('what a payment leaves open, as a sweep may of a repayment, is still due on its due date', () => {
  const sweep = { ...payment({ status: 'processing' }), amount: 600n }
  const loan = { ...bill, type: 'repayment', status: 'payment_scheduled', payment: sweep }
  const expected = (side: 'issuer' | 'counterparty') =>
    expectedOf(loan, { side, period }).map(({ group, start, amount }) => [group, start, amount])
  assert.deepEqual(expected('counterparty'), [['due_out', '2026-03-16', 250n]])
  assert.deepEqual(expected('issuer'), [
    ['scheduled_in', '2026-03-02', 600n],
    ['due_in', '2026-03-16', 250n],
  ])
})

test('a balance follows from the one before it, per currency, and may fall below zero', () => {
  const sums = new Map<string, Sum>()
  const one = { bucket: 'due', currency: 'USD', amount: 30n }
  for (const counted of [
    { ...one, start: '2026-03-02', group: 'due_out' },
    { ...one, start: '2026-03-16', group: 'scheduled_out' },
    { ...one, start: '2026-03-16', group: 'due_in', amount: 5n },
    { ...one, start: null, bucket: 'later', group: 'due_in', amount: 1_000n },
    { ...one, start: '2026-03-16', group: 'due_in', currency: 'EUR' },
  ])
    addUp(counted, sums)
  const accounts = [
    { currency: 'USD', available: 20n },
    { currency: 'USD', available: 20n },
  ]
  // The last day is the first of its week.
  addBalances(sums, accounts, { ...period, to: '2026-03-16' })
  const balancesOf = (currency: string) =>
    inOrder(sums)
      .filter((sum) => sum.group === 'balance' && sum.currency === currency)
      .map(({ start, amount }) => [start, amount])
  assert.deepEqual(
    new Map(balancesOf('USD') as [string | null, bigint][]),
    new Map<string | null, bigint>([
      [null, 40n],
      ['2026-03-02', 10n],
      ['2026-03-09', 10n],
      ['2026-03-16', -15n],
    ]),
  )
  assert.deepEqual(new Map(balancesOf('EUR') as [string | null, bigint][]).get('2026-03-16'), 30n)
})

test('every month has its balance, however short it is', () => {
  const sums = new Map<string, Sum>()
  const account = { currency: 'USD', available: 20n }
  addBalances(sums, [account], { from: '2026-01-31', to: '2026-03-01', interval: 'month' })
  const starts = inOrder(sums).map(({ start }) => start)
  assert.deepEqual(starts.toSorted(), ['2026-01-01', '2026-02-01', '2026-03-01', null])
})
