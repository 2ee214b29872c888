/**
 * A PostgreSQL that does not react, or is gone, holds nobody up: not its stop, not the next start,
 * and not the owner that runs on.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { Client } from 'pg'

import * as owners from '../support/processes/cluster-processes.ts'

const { isAlive, isLinux, keepStopped, query, start, stop, until } = owners

const anOwner = async () => {
  const dataDir = await owners.initializedDirectory()
  const owner = await start({ dataDir })
  await query(owner.url, 'create table stored as select 42 as value')
  return { dataDir, owner, postmaster: owners.postmasterPid(dataDir) }
}

const assertStored = async (url: string): Promise<void> =>
  assert.equal(await query(url, 'select value from stored'), '42')

test('a stop ends a PostgreSQL that was stopped by a signal', async () => {
  const { dataDir, owner, postmaster } = await anOwner()
  process.kill(postmaster, 'SIGSTOP')
  await stop(owner)
  assert.equal(owners.hasPidFile(dataDir), false, 'it shut down in order')
  assert.equal(owner.child.exitCode, 0)
})

test('a stop kills a PostgreSQL that does not react, and nothing is lost', async () => {
  const { dataDir, owner, postmaster } = await anOwner()
  keepStopped(postmaster)
  await stop(owner)
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
  const next = await start({ dataDir })
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
    const next = await start({ dataDir })
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
    const back = 'PostgreSQL accepts connections again'
    await until('it is back', () => owner.steps.at(-1) === back)
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
  await assertStored(owner.url)
  assert.deepEqual(owner.steps.slice(-1), ['starting PostgreSQL'])
  await stop(owner)
})

const skip = process.env['LONG'] !== '1' && 'waits for several probes: LONG=1'

/** Counts what PostgreSQL has logged since the beginning. */
const logged = (dataDir: string, text: string): number =>
  readFileSync(join(dataDir, 'postgres.log'), 'utf8').split(text).length - 1

test(
  'a PostgreSQL that takes two seconds to accept a connection is left alone',
  { skip },
  async () => {
    const { dataDir, owner, postmaster } = await anOwner()
    await query(owner.url, "alter system set pre_auth_delay = '2s'")
    await query(owner.url, "alter system set log_connections = 'authorization'")
    await query(owner.url, 'select pg_reload_conf()')
    const probes = () => logged(dataDir, 'database=postgres')
    const before = probes()
    // Two of three have given up before they are answered.
    await until('it was probed', () => probes() >= before + 4)
    assert.doesNotMatch(owner.steps.join('\n'), /again/)
    assert.equal(owners.postmasterPid(dataDir), postmaster)
    await assertStored(owner.url)
    await stop(owner)
  },
)

test('a PostgreSQL whose connections are all taken is left alone', { skip }, async () => {
  const dataDir = join(owners.temporaryDirectory(), 'data')
  const settings = { max_connections: '4', superuser_reserved_connections: '0' }
  const owner = await start({ dataDir, settings })
  await query(owner.url, 'create table stored as select 42 as value')
  const postmaster = owners.postmasterPid(dataDir)
  const clients = Array.from({ length: 4 }, () => new Client({ connectionString: owner.url }))
  for (const client of clients) await client.connect()
  const refusedProbes = () => logged(dataDir, 'too many clients already')
  await until('it was probed', () => refusedProbes() >= 4)
  assert.doesNotMatch(owner.steps.join('\n'), /again/)
  assert.equal(owners.postmasterPid(dataDir), postmaster)
  const [reader] = clients
  assert.equal((await reader!.query('select value from stored')).rows[0].value, 42)
  for (const client of clients) await client.end()
  await assertStored(owner.url)
  await stop(owner)
})
