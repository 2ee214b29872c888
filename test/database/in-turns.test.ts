/** Long computations let others have their turns, however many there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns } from '../../src/database/in-turns.ts'

const stepMs = 2

/** Keeps the thread busy for so many steps. */
function* busy(steps: number): Generator<void, number> {
  for (let step = 0; step < steps; step += 1) {
    const until = performance.now() + stepMs
    while (performance.now() < until);
    yield
  }
  return steps
}

/** How many steps others wait for at most while these computations run, and their results. */
const longestWait = async (computations: readonly number[]) => {
  let done = 0
  let steps = 0
  let longest = 0
  let before = 0
  const counted = function* (count: number): Generator<void, number> {
    for (const step of busy(count)) {
      steps += 1
      yield step
    }
    return count
  }
  const look = () => {
    longest = Math.max(longest, steps - before)
    before = steps
    if (done < computations.length) setImmediate(look)
  }
  setImmediate(look)
  const results = await Promise.all(
    computations.map(async (count) => {
      const result = await inTurns(counted(count))
      done += 1
      return result
    }),
  )
  return { longest, results }
}

test('the computations of all callers have one short turn together before others have theirs', async () => {
  const computations = Array<number>(20).fill(10)
  const { longest, results } = await longestWait(computations)
  assert.deepEqual(results, computations)
  // A turn of 10 ms has five of these steps; on a busy machine each takes longer, so fewer fit.
  assert(longest <= 10, `others waited for ${longest} steps of 200`)
})

test('whoever has waited longest goes on, so a short computation waits for no long one', async () => {
  const order: string[] = []
  const run = async (name: string, steps: number) => {
    await inTurns(busy(steps))
    order.push(name)
  }
  await Promise.all([run('long', 60), run('short', 6)])
  assert.deepEqual(order, ['short', 'long'])
})

test('a computation that fails lets the others go on', async () => {
  const failing = function* (): Generator<void, never> {
    yield* busy(10)
    throw new Error('broken')
  }
  const others = [inTurns(busy(10)), inTurns(busy(10))]
  await assert.rejects(inTurns(failing()), /broken/)
  assert.deepEqual(await Promise.all(others), [10, 10])
})
