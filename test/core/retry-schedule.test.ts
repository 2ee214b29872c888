/** The retry schedule of deliveries (specification 6.3.6, contract 7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import {
  hasSucceeded,
  retryDelayMs,
  parseRetryAfter,
} from '../../src/core/webhooks/retry-schedule.ts'

const { retryDelaysMs: schedule } = readConfig({}).webhooks
const minute = 60_000

const after = (attemptCount: number, more: object = {}) =>
  retryDelayMs(
    { attemptCount, responseStatus: 500, retryAfterSeconds: undefined, random: 0.5, ...more },
    schedule,
  )

test('6.3.6 a failure is retried after 1 m, 5 m, 30 m, 2 h and 8 h; the sixth attempt is the last', () => {
  const waits = [1, 2, 3, 4, 5, 6].map((attempts) => after(attempts))
  assert.deepEqual(waits, [...[1, 5, 30, 120, 480].map((n) => n * minute), undefined])
})

test('contract 7: a delay has ten per cent of jitter either way', () => {
  assert.equal(after(1, { random: 0 }), 0.9 * minute)
  assert.equal(after(1, { random: 1 }), 1.1 * minute)
})

test('contract 7: Retry-After of 429 and 503 is honoured, up to the next slot', () => {
  for (const responseStatus of [429, 503]) {
    const delayFor = (seconds: number, attempts = 1) =>
      after(attempts, { responseStatus, retryAfterSeconds: seconds })
    assert.equal(delayFor(200), 200_000)
    assert.equal(delayFor(3_600), 5 * minute)
    assert.equal(
      delayFor(1),
      minute,
      'never before its own slot, or six responses would end it in seconds',
    )
    assert.equal(delayFor(86_400, 5), 480 * minute)
    assert.equal(delayFor(86_400, 6), undefined)
  }
  assert.equal(after(1, { responseStatus: 500, retryAfterSeconds: 200 }), minute)
})

test('Retry-After is seconds or an HTTP date, and anything else is ignored', () => {
  const now = Date.parse('2026-11-21T09:00:00Z')
  assert.equal(parseRetryAfter('120', now), 120)
  assert.equal(parseRetryAfter('Sat, 21 Nov 2026 09:01:30 GMT', now), 90)
  assert.equal(parseRetryAfter('Sat, 21 Nov 2026 08:00:00 GMT', now), 0)
  for (const text of ['', 'soon', '-5', '1e9', '99999999999']) {
    assert.equal(parseRetryAfter(text, now), undefined, text)
  }
})

test('6.3.6 only a complete 2xx is a success', () => {
  assert.deepEqual(
    [200, 204, 299].map((status) => hasSucceeded(status, null)),
    [true, true, true],
  )
  assert.deepEqual(
    [199, 300, 302, 404, 410, 500, null].map((status) => hasSucceeded(status, null)),
    Array(7).fill(false),
  )
  assert.equal(hasSucceeded(200, 'no complete response within 15 s'), false)
})

test('WEBHOOK_RETRY_SCHEDULE must be five durations, or startup fails', () => {
  const read = (value: string) =>
    readConfig({ WEBHOOK_RETRY_SCHEDULE: value }).webhooks.retryDelaysMs
  assert.deepEqual(read('1s,2s, 3s,4s,500ms'), [1000, 2000, 3000, 4000, 500])
  for (const wrong of ['1s', '1s,2s,3s,4s,5s,6s', '1,2,3,4,5', 'a,b,c,d,e']) {
    assert.throws(() => read(wrong), /WEBHOOK_RETRY_SCHEDULE=.*five durations/)
  }
})
