/** The queue that admits the requests of one class of work. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../src/contract/errors.ts'
import { FairQueue, RequestAbandoned, type Requester } from '../../src/database/fair-queue.ts'

const limits = {
  running: 2,
  runningPerOrganization: 1,
  waiting: 5,
  waitingPerOrganization: 3,
  waitMaxMs: 60_000,
}

/** Work that ends when the test says so, and the order in which it began. */
const openStage = (queue: FairQueue) => {
  const begun: string[] = []
  const endings = new Map<string, () => void>()
  return {
    begun,
    perform: (name: string, requester: Requester): Promise<void> =>
      queue.run(requester, () => {
        begun.push(name)
        return new Promise((resolve) => endings.set(name, resolve))
      }),
    end: async (name: string): Promise<void> => {
      endings.get(name)!()
      await new Promise(setImmediate)
    },
  }
}

const isOverload = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'service_unavailable' && error.retryAfterSeconds === 1

test('organizations take turns, and none takes all places', async () => {
  const { begun, perform, end } = openStage(new FairQueue(limits))
  for (const name of ['a1', 'a2', 'a3']) void perform(name, { organization: 'a' })
  void perform('b1', { organization: 'b' })
  void perform('b2', { organization: 'b' })
  void perform('c1', { organization: 'c' })
  assert.deepEqual(begun, ['a1', 'b1'])
  await end('a1')
  // The place that a left goes to whoever waits longest among those that may run.
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  await end('b1')
  assert.deepEqual(begun.at(-1), 'b2')
  await end('a2')
  assert.deepEqual(begun.at(-1), 'c1')
  await end('b2')
  assert.deepEqual(begun.at(-1), 'a3')
})

test('the queue is bounded in all and per organization, and refuses at once', async () => {
  const { perform } = openStage(new FairQueue(limits))
  const hangUp = new AbortController()
  const from = (organization: string) => ({ organization, signal: hangUp.signal })
  const waiting = ['a1', 'a2', 'a3', 'a4'].map((name) => perform(name, from('a')))
  await assert.rejects(perform('a5', from('a')), isOverload)
  waiting.push(perform('b1', from('b')), perform('b2', from('b')), perform('b3', from('b')))
  // Its own queue would be as long as the longest one.
  await assert.rejects(perform('b4', from('b')), isOverload)
  hangUp.abort()
  const outcomes = await Promise.allSettled(waiting.filter((_, i) => ![0, 4].includes(i)))
  assert(outcomes.every(({ status }) => status === 'rejected'))
})

test('a full queue refuses the newest of whoever has most waiting, and takes the newcomer', async () => {
  const { begun, perform, end } = openStage(new FairQueue(limits))
  const refused: string[] = []
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1', 'd1', 'e1']) {
    perform(name, { organization: name[0]! }).catch((error: unknown) => {
      assert(isOverload(error))
      refused.push(name)
    })
  }
  for (const name of ['a1', 'b1', 'a2', 'b2', 'c1']) await end(name)
  assert.deepEqual(refused, ['a4', 'a3', 'b3'])
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2', 'c1', 'd1', 'e1'])
})

test('a wait has a deadline', async () => {
  const { perform, end, begun } = openStage(new FairQueue({ ...limits, waitMaxMs: 5 }))
  void perform('a1', { organization: 'a' })
  await assert.rejects(perform('a2', { organization: 'a' }), isOverload)
  await end('a1')
  assert.deepEqual(begun, ['a1'])
})

test('a caller that hangs up leaves the queue, and its place in it', async () => {
  const { begun, perform, end } = openStage(new FairQueue(limits))
  const hangUp = new AbortController()
  void perform('a1', { organization: 'a' })
  const abandoned = perform('a2', { organization: 'a', signal: hangUp.signal })
  void perform('a3', { organization: 'a' })
  hangUp.abort()
  await assert.rejects(abandoned, RequestAbandoned)
  await end('a1')
  assert.deepEqual(begun, ['a1', 'a3'])
})

test('work that fails gives its place back', async () => {
  const queue = new FairQueue(limits)
  const failing = () => queue.run({ organization: 'a' }, () => Promise.reject(new Error('no')))
  await assert.rejects(failing(), { message: 'no' })
  assert.equal(await queue.run({ organization: 'a' }, async () => 'done'), 'done')
})

test('an organization rests for as long as its work took, and takes no place meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const now = t.mock.method(performance, 'now', () => 0)
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  const queue = new FairQueue({ ...limits, running: 1, restMaxMs: 200 })
  const { begun, perform, end } = openStage(queue)
  for (const name of ['a1', 'a2', 'a3']) void perform(name, { organization: 'a' })
  now.mock.mockImplementation(() => 50)
  await end('a1')
  void perform('b1', { organization: 'b' })
  assert.deepEqual(begun, ['a1', 'b1'])
  await end('b1')
  await pass(49)
  assert.deepEqual(begun, ['a1', 'b1'])
  await pass(1)
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  // Long work does not keep its organization away for long.
  now.mock.mockImplementation(() => 10_000)
  await end('a2')
  await pass(199)
  assert(!begun.includes('a3'))
  await pass(1)
  assert(begun.includes('a3'))
})
