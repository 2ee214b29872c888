/**
 * Lost keys of a service with the embedded PostgreSQL, which does not start without them: the
 * commands that mend that run PostgreSQL themselves.
 */
import assert from 'node:assert/strict'
import { chown, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../support/processes/cluster-processes.ts'
import {
  launchProgram,
  readyAddress,
  runAdmin,
  startupErrorOf,
} from '../support/processes/program.ts'

const DATA_DIR = temporaryDirectory()
const admin = (...args: string[]) => runAdmin(args, { DATA_DIR })

test('a command needs no running service, and leaves nothing running', async () => {
  const first = launchProgram({ DATA_DIR })
  await readyAddress(first)
  const whileItRuns = await admin('server-key', 'forget')
  assert.equal(whileItRuns.exitCode, 1)
  assert.match(
    whileItRuns.stderr,
    /^The service is running: stop all its processes first\. Connection docex .* \d+\.\n$/,
  )
  await first.stop()
  const lists = await admin('organization', 'list')
  assert.match(lists.stdout, /"Practice Organization": sandbox/, lists.stderr)
})

test('a command finds PostgreSQL when its port has changed since sandbox.json was written', async () => {
  const path = join(DATA_DIR, 'sandbox.json')
  const file = JSON.parse(await readFile(path, 'utf8'))
  const database_url = file.database_url.replace(/:\d+\//, ':1/')
  await writeFile(path, JSON.stringify({ ...file, database_url }))
  const lists = await admin('organization', 'list')
  assert.match(lists.stdout, /"Practice Organization": sandbox/, lists.stderr)
})

const cannotChown = process.getuid?.() !== 0 && 'only root gives files away'

test(
  'a command of another user than the service leaves its files alone',
  { skip: cannotChown },
  async () => {
    const lock = join(DATA_DIR, 'postgres.lock')
    await chown(lock, 1, 1)
    const refused = await admin('organization', 'list')
    assert.equal(refused.exitCode, 1)
    assert.match(
      refused.stderr,
      /^PostgreSQL does not run, .* id 1: run this command as that user\.\n$/,
    )
    await chown(lock, 0, 0)
  },
)

test('a lost server key is forgotten, and lost log keys begin an epoch, while nothing runs', async () => {
  await rm(join(DATA_DIR, 'server.key'))
  assert.match(await startupErrorOf({ DATA_DIR }), /^SERVER_KEY=… cannot be used: .* forget\n/m)
  const forgotten = await admin('server-key', 'forget')
  assert.equal(forgotten.exitCode, 0, forgotten.stderr)
  await rm(join(DATA_DIR, 'provenance'), { recursive: true })
  assert.match(await startupErrorOf({ DATA_DIR }), /new-log-epoch/)
  for (const log of ['live', 'test']) {
    const begun = await admin('new-log-epoch', '--log', log, '--keys-lost')
    assert.equal(begun.exitCode, 0, begun.stderr)
  }
  const program = launchProgram({ DATA_DIR })
  await readyAddress(program)
  await program.stop()
})

test('of a file that names no database, and of a PostgreSQL that cannot start, one line is printed', async () => {
  await writeFile(join(DATA_DIR, 'sandbox.json'), 'null')
  assert.equal((await admin('organization', 'list')).exitCode, 0)
  await writeFile(join(DATA_DIR, 'postgres', 'postgresql.auto.conf'), 'no_setting = 1\n')
  const broken = await admin('organization', 'list')
  assert.equal(broken.exitCode, 1)
  assert.match(broken.stderr, /^PostgreSQL does not start:.*\n$/)
})
