/** Counts of wrong guesses: a process keeps them in its memory for a bounded number of people. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGuessCounter } from '../../../src/changes/identity/user-code-guesses.ts'
import { limits } from '../../../src/contract/limits.ts'

const openCounter = () =>
  openGuessCounter({ keyOf: ({ user }) => user, limit: 1, whose: 'of a test' })
const guessOf = (user: string) => ({ user, address: '192.0.2.1' })

test('a new person takes the place of the oldest one, and of no other', () => {
  const counter = openCounter()
  for (let i = 0; i <= limits.wrongUserCodesTrackedMax; i += 1) counter.record(guessOf(`user ${i}`))
  counter.check(guessOf('user 0'))
  assert.throws(() => counter.check(guessOf('user 1')), { code: 'rate_limited' })
  assert.throws(() => counter.check(guessOf(`user ${limits.wrongUserCodesTrackedMax}`)))
})

test('a window ends, and the next wrong guess begins another one', (t) => {
  const clock = t.mock.method(performance, 'now', () => 0)
  const counter = openCounter()
  const guess = guessOf('user')
  counter.record(guess)
  clock.mock.mockImplementation(() => limits.wrongUserCodeWindowMs - 1)
  assert.throws(() => counter.check(guess), { code: 'rate_limited' })
  clock.mock.mockImplementation(() => limits.wrongUserCodeWindowMs)
  counter.check(guess)
  counter.record(guess)
  assert.throws(() => counter.check(guess), { code: 'rate_limited' })
})
