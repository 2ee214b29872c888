/** Fairness between endpoints, with attempts that the test completes. */
import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { type ScheduledQueue, FairScheduler } from '../../src/webhook-delivery/fair-scheduler.ts'

interface TestEndpoint extends ScheduledQueue {
  left: number
}

const testEndpoint = (id: string, left: number): TestEndpoint => ({
  id,
  left,
  inFlight: 0,
  waitingCount() {
    return this.left
  },
})

/** A scheduler whose attempts run until the test ends them, and the ids in starting order. */
const runScheduler = (endpoints: readonly TestEndpoint[]) => {
  const started: string[] = []
  const ends = new Map<string, ((isSent: boolean) => void)[]>()
  const scheduler = new FairScheduler<TestEndpoint>((endpoint) => {
    endpoint.left -= 1
    started.push(endpoint.id)
    return new Promise<boolean>((end) =>
      ends.set(endpoint.id, [...(ends.get(endpoint.id) ?? []), end]),
    )
  })
  for (const endpoint of endpoints) scheduler.offer(endpoint)
  scheduler.dispatch()
  return {
    scheduler,
    started,
    end: async (id: string, isSent = true) => {
      ends.get(id)!.shift()!(isSent)
      await new Promise(setImmediate)
    },
  }
}

let now = 0
mock.method(performance, 'now', () => now)
after(() => mock.restoreAll())

test('endpoints alternate with one delivery each, and have at most eight in flight', async () => {
  const { started, end } = runScheduler([
    testEndpoint('a', 20),
    testEndpoint('b', 3),
    testEndpoint('c', 1),
  ])
  assert.equal(started.slice(0, 6).join(''), 'abcaba')
  assert.equal(started.filter((id) => id === 'a').length, 8)
  await end('a')
  assert.equal(started.filter((id) => id === 'a').length, 9)
})

test('a slow endpoint gets one delivery at a time until it responds quickly again', async () => {
  now = 0
  const slow = testEndpoint('slow', 40)
  const { started, end, scheduler } = runScheduler([slow])
  assert.equal(started.length, 8)
  now += limits.slowResponseMs
  scheduler.dispatch()
  for (let i = 0; i < 7; i += 1) await end('slow')
  assert.deepEqual([started.length, slow.inFlight], [8, 1], 'the other seven must end first')
  await end('slow')
  assert.deepEqual([started.length, slow.inFlight], [9, 1])
  await end('slow', false)
  assert.deepEqual([started.length, slow.inFlight], [10, 1], 'nothing was sent to it')
  await end('slow')
  assert.equal(slow.inFlight, 8, 'it responded quickly')
})

test('a fast endpoint waits only for the first bursts of endpoints that hang, however many there are', async () => {
  now = 0
  const hanging = Array.from({ length: 2_000 }, (_, i) => testEndpoint(`hanging ${i}`, 100))
  const { scheduler, end } = runScheduler(hanging)
  assert.equal(scheduler.inFlight, limits.concurrentFastDeliveriesMax)
  const fast = testEndpoint('fast', 50)
  scheduler.offer(fast)
  scheduler.dispatch()
  assert.equal(fast.inFlight, 0, 'the first burst takes all slots')
  now += limits.slowResponseMs
  scheduler.dispatch()
  assert(fast.inFlight > 0, 'it has priority over slow endpoints')
  while (fast.inFlight > 0) await end('fast')

  for (let i = 0; i < 2; i += 1) {
    now += limits.slowResponseMs
    scheduler.dispatch()
    while (fast.inFlight > 0) await end('fast')
  }
  assert.equal(fast.left, 0)
  const another = testEndpoint('another', 8)
  scheduler.offer(another)
  scheduler.dispatch()
  assert.equal(
    another.inFlight,
    8,
    'every hanging endpoint is known to be slow, so it starts at once',
  )
  assert(scheduler.inFlight <= limits.concurrentDeliveriesMax)
})
