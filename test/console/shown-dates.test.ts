/** Days and times in the console, for readers in other languages and zones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printedFor } from '../support/console/reader-process.ts'

const texts = `
  import * as dates from './console/src/design/dates.ts'
  const appearance = JSON.stringify({ time_zone: process.env.CHOSEN_ZONE ?? null })
  Object.defineProperty(globalThis, 'localStorage', { value: { getItem: () => appearance } })
  console.log(JSON.stringify([
    dates.dateText('2026-11-30'),
    dates.monthText('2026-11'),
    dates.timeText('2026-11-30T20:15:00.000Z', 'short'),
  ]))`

const readers = [
  ['en_US', '2026', 'November'],
  ['fa_IR', '۲۰۲۶', 'نوامبر'],
  ['th_TH', '2026', 'พฤศจิกายน'],
] as const

for (const [language, year, month] of readers)
  test(`a day is one of the Gregorian calendar in ${language}, as in the document`, () => {
    const shown = printedFor({ LC_ALL: `${language}.UTF-8`, TZ: 'UTC' }, texts) as string[]
    for (const text of shown) assert(text.includes(year), text)
    assert(shown[1]!.includes(month), shown[1]!)
  })

test('times are in the chosen zone, or in that of a device that does not know it', () => {
  const shownIn = (chosen: string) =>
    (
      printedFor(
        { LC_ALL: 'en_GB.UTF-8', TZ: 'Asia/Kathmandu', CHOSEN_ZONE: chosen },
        texts,
      ) as string[]
    )[2]
  assert.match(shownIn('Pacific/Apia')!, /^1 Dec 2026, 09:15/)
  assert.match(shownIn('America/Founded_Later')!, /^1 Dec 2026, 02:00/)
})

test('the day of the payments is that of UTC, wherever the device is', () => {
  const script = `
    import { serviceToday } from './console/src/payments/calendar.ts'
    console.log(JSON.stringify([serviceToday(), new Date().toISOString().slice(0, 10)]))`
  // At any time, it is another day in one of them.
  for (const zone of ['Pacific/Apia', 'Etc/GMT+12']) {
    const [today, expected] = printedFor({ TZ: zone }, script) as string[]
    assert.equal(today, expected, zone)
  }
})
