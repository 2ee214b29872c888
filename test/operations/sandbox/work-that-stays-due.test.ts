/** Work that stays due after it has run hides no other from an advance of the clock (domain 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScheduledWork, nextWork, scheduledTask } from '../../../src/tasks/scheduled-work.ts'
import { startTestService } from '../../support/test-service.ts'

const { service } = await startTestService({ PROCESS_ROLE: 'api' })

test('domain 6: an advance passes over all that it has tried, however much that is', async () => {
  const ran: string[] = []
  const works = Array.from({ length: 7 }, (_, i): ScheduledWork => {
    const key = `work ${i}`
    return { dueAtMs: i, key, run: async () => void ran.push(key) }
  })
  const task = scheduledTask({
    name: 'stays-due',
    everyMs: 1_000,
    limit: 2,
    searches: [async (_, { limit }) => works.slice(0, limit)],
  })
  const of = { organizations: [], withinSeconds: 0 }
  const progress = { done: new Set<string>() }
  for (;;) {
    const next = await nextWork(service.context, [task], of, progress)
    if (next === undefined) break
    await next.run()
  }
  assert.deepEqual(
    ran,
    works.map(({ key }) => key),
  )
})
