/** The embedded PostgreSQL after SIGKILL of its own processes or of their owner. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { Client } from 'pg'

import { chooseAccount, spawnAs } from '../../src/embedded-postgres/os-account.ts'
import { findBinaries } from '../../src/embedded-postgres/binaries.ts'
import * as owners from '../support/processes/cluster-processes.ts'

const { hasPidFile, isLinux, isRoot, launch, ordinaryUserId, query, start, stop, until } = owners

/** The tests share one directory, so each starts with what the previous one left. */
const dataDir = join(owners.temporaryDirectory(), 'data')

/** The unfinished directories of the owners killed before. */
let leftovers: string[] = []

/** The moments of a first start, in order. */
const moments: [string, (owner: owners.ClusterProcess) => boolean][] = [
  ['initdb is about to run', ({ steps }) => steps.length > 0],
  ['initdb made its directories', () => hasNew('base')],
  ['initdb runs the bootstrap', () => hasNew('PG_VERSION')],
  ['initdb wrote the control file', () => hasNew('global/pg_control')],
  ['initdb copies the templates', () => hasNew('base/4')],
  ['the directory has its name', () => existsSync(join(dataDir, 'postgres'))],
  ['the server is about to run', ({ steps }) => steps.includes('starting PostgreSQL')],
  ['the server took its lock', () => hasPidFile(dataDir)],
  ['the server listens', () => existsSync(join(dataDir, 'postgres.port'))],
]

test('after SIGKILL at any moment of a first start, the next start works', async () => {
  for (const [moment, isReached] of moments) {
    leftovers = namesLike('postgres.new')
    const owner = launch({ dataDir })
    await until(moment, () => isReached(owner) || owner.url !== undefined)
    await owners.kill(owner)
  }
  const owner = await start({ dataDir })
  assert.equal(await query(owner.url, 'select 1'), '1')
  assert.deepEqual(namesLike('postgres.new'), [])
  await query(owner.url, 'create table stored (value int)')
  await stop(owner)
})

test('after SIGKILL of its owner, PostgreSQL shuts down', async () => {
  const owner = await start({ dataDir })
  await query(owner.url, 'insert into stored values (1)')
  const pid = owners.postmasterPid(dataDir)
  await owners.kill(owner)
  await until('PostgreSQL has ended', () => !owners.isAlive(pid))
  assert.equal(hasPidFile(dataDir), false)
  await assertStartsWith('1')
})

test('a start right after SIGKILL of the owner waits for the old PostgreSQL to end', async () => {
  const owner = await start({ dataDir })
  await query(owner.url, 'insert into stored values (2)')
  await owners.kill(owner)
  await assertStartsWith('1\n2')
})

test(
  'after SIGKILL of the owner, a start waits for a PostgreSQL that cannot end yet',
  { skip: !isLinux },
  async () => {
    const owner = await start({ dataDir })
    const pid = owners.postmasterPid(dataDir)
    process.kill(pid, 'SIGSTOP')
    await owners.kill(owner)
    const next = launch({ dataDir })
    await until('the next start waits', () => next.steps.includes('starting PostgreSQL'))
    assert.ok(owners.isAlive(pid))
    process.kill(pid, 'SIGCONT')
    await until('the next start is ready', () => next.url !== undefined)
    await stop(next)
  },
)

test('after SIGKILL of the owner and of a busy PostgreSQL, the next start recovers the data', async () => {
  const owner = await start({ dataDir })
  await query(owner.url, 'insert into stored values (3)')
  const busy = new Client({ connectionString: owner.url })
  busy.on('error', () => {})
  await busy.connect()
  const failedInsert = assert.rejects(busy.query('insert into stored select 4 from pg_sleep(60)'))
  process.kill(owners.postmasterPid(dataDir), 'SIGKILL')
  await owners.kill(owner)
  assert.equal(hasPidFile(dataDir), true)
  await assertStartsWith('1\n2\n3')
  await failedInsert
})

test(
  'after SIGKILL of both, a zombie with the pid in the lock file does not prevent a start',
  { skip: !isLinux },
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'])
    after(() => parent.kill('SIGKILL'))
    let zombie = 0
    parent.stdout.on('data', (line) => (zombie = Number(line)))
    await until('its parent does not wait for it', () =>
      owners.commandLine(parent.pid ?? 0).startsWith('sleep'),
    )
    await until('its pid is known', () => zombie > 0)
    process.kill(zombie, 'SIGKILL')
    await until('there is a zombie', () => owners.isZombie(zombie))
    await killBoth()
    setPostmasterPid(zombie)
    await assertStartsWith('1\n2\n3')
  },
)

test('after SIGKILL of both, another program with the pid in the lock file does not prevent a start', async () => {
  const other = spawn('sleep', ['600'])
  after(() => other.kill('SIGKILL'))
  await killBoth()
  setPostmasterPid(other.pid ?? 0)
  await assertStartsWith('1\n2\n3')
  assert.ok(owners.isAlive(other.pid ?? 0), 'the other program still runs')
})

test('a PostgreSQL that another program started on our files is left alone', async () => {
  const binaries = findBinaries(dataDir)
  const data = join(dataDir, 'postgres')
  const options = ['-D', data, '--listen_addresses=', `--unix_socket_directories=${data}`]
  const foreign = spawnAs(chooseAccount(binaries, dataDir), [binaries.postgres, ...options], {
    env: binaries.env,
    output: openSync('/dev/null', 'a'),
  })
  after(() => foreign.kill('SIGKILL'))
  await until('it has the directory', () => hasPidFile(dataDir))
  const expected = `The data directory ${data} is in use by PostgreSQL, process ${foreign.pid}.`
  assert.equal(await owners.refusal({ dataDir }), expected)
  foreign.kill('SIGINT')
  await until('it has ended', () => foreign.exitCode !== null)
  assert.equal(foreign.exitCode, 0)
  await assertStartsWith('1\n2\n3')
})

test('without setpriv, a watchdog ends PostgreSQL', async () => {
  const asUserId = isRoot ? { asUserId: ordinaryUserId } : {}
  const ownDir = join(owners.temporaryDirectory(asUserId.asUserId), 'data')
  const options = { dataDir: ownDir, brokenPrograms: ['setpriv'], ...asUserId }
  const owner = await start(options)
  const pid = owners.postmasterPid(ownDir)
  await owners.kill(owner)
  await until('PostgreSQL has ended', () => !owners.isAlive(pid))
  assert.equal(hasPidFile(ownDir), false)
  const again = await start(options)
  assert.equal(await query(again.url, 'select 1'), '1')
  await stop(again)
})

async function assertStartsWith(values: string): Promise<void> {
  const owner = await start({ dataDir })
  assert.equal(await query(owner.url, 'select value from stored order by 1'), values)
  await stop(owner)
  assert.equal(hasPidFile(dataDir), false)
}

async function killBoth(): Promise<void> {
  const owner = await start({ dataDir })
  const pid = owners.postmasterPid(dataDir)
  process.kill(pid, 'SIGKILL')
  await owners.kill(owner)
  await until('PostgreSQL is dead', () => !owners.isAlive(pid))
}

function setPostmasterPid(pid: number): void {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(pid)))
}

function hasNew(path: string): boolean {
  const names = namesLike('postgres.new').filter((name) => !leftovers.includes(name))
  return names.some((name) => existsSync(join(dataDir, name, path)))
}

function namesLike(prefix: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.startsWith(prefix)) : []
}
