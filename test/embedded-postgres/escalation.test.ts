/**
 * A PostgreSQL that does not react, or is gone, holds nobody up: not its stop, not the next start,
 * and not the owner that runs on.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'

import { Client } from 'pg'

import * as owners from '../support/processes/cluster-processes.ts'

const { isAlive, isLinux, keepStopped, query, start, stop, until } = owners
const backWithinMs = 15_000

const anOwner = async () => {
  const dataDir = join(owners.temporaryDirectory(), 'data')
  const owner = await start({ dataDir })
  await query(owner.url, 'create table stored as select 42 as value')
  return { dataDir, owner, postmaster: owners.postmasterPid(dataDir) }
}

const assertStored = async (url: string): Promise<void> =>
  assert.equal(await query(url, 'select value from stored'), '42')

/** Fails unless the work is done in time, however long the test may wait for it. */
const inTime = async <T>(work: Promise<T>): Promise<T> => {
  const startedAt = performance.now()
  const result = await work
  const tookMs = Math.round(performance.now() - startedAt)
  assert.ok(tookMs < backWithinMs, `took ${tookMs} ms`)
  return result
}

test('a stop ends a PostgreSQL that was stopped by a signal', async () => {
  const { dataDir, owner, postmaster } = await anOwner()
  process.kill(postmaster, 'SIGSTOP')
  await inTime(stop(owner))
  assert.equal(owners.hasPidFile(dataDir), false, 'it shut down in order')
  assert.equal(owner.child.exitCode, 0)
})

test('a stop kills a PostgreSQL that does not react, and nothing is lost', async () => {
  const { dataDir, owner, postmaster } = await anOwner()
  keepStopped(postmaster)
  await inTime(stop(owner))
  assert.equal(owner.child.exitCode, 0)
  assert.ok(!isAlive(postmaster))
  assert.deepEqual(owners.processesOf(dataDir), [])
  const next = await start({ dataDir })
  await assertStored(next.url)
  await stop(next)
})

test('a start kills the PostgreSQL of a dead owner that does not react', async () => {
  const { dataDir, owner, postmaster } = await anOwner()
  keepStopped(postmaster)
  await owners.kill(owner)
  const next = await inTime(start({ dataDir }))
  await assertStored(next.url)
  await stop(next)
})

test(
  'a start kills the stopped children of a dead PostgreSQL, which keep its shared memory',
  { skip: !isLinux },
  async () => {
    const { dataDir, owner, postmaster } = await anOwner()
    const child = owners.childrenOf(postmaster, /checkpointer/)[0]!
    keepStopped(child)
    process.kill(postmaster, 'SIGKILL')
    await owners.kill(owner)
    assert.ok(isAlive(child))
    const next = await inTime(start({ dataDir }))
    assert.ok(!isAlive(child))
    await assertStored(next.url)
    await stop(next)
  },
)

/** What happens to PostgreSQL alone, and what its owner reports. */
const faults: [string, RegExp, (postmaster: number) => void][] = [
  ['is killed', /ended by itself/, (postmaster) => process.kill(postmaster, 'SIGKILL')],
  ['does not react', /takes no connections/, keepStopped],
  ['waits for its clients to leave', /stands still/, (pid) => process.kill(pid, 'SIGTERM')],
]

for (const [fault, report, cause] of faults) {
  test(`PostgreSQL starts again on the same address when it ${fault}`, async () => {
    const { dataDir, owner, postmaster } = await anOwner()
    const client = new Client({ connectionString: owner.url })
    client.on('error', () => {})
    await client.connect()
    cause(postmaster)
    await inTime(
      until('it is back', () => owner.steps.at(-1) === 'PostgreSQL accepts connections again'),
    )
    assert.match(owner.steps.join('\n'), report)
    assert.notEqual(owners.postmasterPid(dataDir), postmaster)
    await assertStored(owner.url)
    await assertStored(owner.loopbackUrl!)
    await stop(owner)
    assert.equal(owner.child.exitCode, 0)
  })
}

test('a PostgreSQL that was stopped by a signal goes on without a restart', async () => {
  const { owner, postmaster } = await anOwner()
  process.kill(postmaster, 'SIGSTOP')
  await inTime(assertStored(owner.url))
  assert.deepEqual(owner.steps.slice(-1), ['starting PostgreSQL'])
  await stop(owner)
})
