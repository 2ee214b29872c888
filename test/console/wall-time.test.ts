/** A time of day that is typed in the person's zone is sent in UTC, also where clocks change. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentOf, wallTimeOf } from '../../console/src/webhooks/wall-time.ts'

const cases: readonly [zone: string, wallTime: string, moment: string][] = [
  ['UTC', '2026-11-28T23:40:05', '2026-11-28T23:40:05.000Z'],
  ['Asia/Tokyo', '2026-11-29T08:40:05', '2026-11-28T23:40:05.000Z'],
  ['Asia/Kolkata', '2026-11-29T00:00:00', '2026-11-28T18:30:00.000Z'],
  ['America/New_York', '2026-11-28T18:40:05', '2026-11-28T23:40:05.000Z'],
  // Clocks go forward at 07:00 UTC, and back at 06:00 UTC.
  ['America/New_York', '2026-03-08T01:59:59', '2026-03-08T06:59:59.000Z'],
  ['America/New_York', '2026-03-08T03:00:00', '2026-03-08T07:00:00.000Z'],
  ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00.000Z'],
  ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00.000Z'],
]

for (const [zone, wallTime, moment] of cases)
  test(`${wallTime} in ${zone} is ${moment}`, () => {
    assert.equal(momentOf(wallTime, zone), moment)
    assert.equal(wallTimeOf(moment, zone), wallTime)
  })

test('a field leaves the seconds out when they are 0', () => {
  assert.equal(momentOf('2026-11-28T23:40', 'UTC'), '2026-11-28T23:40:00.000Z')
})

test('a year of five digits is no time', () => {
  assert.equal(momentOf('99999-01-01T00:00', 'Europe/Berlin'), '')
})

test('a year of which the first digits are typed is a time, which the field shows again', () => {
  for (const year of ['0002', '0020', '0202'])
    for (const zone of ['UTC', 'Europe/Berlin', 'Pacific/Auckland', 'America/New_York']) {
      const wallTime = `${year}-11-30T10:00:00`
      assert.equal(wallTimeOf(momentOf(wallTime, zone), zone), wallTime)
    }
})
