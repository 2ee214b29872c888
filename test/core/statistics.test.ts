/** What statistics count a document or a payment as (contract 12). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Sum,
  addUp,
  ageingOf,
  cashFlowOf,
  documentByStatus,
  inOrder,
  percentile,
} from '../../src/core/statistics.ts'

const invoice = {
  type: 'invoice',
  status: 'approved',
  currency: 'USD',
  document_date: '2026-03-01',
  due_date: '2026-03-31',
  total: 1_000n,
  amount_paid: 100n,
  amount_credited: 50n,
  isUnfunded: false,
  isFrozen: false,
}

test('a balance is in the bucket of the days that it is overdue', () => {
  const buckets: [string, string][] = [
    ['2026-03-31', 'current'],
    ['2026-04-01', '1-30'],
    ['2026-04-30', '1-30'],
    ['2026-05-01', '31-60'],
    ['2026-05-30', '31-60'],
    ['2026-05-31', '61-90'],
    ['2026-06-29', '61-90'],
    ['2026-06-30', 'over_90'],
  ]
  for (const [today, bucket] of buckets) {
    assert.deepEqual(ageingOf(invoice, { side: 'issuer', today }), {
      start: null,
      group: 'receivable',
      bucket,
      currency: 'USD',
      amount: 850n,
    })
  }
  const undated = ageingOf({ ...invoice, due_date: null }, { side: 'issuer', today: '2027-01-01' })
  assert.equal(undated!.bucket, 'current')
})

test('the side that pays owes; what is settled, or is never paid, is not owed', () => {
  const groupOf = (change: object, side: 'issuer' | 'counterparty') =>
    ageingOf({ ...invoice, ...change }, { side, today: '2026-03-31' })?.group
  assert.equal(groupOf({}, 'counterparty'), 'payable')
  assert.equal(groupOf({ type: 'credit_note' }, 'counterparty'), 'receivable')
  assert.equal(groupOf({ type: 'credit_note' }, 'issuer'), 'payable')
  assert.equal(groupOf({ type: 'repayment' }, 'issuer'), 'receivable')
  assert.equal(groupOf({ type: 'repayment', isUnfunded: true }, 'issuer'), undefined)
  assert.equal(groupOf({ isFrozen: true }, 'issuer'), undefined)
  assert.equal(groupOf({ status: 'paid' }, 'issuer'), undefined)
  assert.equal(groupOf({ status: 'draft' }, 'issuer'), undefined)
  assert.equal(groupOf({ type: 'quote', status: 'accepted' }, 'issuer'), undefined)
  assert.equal(groupOf({ amount_paid: 950n }, 'issuer'), undefined)
})

test('weeks begin on Monday, months on the first; the days of the range belong to it', () => {
  const startOf = (day: string, interval: 'day' | 'week' | 'month') =>
    documentByStatus(
      { ...invoice, document_date: day },
      { side: 'issuer', period: { from: '2026-03-01', to: '2026-03-31', interval } },
    )?.start
  assert.equal(startOf('2026-03-01', 'week'), '2026-02-23')
  assert.equal(startOf('2026-03-02', 'week'), '2026-03-02')
  assert.equal(startOf('2026-03-31', 'month'), '2026-03-01')
  assert.equal(startOf('2026-03-31', 'day'), '2026-03-31')
  assert.equal(startOf('2026-04-01', 'day'), undefined)
  assert.equal(startOf('2026-02-28', 'day'), undefined)
})

test('what has settled is in the cash flow, what is scheduled beside it, and no other payment', () => {
  const period = { from: '2026-03-01', to: '2026-03-31', interval: 'day' } as const
  const payment = {
    status: 'settled',
    currency: 'USD',
    amount: 5n,
    scheduled_for: '2026-03-09',
    settled_at: '2026-03-10T23:59:59.999Z',
  }
  const groupOf = (status: string, direction: 'incoming' | 'outgoing') => {
    const counted = cashFlowOf({ ...payment, status }, { direction, period })
    return counted && [counted.start, counted.group]
  }
  assert.deepEqual(groupOf('settled', 'incoming'), ['2026-03-10', 'in'])
  assert.deepEqual(groupOf('scheduled', 'outgoing'), ['2026-03-09', 'scheduled_out'])
  assert.equal(groupOf('processing', 'incoming'), undefined)
  assert.equal(groupOf('returned', 'incoming'), undefined)
})

test('sums are by period, group, bucket and currency, in this order', () => {
  const sums = new Map<string, Sum>()
  const one = { start: null, group: 'payable', bucket: 'current', currency: 'USD', amount: 2n }
  for (const counted of [one, undefined, { ...one, currency: 'EUR' }, one]) addUp(counted, sums)
  assert.deepEqual(inOrder(sums), [
    { ...one, currency: 'EUR', count: 1, days: [] },
    { ...one, amount: 4n, count: 2, days: [] },
  ])
})

test('a percentile is one of the values, by nearest rank', () => {
  assert.equal(percentile([7], 0.5), 7)
  assert.equal(percentile([30, 4], 0.5), 4)
  assert.equal(percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 0.9), 9)
  assert.equal(percentile([3, 1, 2], 1), 3)
})
