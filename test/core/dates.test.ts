/** Which texts are dates and durations, and the calendar arithmetic on them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { addDays, addDuration, dateAt, isDate } from '../../src/core/dates.ts'

const samples = process.env['LONG'] ? 200_000 : 5_000

test('a date is a day that exists, written YYYY-MM-DD', () => {
  const real = ['2026-01-31', '2028-02-29', '2000-02-29', '0001-01-01', '9999-12-31']
  const unreal = [
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
  ]
  const malformed = [
    '',
    '2026-2-3',
    '20260203',
    '2026-02-03T00:00:00Z',
    '2026-02-03[u-ca=hebrew]',
    '+002026-02-03',
    '0000-01-01',
    ' 2026-02-03',
    '2026-02-03\n',
    '２０２６-02-03',
  ]
  for (const date of real) assert(isDate(date), date)
  for (const date of [...unreal, ...malformed]) assert(!isDate(date), date)
})

const days = fc.integer({ min: Date.UTC(1600, 0, 1), max: Date.UTC(2400, 0, 1) })

test('a date is what Date reads and writes as the same day', () => {
  const digits = fc.tuple(fc.nat(9999), fc.nat(13), fc.nat(32))
  const property = fc.property(digits, ([year, month, day]) => {
    const pad = (part: number, length: number) => String(part).padStart(length, '0')
    const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
    const read = new Date(`${text}T00:00:00.000Z`)
    const isReal = !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text)
    assert.equal(isDate(text), isReal && year > 0, text)
  })
  fc.assert(property, { numRuns: samples })
})

test('days are added over months, leap days and years', () => {
  assert.equal(addDays('2026-12-31', 1), '2027-01-01')
  assert.equal(addDays('2028-03-01', -1), '2028-02-29')
  assert.equal(addDays('2026-01-01', 365), '2027-01-01')
  assert.equal(addDays('0001-01-02', -1), '0001-01-01')
})

test('a date with days added is the one that many times 24 hours later', () => {
  const property = fc.property(days, fc.integer({ min: -5000, max: 5000 }), (ms, count) => {
    const later = new Date(ms + count * 86_400_000).toISOString().slice(0, 10)
    assert.equal(addDays(new Date(ms).toISOString().slice(0, 10), count), later)
  })
  fc.assert(property, { numRuns: samples })
})

test('adding days to no date, or beyond the years 0001 to 9999, is our bug', () => {
  for (const text of ['2026-13-01', 'today', '']) assert.throws(() => addDays(text, 1), RangeError)
  assert.throws(() => addDays('9999-12-31', 1), RangeError)
  assert.throws(() => addDays('0001-01-01', -1), RangeError)
})

test('the date of a moment is the UTC one of a clock that is ahead', () => {
  assert.equal(dateAt('2026-11-21T01:40:00.123Z', 0n), '2026-11-21')
  assert.equal(dateAt('2026-11-21T01:40:00+05:00', 0n), '2026-11-20')
  assert.equal(dateAt(Date.UTC(2026, 11, 31, 23, 59, 59, 999), 0n), '2026-12-31')
  assert.equal(dateAt(Date.UTC(2026, 11, 31, 23, 59, 59, 999), 1n), '2027-01-01')
  assert.equal(dateAt('2026-11-21T00:00:00.000Z', 86_400n * 365n), '2027-11-21')
})

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
  test(`${text} is beyond all dates`, () => assert(addDuration(text, from)! > 8.64e15))
}

for (const text of ['', 'P', 'PT', 'P1DT', '6 days', 'p6d', '-P1D', 'PT1.5S', 'P1H', 'P1D2M']) {
  test(`${text || 'nothing'} is no duration`, () =>
    assert.equal(addDuration(text, from), undefined))
}
