/** Look-ups that wait at the same moment share a statement. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { Refusal } from '../../src/contract/errors.ts'
import { batchLoader } from '../../src/database/batch-loader.ts'

test('look-ups share batches, and each gets the value of its own key', async () => {
  const sizes: number[] = []
  const load = batchLoader(async (keys: readonly number[]) => {
    sizes.push(keys.length)
    return keys.map((key) => key * 2)
  })
  const keys = Array.from({ length: 100 }, (_, i) => i)
  assert.deepEqual(
    await Promise.all(keys.map((key) => load(key))),
    keys.map((key) => key * 2),
  )
  assert(sizes.every((size) => size <= limits.batchLoaderMaxKeys))
  assert(sizes.length < 10)
})

test('a key that several callers look up at once is asked for once', async () => {
  const asked: string[][] = []
  const load = batchLoader(async (keys: readonly Buffer[]) => {
    asked.push(keys.map(String))
    return keys.map((key) => `value of ${String(key)}`)
  })
  const values = await Promise.all(['a', 'b', 'a', 'b', 'a'].map((key) => load(Buffer.from(key))))
  assert.deepEqual(
    values,
    ['a', 'b', 'a', 'b', 'a'].map((key) => `value of ${key}`),
  )
  assert.deepEqual(asked, [['a', 'b']])
})

test('the queue is bounded: a further look-up is refused, and the others are answered', async () => {
  let answer = (): void => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const load = batchLoader(async (keys: readonly number[]) => held.then(() => [...keys]))
  const running = Array.from({ length: 2 * limits.batchLoaderMaxKeys }, (_, i) => load(i))
  await new Promise(setImmediate)
  const waiting = Array.from({ length: limits.batchLoaderMaxWaiting }, (_, i) => load(i))
  await assert.rejects(load(0), (error) => {
    return error instanceof Refusal && error.code === 'service_unavailable'
  })
  answer()
  assert.equal(
    (await Promise.all([...running, ...waiting])).length,
    running.length + waiting.length,
  )
})

test('a failed batch fails its own look-ups only', async () => {
  const load = batchLoader(async (keys: readonly number[]) => {
    if (keys.includes(1)) throw new Error('no')
    return [...keys]
  })
  await assert.rejects(load(1), { message: 'no' })
  assert.equal(await load(2), 2)
})

test('look-ups whose callers have hung up are dropped while they wait, and leave their places', async () => {
  let answer = (): void => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const asked: number[] = []
  const load = batchLoader(async (keys: readonly number[]) => {
    asked.push(...keys)
    await held
    return [...keys]
  }, 1)
  const first = load(-1)
  await new Promise(setImmediate)
  let isGone = false
  const count = limits.batchLoaderMaxKeys * 3
  const gone = Array.from({ length: count }, (_, i) => load(i, () => isGone))
  const last = load(-2)
  isGone = true
  answer()
  const outcomes = await Promise.allSettled(gone)
  assert.deepEqual([await first, await last], [-1, -2])
  assert(outcomes.every((one) => one.status === 'rejected'))
  assert.deepEqual(asked, [-1, -2], 'none of them was asked for, and nobody waited behind them')
})
