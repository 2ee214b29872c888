/**
 * A task that fails, as all do while the database is away, is run less and less often until it
 * succeeds, and says when it is run again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Task, runTasks } from '../../src/tasks/runner.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const { service, logLines } = await startTestService()

const waits = (): number[] =>
  logLines
    .map((line) => JSON.parse(line) as { event: string; task?: string; retry_ms?: number })
    .filter(({ event, task }) => event === 'task_failed' && task === 'failing')
    .map(({ retry_ms }) => retry_ms!)

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
  await until('it has failed again after a success', () => waits().length >= 6)
  const longest = [20, 40, 80, 160, 320, 20]
  for (const [i, most] of longest.entries()) {
    const wait = waits()[i]!
    assert(wait >= most / 2 && wait <= most, `${wait} ms after failure ${i + 1}`)
  }
})
