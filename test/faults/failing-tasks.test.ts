/**
 * A task that fails, as all do while the database is away, is run less and less often until it
 * succeeds, and says when it is run again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { type Task, runTasks } from '../../src/tasks/runner.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const { service, database, logLines } = await startTestService()

const waitsOf = (name: string): number[] =>
  logLines
    .map((line) => JSON.parse(line) as { event: string; task?: string; retry_ms?: number })
    .filter(({ event, task }) => event === 'task_failed' && task === name)
    .map(({ retry_ms }) => retry_ms!)

/** Each wait is at most so long, and at least half as long. */
const assertWaits = (waits: readonly number[], longest: readonly number[]) => {
  for (const [i, most] of longest.entries()) {
    const wait = waits[i]!
    assert(wait >= most / 2 && wait <= most, `${wait} ms after failure ${i + 1}`)
  }
}

test('a task waits longer after each failure in a row, and anew after a success', async (t) => {
  let runs = 0
  const failing: Task = {
    name: 'failing',
    everyMs: 20,
    run: async () => {
      runs += 1
      if (runs === 6) return false
      throw new Error('the database is away')
    },
  }
  const runner = runTasks(service.context, [failing])
  t.after(runner.stop)
  await until('it has failed again after a success', () => waitsOf('failing').length >= 6)
  assertWaits(waitsOf('failing'), [20, 40, 80, 160, 320, 20])
})

test('a task that runs seldom is tried again soon, and less and less often', async (t) => {
  const failing: Task = {
    name: 'seldom',
    everyMs: 6 * 60 * 60_000,
    run: async () => {
      throw new Error('the processor is away')
    },
  }
  const runner = runTasks(service.context, [failing])
  t.after(runner.stop)
  await until('it has failed twice', () => waitsOf('seldom').length >= 2)
  assertWaits(waitsOf('seldom'), [limits.taskRetryMaxMs, 2 * limits.taskRetryMaxMs])
})

test('the worker that delivers webhooks does so, too', async () => {
  // On a busy machine a poll may have failed before.
  const before = waitsOf('deliver-webhooks').length
  const waits = () => waitsOf('deliver-webhooks').slice(before)
  await database.script('alter table webhook_endpoints rename to endpoints_away')
  await until('it has failed', () => waits().length >= 4)
  await database.script('alter table endpoints_away rename to webhook_endpoints')
  assertWaits(waits(), [500, 1_000, 2_000, limits.taskRetryMaxMs])
})
