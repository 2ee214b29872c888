/** ISO 8601 durations that move a clock, with calendar months and years. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDuration } from '../../src/core/durations.ts'

const from = Date.parse('2027-12-31T10:00:00.000Z')

for (const [text, to] of [
  ['P6D', '2028-01-06T10:00:00.000Z'],
  ['PT90S', '2027-12-31T10:01:30.000Z'],
  ['P2W', '2028-01-14T10:00:00.000Z'],
  ['P1M', '2028-01-31T10:00:00.000Z'],
  ['P2M', '2028-02-29T10:00:00.000Z'],
  ['P14M', '2029-02-28T10:00:00.000Z'],
  ['P3Y', '2030-12-31T10:00:00.000Z'],
  ['P1Y2M3DT4H5M6S', '2029-03-03T14:05:06.000Z'],
  ['PT0S', '2027-12-31T10:00:00.000Z'],
] as const) {
  test(`${text} after 2027-12-31 is ${to}`, () => {
    assert.equal(new Date(addDuration(text, from)!).toISOString(), to)
  })
}

for (const text of ['P99999999999999999999D', 'P99999999999Y', 'P99999999999999999999M']) {
  test(`${text} exceeds every date`, () => assert(addDuration(text, from)! > 8.64e15))
}

for (const text of ['', 'P', 'PT', 'P1DT', '6 days', 'p6d', '-P1D', 'PT1.5S', 'P1H', 'P1D2M']) {
  test(`${text || 'nothing'} is not a duration`, () =>
    assert.equal(addDuration(text, from), undefined))
}
