/**
 * Provenance 8: a stranger who holds the lock of a log keeps events from being logged, and not
 * without an alarm. Processes that take turns at the lock raise none.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { integrateUnlessWaiting } from '../../src/changes/provenance/paced-integration.ts'
import { limits } from '../../src/contract/limits.ts'
import { openSigningBackoff } from '../../src/notary/signing-backoff.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { anInvoice } from '../support/fixtures.ts'

const { running, pair } = await startTradingPair({ PROCESS_ROLE: 'api' })
const { database, logLines } = running
const alarms = () => logLines.filter((line) => line.includes('log_not_signed')).length

const aClock = (t: TestContext) => {
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
  return { pass: (ms: number) => (nowMs += ms) }
}

test('whoever holds the lock for a minute, while nothing is logged, raises the alarm', async (t) => {
  await anInvoice(running, pair)
  const { pass } = aClock(t)
  const lock = `hashtextextended('provenance log test', 0)`
  await database.script(`select pg_advisory_lock(${lock})`)
  const isBusy = async () => (await integrateUnlessWaiting(running.service.context, 'test'))?.isBusy
  for (let ms = 0; ms < limits.logLockedMaxMs; ms += 5_000) {
    assert.equal(await isBusy(), true)
    assert.equal(alarms(), 0)
    pass(5_000)
  }
  assert.equal(await isBusy(), true)
  assert.equal(alarms(), 1)
  await database.script(`select pg_advisory_unlock(${lock})`)
  assert.equal(await isBusy(), false)
  assert.equal(alarms(), 1)
})

test('a log that grows, or whose lock is free in between, is not held up', (t) => {
  const { pass } = aClock(t)
  const backoff = openSigningBackoff()
  for (let n = 0; n < 100; n += 1) {
    assert.equal(backoff.noteLocked('grows/1', n), false)
    assert.equal(backoff.noteLocked('is-free/1', 7), false)
    if (n % 10 === 9) backoff.noteSuccess('is-free/1')
    pass(5_000)
  }
  for (let n = 0; n < 5; n += 1) {
    assert.equal(backoff.noteLocked('is-met-seldom/1', 7), false)
    pass(limits.logLockedMaxMs)
  }
})
