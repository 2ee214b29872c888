/** Counts of failed guesses: a process keeps them in its memory for a bounded number of callers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFailureCounter } from '../../../src/changes/identity/failure-counter.ts'
import { limits } from '../../../src/contract/limits.ts'

const counterOf = (windowMs: number) =>
  openFailureCounter({
    keyOf: (caller: string) => caller,
    policy: 'guesses',
    limit: 1,
    windowMs,
    failed: 'guesses were wrong',
  })

test('a new caller takes the place of the oldest one, and of no other', () => {
  const counter = counterOf(60_000)
  for (let i = 0; i <= limits.wrongUserCodesTrackedMax; i += 1) counter.record(`caller ${i}`)
  counter.check('caller 0')
  assert.throws(() => counter.check('caller 1'), { code: 'rate_limited' })
  assert.throws(() => counter.check(`caller ${limits.wrongUserCodesTrackedMax}`))
})

test('a window ends, and the next failure begins another one', (t) => {
  const clock = t.mock.method(performance, 'now', () => 0)
  const counter = counterOf(60_000)
  counter.record('caller')
  clock.mock.mockImplementation(() => 59_999)
  assert.throws(() => counter.check('caller'), { code: 'rate_limited' })
  clock.mock.mockImplementation(() => 60_000)
  counter.check('caller')
  counter.record('caller')
  assert.throws(() => counter.check('caller'), { code: 'rate_limited' })
})
