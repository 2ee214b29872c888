/** The first and later starts of the embedded PostgreSQL, and who may use it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { hasProgram } from '../support/processes/has-program.ts'

import * as owners from '../support/processes/cluster-processes.ts'

const { isRoot, ordinaryUserId, query, refusal, start, stop, temporaryDirectory } = owners
const creating = 'creating the database (once)'

/** The required settings of every cluster, whichever account it runs under. */
const requiredSettings = [
  ['server_version_num / 10000', "current_setting('server_version_num')::int / 10000", '18'],
  ['data checksums', "current_setting('data_checksums')", 'on'],
  ['encoding', "current_setting('server_encoding')", 'UTF8'],
  ['time zone', "current_setting('TimeZone')", 'UTC'],
  ['fsync', "current_setting('fsync')", 'on'],
  ['synchronous_commit', "current_setting('synchronous_commit')", 'on'],
  ['full_page_writes', "current_setting('full_page_writes')", 'on'],
  ['parameters in the log', "current_setting('log_parameter_max_length')", '0'],
  ['order', "('B' < 'a')::text", 'true'],
  ['upper case', "upper('é')", 'É'],
]

test('a first start creates a durable database, and a second start keeps its data, password and port', async () => {
  const dataDir = join(temporaryDirectory(), 'a b%é', 'data')
  const first = await start({ dataDir, sync: true })
  assert.equal(first.steps[0], creating)
  for (const [what = '', expression, expected] of requiredSettings) {
    assert.equal(await query(first.url, `select ${expression}`), expected, what)
  }
  await query(first.url, 'create table stored as select 42 as value')
  await stop(first)
  assert.equal(owners.hasPidFile(dataDir), false)
  assert.deepEqual(owners.processesOf(dataDir), [])

  const second = await start({ dataDir, sync: true })
  assert.deepEqual(second.steps, ['starting PostgreSQL'])
  assert.equal(await query(second.url, 'select value from stored'), '42')
  assert.equal(second.url, first.url)
  assert.equal(second.loopbackUrl, first.loopbackUrl)
  await stop(second)
})

test('the loopback address requires the password, which only the owner can read', async () => {
  const dataDir = temporaryDirectory()
  const first = await start({ dataDir })
  const loopback = first.loopbackUrl ?? ''
  assert.equal(await query(loopback, 'select inet_server_addr()'), '127.0.0.1')
  await assert.rejects(query(loopback.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), /password/)
  const password = join(dataDir, 'postgres.password')
  assert.equal(statSync(password).mode & 0o777, 0o600)
  assert.equal(statSync(join(dataDir, 'postgres.socket')).mode & 0o777, 0o700)
  await stop(first)

  rmSync(password)
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(portOf(loopback), '127.0.0.1', resolve))
  const second = await start({ dataDir })
  taken.close()
  assert.notEqual(second.loopbackUrl, loopback, 'a lost password and a taken port are replaced')
  assert.equal(await query(second.loopbackUrl ?? '', 'select 1'), '1')
  await stop(second)
})

test('libpq accepts both URLs', { skip: !hasProgram('psql') }, async () => {
  const owner = await start({ dataDir: join(temporaryDirectory(), 'a b%é') })
  for (const url of [owner.url, owner.loopbackUrl ?? '']) {
    const args = [url, '-Atc', 'select current_database(), current_user']
    assert.equal(execFileSync('psql', args, { encoding: 'utf8' }).trim(), 'docex|postgres')
  }
  await stop(owner)
})

test('a second owner is refused in one line, and does not affect the first', async () => {
  const dataDir = temporaryDirectory()
  const owner = await start({ dataDir })
  const pid = owners.postmasterPid(dataDir)
  assert.equal(
    await refusal({ dataDir }),
    `The data directory ${dataDir} is in use by another service, process ${owner.child.pid} ` +
      `(its PostgreSQL is process ${pid}).`,
  )
  assert.equal(await query(owner.url, 'select 1'), '1')
  await stop(owner)
})

test('of two concurrent first starts, one is refused and the other works', async () => {
  const dataDir = temporaryDirectory()
  const both = [owners.launch({ dataDir }), owners.launch({ dataDir })]
  await owners.until('one is refused', () => both.some(({ refused }) => refused !== undefined))
  await owners.until('one is ready', () => both.some(({ url }) => url !== undefined))
  const winner = both.find(({ url }) => url !== undefined)
  assert.equal(await query(winner?.url ?? '', 'select 1'), '1')
  assert.match(both.map(({ refused }) => refused).join(''), /in use by another/)
})

test('if the path is too long for a socket, the socket is in the temporary directory', async () => {
  const dataDir = join(temporaryDirectory(), 'd'.repeat(100))
  for (const round of ['first', 'second']) {
    const owner = await start({ dataDir })
    const socket = await query(owner.url, "select current_setting('unix_socket_directories')")
    assert.equal(statSync(socket).mode & 0o777, 0o700, round)
    assert.ok(Buffer.byteLength(`${socket}/.s.PGSQL.65535`) <= 107, socket)
    await stop(owner)
    assert.equal(existsSync(socket), false, 'stop() leaves nothing behind')
  }
})

test('an error at start contains the message of PostgreSQL', async () => {
  const settings = { work_mem: 'plenty' }
  const message = await refusal({ dataDir: temporaryDirectory(), settings })
  assert.match(
    message,
    /^PostgreSQL does not start:\n.*invalid value for parameter "work_mem": "plenty"/,
  )
})

test('it runs below a home directory that no other account may enter', async () => {
  const home = temporaryDirectory()
  chmodSync(home, 0o700)
  const owner = await start({ dataDir: join(home, 'data') })
  assert.equal(await query(owner.url, 'select 1'), '1')
  await stop(owner)
  assert.equal(statSync(join(home, 'data', 'postgres')).uid, process.getuid?.())
})

test('it runs as an ordinary user', { skip: !isRoot }, async () => {
  const dataDir = join(temporaryDirectory(ordinaryUserId), 'data')
  const owner = await start({ dataDir, asUserId: ordinaryUserId })
  assert.equal(await query(owner.url, 'select 1'), '1')
  await stop(owner)
  assert.equal(statSync(join(dataDir, 'postgres')).uid, ordinaryUserId)
})

test(
  'as root without user namespaces, it gives the files to another account',
  { skip: !isRoot },
  async () => {
    const home = temporaryDirectory()
    const dataDir = join(home, 'data')
    const options = { dataDir, brokenPrograms: ['unshare'] }
    mkdirSync(dataDir, { mode: 0o700 })
    assert.match(await refusal(options), /cannot run here.*ordinary user/)
    chmodSync(home, 0o755)
    const owner = await start(options)
    assert.equal(await query(owner.url, 'select 1'), '1')
    assert.equal(statSync(join(dataDir, 'postgres')).uid, 65534)
    assert.equal(statSync(dataDir).mode & 0o777, 0o710)
    await owners.kill(owner)
    await owners.until('PostgreSQL has ended', () => !owners.hasPidFile(dataDir))
    const again = await start(options)
    await stop(again)
  },
)

function portOf(url: string): number {
  return Number(new URL(url).port)
}
