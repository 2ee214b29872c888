/** What the console takes for the time, from the answers of the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteServiceTime, serviceNow } from '../../console/src/api/service-clock.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** As the header Date has it, without the milliseconds. */
const dateOf = (ms: number): string => new Date(ms).toUTCString()

const isAbout = (wantedMs: number): boolean => Math.abs(serviceNow() - wantedMs) < minuteMs

test('a device that is wrong by an hour, such as in summer, or by minutes, has the right time', () => {
  for (const aheadMs of [hourMs, -hourMs, 10 * minuteMs, -10 * minuteMs]) {
    const now = Date.now() - aheadMs
    noteServiceTime(dateOf(now))
    assert(isAbout(now), `${aheadMs / minuteMs} minutes ahead`)
  }
})

test('an answer without a date says nothing about the time', () => {
  const now = Date.now() - 24 * hourMs
  noteServiceTime(dateOf(now))
  noteServiceTime(null)
  assert(isAbout(now))
})

test('what an answer takes makes no clock jump', () => {
  noteServiceTime(dateOf(Date.now() - minuteMs / 2))
  assert(Math.abs(serviceNow() - Date.now()) < 1_000)
})
