/** Which histories the statistics of the time in each state read (contract 12). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fittingHistories } from '../../src/core/time-in-status.ts'

const fittingOf = (lengths: readonly number[], max: { histories: number; events: number }) =>
  fittingHistories(
    lengths.map((head_seq) => ({ head_seq })),
    max,
  ).map(({ head_seq }) => head_seq)

test('the newest histories are read, as many as may be', () => {
  assert.deepEqual(fittingOf([3, 1, 2], { histories: 2, events: 100 }), [3, 1])
})

test('together they have a bounded number of events, and a long one keeps out itself alone', () => {
  assert.deepEqual(fittingOf([3, 9, 5, 2], { histories: 10, events: 10 }), [3, 5, 2])
})
