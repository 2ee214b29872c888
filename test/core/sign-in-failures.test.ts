/** How long sign-ins wait after failures (console 2.5, docs/decisions/0175). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import {
  type FailureCount,
  type FailureRule,
  failureRules,
  isKnown,
  waitLeftMs,
  withFailure,
  withSuccess,
  withoutFailure,
} from '../../src/core/identity/sign-in-failures.ts'

const at = Date.parse('2026-11-29T08:00:00.000Z')
const none: FailureCount = {
  forgotten_at: new Date(at).toISOString(),
  refused_until: null,
  known_until: null,
}
const rules: [string, FailureRule][] = Object.entries(failureRules)
const rule = failureRules.accountOnNetwork

/** Fails so often, each time as soon as it is allowed; returns when the last one was. */
const failed = (of: FailureRule, times: number) => {
  let [count, nowMs] = [none, at]
  const waits: number[] = []
  for (let i = 0; i < times; i += 1) {
    nowMs += waitLeftMs(count, nowMs)
    count = withFailure(of, count, nowMs)
    waits.push(waitLeftMs(count, nowMs) / 1000)
  }
  return { count, nowMs, waits }
}

test('console 2.5: from the fifth failure on, each doubles the wait, up to five minutes', () => {
  const expected = [0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300]
  assert.deepEqual(failed(rule, expected.length).waits, expected)
})

for (const [name, of] of rules) {
  test(`of ${name}, no wait is longer than five minutes, and half a day forgets all`, () => {
    const { count, nowMs, waits } = failed(of, 2_000)
    assert(waits.every((seconds) => seconds * 1000 <= limits.signInWaitMaxMs))
    const later = withFailure(of, count, nowMs + 13 * 60 * 60 * 1000)
    assert.equal(waitLeftMs(later, nowMs + 13 * 60 * 60 * 1000), 0)
  })

  test(`of ${name}, one failure less counts after each ${of.forgottenMs / 1000} s`, () => {
    const { count, nowMs } = failed(of, of.freeFailures)
    assert.equal(waitLeftMs(count, nowMs), limits.signInFirstWaitMs)
    const soon = withFailure(of, count, nowMs + of.forgottenMs * 2)
    assert.equal(waitLeftMs(soon, nowMs + of.forgottenMs * 2), 0)
  })
}

test('a row that asks for a longer wait than there is makes nobody wait', () => {
  const waitOf = (leftMs: number) =>
    waitLeftMs({ ...none, refused_until: new Date(at + leftMs).toISOString() }, at)
  const most = limits.signInWaitMaxMs
  assert.deepEqual([waitOf(most), waitOf(most + 1), waitOf(-1)], [most, 0, 0])
})

test('one network alone never makes others wait for the account', () => {
  let [own, all, nowMs] = [none, none, at]
  for (let i = 0; i < 500; i += 1) {
    nowMs += waitLeftMs(own, nowMs)
    own = withFailure(rule, own, nowMs)
    all = withFailure(failureRules.account, all, nowMs)
    assert.equal(waitLeftMs(all, nowMs), 0)
  }
})

test('a success forgets the failures, and is known for a month; what did not fail never counted', () => {
  const { count, nowMs } = failed(rule, 8)
  const known = withSuccess(count, nowMs)
  assert.equal(waitLeftMs(known, nowMs), 0)
  assert.equal(waitLeftMs(withFailure(rule, known, nowMs), nowMs), 0)
  assert(isKnown(known, nowMs + limits.signInNetworkKnownMs - 1))
  assert(!isKnown(known, nowMs + limits.signInNetworkKnownMs))
  assert.deepEqual(withoutFailure(rule, withFailure(rule, none, at)), none)
})
