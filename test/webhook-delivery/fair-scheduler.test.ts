/** Fairness between endpoints, with attempts that a test ends by hand. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { type FairQueue, FairScheduler } from '../../src/webhook-delivery/fair-scheduler.ts'

interface TestEndpoint extends FairQueue {
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

/** Turns whose attempts go on until their test ends them; and what started, in order. */
const runScheduler = (endpoints: readonly TestEndpoint[]) => {
  const started: string[] = []
  const ends = new Map<string, (() => void)[]>()
  const scheduler = new FairScheduler<TestEndpoint>((endpoint) => {
    endpoint.left -= 1
    started.push(endpoint.id)
    return new Promise<void>((end) =>
      ends.set(endpoint.id, [...(ends.get(endpoint.id) ?? []), end]),
    )
  })
  for (const endpoint of endpoints) scheduler.offer(endpoint)
  scheduler.dispatch()
  return {
    turns: scheduler,
    started,
    end: async (id: string) => {
      ends.get(id)!.shift()!()
      await new Promise(setImmediate)
    },
  }
}

let now = 0
mock.method(performance, 'now', () => now)

test('endpoints take turns, one delivery each, at most eight of one in flight', async () => {
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

test('a slow endpoint gets one at a time, until it answers quickly again', async () => {
  now = 0
  const slow = testEndpoint('slow', 40)
  const { started, end, turns: scheduler } = runScheduler([slow])
  assert.equal(started.length, 8)
  now += limits.slowResponseMs
  scheduler.dispatch()
  for (let i = 0; i < 7; i += 1) await end('slow')
  assert.deepEqual([started.length, slow.inFlight], [8, 1], 'the last of the eight must end first')
  await end('slow')
  assert.deepEqual([started.length, slow.inFlight], [9, 1])
  await end('slow')
  assert.equal(slow.inFlight, 8, 'it answered at once')
})

test('however many hang, a fast endpoint waits for the first bursts only, then for nobody', async () => {
  now = 0
  const hanging = Array.from({ length: 2_000 }, (_, i) => testEndpoint(`hangs ${i}`, 100))
  const { turns: scheduler, end } = runScheduler(hanging)
  assert.equal(scheduler.inFlight, limits.concurrentFastDeliveriesMax)
  const fast = testEndpoint('fast', 50)
  scheduler.offer(fast)
  scheduler.dispatch()
  assert.equal(fast.inFlight, 0, 'the first burst takes all there is')
  now += limits.slowResponseMs
  scheduler.dispatch()
  assert(fast.inFlight > 0, 'it has its turn before those that are slow')
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
  assert.equal(another.inFlight, 8, 'all that hang are known: it starts at once')
  assert(scheduler.inFlight <= limits.concurrentDeliveriesMax)
})
