/** Fairness between endpoints, with attempts that a test ends by hand. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { type Turn, Turns } from '../../src/webhook-delivery/fair-scheduler.ts'

interface Endpoint extends Turn {
  left: number
}

const anEndpoint = (id: string, left: number): Endpoint => ({
  id,
  left,
  inFlight: 0,
  waiting() {
    return this.left
  },
})

/** Turns whose attempts go on until their test ends them; and what started, in order. */
const scene = (endpoints: readonly Endpoint[]) => {
  const started: string[] = []
  const ends = new Map<string, (() => void)[]>()
  const turns = new Turns<Endpoint>((endpoint) => {
    endpoint.left -= 1
    started.push(endpoint.id)
    return new Promise<void>((end) =>
      ends.set(endpoint.id, [...(ends.get(endpoint.id) ?? []), end]),
    )
  })
  for (const endpoint of endpoints) turns.offer(endpoint)
  turns.run()
  return {
    turns,
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
  const { started, end } = scene([anEndpoint('a', 20), anEndpoint('b', 3), anEndpoint('c', 1)])
  assert.equal(started.slice(0, 6).join(''), 'abcaba')
  assert.equal(started.filter((id) => id === 'a').length, 8)
  await end('a')
  assert.equal(started.filter((id) => id === 'a').length, 9)
})

test('a slow endpoint gets one at a time, until it answers quickly again', async () => {
  now = 0
  const slow = anEndpoint('slow', 40)
  const { started, end, turns } = scene([slow])
  assert.equal(started.length, 8)
  now += limits.slowAnswerMs
  turns.run()
  for (let i = 0; i < 7; i += 1) await end('slow')
  assert.deepEqual([started.length, slow.inFlight], [8, 1], 'the last of the eight must end first')
  await end('slow')
  assert.deepEqual([started.length, slow.inFlight], [9, 1])
  await end('slow')
  assert.equal(slow.inFlight, 8, 'it answered at once')
})

test('however many hang, a fast endpoint waits for the first bursts only, then for nobody', async () => {
  now = 0
  const hanging = Array.from({ length: 2_000 }, (_, i) => anEndpoint(`hangs ${i}`, 100))
  const { turns, end } = scene(hanging)
  assert.equal(turns.inFlight, limits.fastDeliveriesAtOnce)
  const fast = anEndpoint('fast', 50)
  turns.offer(fast)
  turns.run()
  assert.equal(fast.inFlight, 0, 'the first burst takes all there is')
  now += limits.slowAnswerMs
  turns.run()
  assert(fast.inFlight > 0, 'it has its turn before those that are slow')
  while (fast.inFlight > 0) await end('fast')

  for (let i = 0; i < 2; i += 1) {
    now += limits.slowAnswerMs
    turns.run()
    while (fast.inFlight > 0) await end('fast')
  }
  assert.equal(fast.left, 0)
  const another = anEndpoint('another', 8)
  turns.offer(another)
  turns.run()
  assert.equal(another.inFlight, 8, 'all that hang are known: it starts at once')
  assert(turns.inFlight <= limits.deliveriesAtOnce)
})
