/** The processes of a deployment share one server key, one keys folder and one practice pair. */
import assert from 'node:assert/strict'
import { mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openKeyring } from '../../src/startup/keyring.ts'
import { openNotary } from '../../src/notary/notary.ts'
import type { SandboxFile } from '../../src/startup/practice-organizations.ts'
import { sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { testDatabase, testServer } from '../support/database/postgres.ts'
import {
  launchProgram,
  readyAddress,
  runAdmin,
  runProgram,
  startupErrorOf,
} from '../support/processes/program.ts'
import { callApi } from '../support/api-client.ts'
import { until } from '../support/until.ts'
import { sharedBodies } from '../support/provenance/stored-history.ts'
import { temporaryDirectory } from '../support/processes/cluster-processes.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const serverKey = 'the one server key of these tests, 32 or more'

// The server must outlive the first test that uses it.
await testServer()

/** Creates a database, and settings for processes on it, each with its own DATA_DIR. */
const aDeployment = async () => {
  const { url } = await testDatabase()
  const keysDir = temporaryDirectory()
  const settings = (more: Record<string, string> = {}) => ({
    DATABASE_URL: url,
    SERVER_KEY: serverKey,
    DATA_DIR: temporaryDirectory(),
    PROVENANCE_KEYS_DIR: keysDir,
    ...more,
  })
  const count = async (table: 'organizations' | 'keys'): Promise<number> => {
    const connection = await openTestConnection(url)
    const query = table === 'keys' ? sql`select 1 from keys` : sql`select 1 from organizations`
    const rows = await connection.rows(query)
    await connection.close()
    return rows.length
  }
  return { url, settings, count }
}

/** Starts a process, stops it once it is ready, and returns its output. */
const outputOfRun = async (settings: Record<string, string>): Promise<string> => {
  const program = runProgram(settings)
  await readyAddress(program)
  await program.stop()
  return program.output()
}

const refusalOf = (settings: Record<string, string>): Promise<string> =>
  startupErrorOf(settings, runProgram)

const documentsOf = async (url: string): Promise<number> => {
  const connection = await openTestConnection(url)
  const rows = await connection.rows(sql`select 1 from documents`)
  await connection.close()
  return rows.length
}

const sandboxFileOf = async ({ DATA_DIR }: { DATA_DIR: string }): Promise<SandboxFile> =>
  JSON.parse(await readFile(join(DATA_DIR, 'sandbox.json'), 'utf8')) as SandboxFile

test('a process with another SERVER_KEY does not start until the first key is forgotten', async () => {
  const { settings } = await aDeployment()
  const first = settings()
  await outputOfRun(first)
  const other = settings({ SERVER_KEY: 'a server key that is another one, 32 or more' })
  const startupError = await refusalOf(other)
  assert.match(
    startupError,
    /^SERVER_KEY=… cannot be used: this database uses a different server key/,
  )
  assert(!startupError.includes(other.SERVER_KEY) && !startupError.includes(serverKey))
  await outputOfRun(first)

  const forgotten = await runAdmin(['server-key', 'forget'], other)
  assert.equal(forgotten.exitCode, 0, forgotten.stderr)
  await outputOfRun(other)
  assert.match(await refusalOf(first), /^SERVER_KEY=/)
})

test('a process with another PROVENANCE_KEYS_DIR does not start, and creates no keys there', async () => {
  const { url, settings } = await aDeployment()
  const first = settings()
  await outputOfRun(first)
  const empty = temporaryDirectory()
  const startupError = await refusalOf(settings({ PROVENANCE_KEYS_DIR: empty }))
  assert.match(
    startupError,
    new RegExp(`^PROVENANCE_KEYS_DIR=${empty} cannot be used: it lacks the key `),
  )
  assert.match(startupError, /Use the folder of the other processes/)
  assert.deepEqual(await readdir(empty), [])

  // A crash leaves a key in the folder that is not yet in the database.
  const notary = await openNotary({
    provenanceKeysDir: first.PROVENANCE_KEYS_DIR,
    provenanceOrigin: 'localhost',
  })
  await notary.addKey('test', 1_000, new Date().toISOString())
  await outputOfRun(first)

  // The folder is lost: both logs start a new epoch, which records the old checkpoint.
  const fresh = settings({ PROVENANCE_KEYS_DIR: empty })
  for (const log of ['live', 'test']) {
    const command = ['new-log-epoch', '--log', log]
    const refused = await runAdmin(command, fresh)
    assert.equal(refused.exitCode, 1)
    assert.match(refused.stderr, /--keys-lost/)
    const started = await runAdmin([...command, '--keys-lost'], fresh)
    assert.equal(started.exitCode, 0, started.stderr)
    assert.match(started.stdout, new RegExp(`/${log}/2 now`))
  }
  await outputOfRun(fresh)
  assert.match(await refusalOf(first), /^PROVENANCE_KEYS_DIR=/)
  const connection = await openTestConnection(url)
  await until('the new epoch has its first leaf', async () => {
    const logged = sql`select document_id, seq from log_queue where log_id = 'test'
      union all select document_id, seq from log_leaf where log_id = 'test' and idx = 0`
    const bodies = await sharedBodies(connection, sql`(e.document_id, e.seq) in (${logged})`)
    const leaf = bodies.find((body) => body.includes('epoch_begun'))
    return leaf?.includes('/test/1\\n') === true
  })
  await connection.close()
})

test('a process of an older build does not start on a database that a newer build has migrated', async () => {
  const { url, settings } = await aDeployment()
  await outputOfRun(settings())
  const connection = await openTestConnection(url)
  await connection.run(sql`
    insert into migrations (number, name, checksum) values (9999, '9999-future.sql', '')`)
  await connection.close()
  assert.match(
    await refusalOf(settings()),
    /^The service could not start: The database has migration 9999-future\.sql, which this build/,
  )
})

test('of processes that start concurrently with different key folders, only one starts', async () => {
  const { settings } = await aDeployment()
  const all = [1, 2, 3].map(() => settings({ PROVENANCE_KEYS_DIR: temporaryDirectory() }))
  const programs = all.map(launchProgram)
  const isReady = (output: string) => /ready on/.test(output)
  await until('each is ready or has exited', () =>
    programs.every(({ output, exitStatus }) => isReady(output()) || exitStatus() !== null),
  )
  const others = programs.filter(({ output }) => !isReady(output()))
  assert.equal(others.length, 2)
  for (const { output } of others) assert.match(output(), /^PROVENANCE_KEYS_DIR=/m)
})

test('three processes that start concurrently on one database create one practice pair', async () => {
  const { settings, count } = await aDeployment()
  const all = [settings(), settings(), settings()]
  const programs = all.map((one) => launchProgram(one))
  await Promise.all(programs.map(readyAddress))
  assert.equal(await count('organizations'), 4)
  assert.equal(await count('keys'), 2)
  const creators = programs.filter(({ output }) => output().includes('provisioned a practice pair'))
  assert.equal(creators.length, 1)
  const { DATA_DIR } = all[programs.indexOf(creators[0]!)]!
  for (const { output } of programs.filter((one) => one !== creators[0])) {
    assert(output().includes(join(DATA_DIR, 'sandbox.json')), output())
  }
})

test('a process with another DATA_DIR does not change the keys, sessions or password of the practice pair', async () => {
  const { settings } = await aDeployment()
  const first = settings()
  const program = runProgram(first)
  const baseUrl = await readyAddress(program)
  const { organization, demo } = await sandboxFileOf(first)
  const second = settings()
  await outputOfRun(second)
  await assert.rejects(sandboxFileOf(second), /ENOENT/)
  const { email, password } = organization.admin
  const signIn = { body: { email, password } }
  assert.equal((await callApi({ baseUrl }, 'POST', '/auth/sessions', signIn)).status, 201)
  for (const key of [organization.api_key, demo.api_key, organization.admin_session_token]) {
    assert.equal((await callApi({ baseUrl }, 'GET', '/v1/me', { key })).status, 200)
  }
})

test('a second start keeps keys and password, and replaces an invalid sandbox.json for the same organizations', async () => {
  const { settings, count } = await aDeployment()
  const consoleDir = join(temporaryDirectory(), 'dist')
  const processSettings = settings({ CONSOLE_DIR: consoleDir })
  await outputOfRun(processSettings)
  const first = await sandboxFileOf(processSettings)
  assert.equal(first.console_url, undefined, 'it is not built')
  const { mode } = await stat(join(processSettings.DATA_DIR, 'sandbox.json'))
  assert.equal(mode & 0o777, 0o600)
  const building = join(consoleDir, '../.building')
  await mkdir(building)
  await outputOfRun(processSettings)
  const second = await sandboxFileOf(processSettings)
  assert.equal(second.console_url, `${second.base_url}/app`, 'it is being built')
  assert.deepEqual(
    [second.organization.api_key, second.demo.api_key, second.organization.admin],
    [first.organization.api_key, first.demo.api_key, first.organization.admin],
  )
  assert.notEqual(second.organization.admin_session_token, first.organization.admin_session_token)

  const { demo: _, ...rest } = second
  await writeFile(join(processSettings.DATA_DIR, 'sandbox.json'), JSON.stringify(rest))
  await rename(building, consoleDir)
  await writeFile(join(consoleDir, 'index.html'), '')
  const program = runProgram(processSettings)
  const baseUrl = await readyAddress(program)
  assert.match(program.output(), /sandbox\.json was lost/)
  const third = await sandboxFileOf(processSettings)
  assert.equal(third.console_url, `${baseUrl}/app`, 'it is built')
  assert.equal(third.organization.id, first.organization.id)
  assert.equal(third.live.connection_id, first.live.connection_id)
  assert.equal(await count('organizations'), 4)
  const { email, password } = third.organization.admin
  const signIn = { body: { email, password } }
  const signedIn = await callApi({ baseUrl }, 'POST', '/auth/sessions', signIn)
  assert.equal(signedIn.status, 201)
  const opened = signedIn.body.organization.id
  assert.equal(opened, first.organization.id, 'contract 11: no token of a start counts as use')
  for (const key of [third.organization.api_key, first.organization.api_key]) {
    assert.equal((await callApi({ baseUrl }, 'GET', '/v1/me', { key })).status, 200)
  }
})

test('PRACTICE_ORGANIZATIONS=0 creates no organizations and no file', async () => {
  const { settings, count } = await aDeployment()
  const processSettings = settings({ PRACTICE_ORGANIZATIONS: '0' })
  assert.match(await outputOfRun(processSettings), /No practice organizations/)
  assert.equal(await count('organizations'), 0)
  await assert.rejects(sandboxFileOf(processSettings), /ENOENT/)
})

test('the next start creates the documents of a first start that was killed before it did', async () => {
  const { url, settings } = await aDeployment()
  const processSettings = settings()
  await outputOfRun({ ...processSettings, PRACTICE_ORGANIZATIONS: '0' })
  const [holder, observer] = [await openTestConnection(url), await openTestConnection(url)]
  const program = launchProgram(processSettings)
  await inTransaction(holder, async () => {
    await holder.run(sql`lock table prov_event in share mode`)
    await until('the organizations exist, and the write of the documents waits', async () => {
      const [waiting] = await observer.rows(sql`
        select 1 from pg_stat_activity where datname = current_database()
          and application_name like 'docex lane%' and wait_event_type = 'Lock'`)
      return waiting !== undefined
    })
    program.child.kill('SIGKILL')
    await until('it has ended', () => program.exitStatus() !== null)
  })
  await Promise.all([holder.close(), observer.close()])
  assert.equal(await documentsOf(url), 0)
  for (let start = 0; start < 2; start += 1) {
    await outputOfRun(processSettings)
    assert.equal(await documentsOf(url), 3)
  }
})

test('a first start that PostgreSQL keeps from its documents says where the reason is', async () => {
  const { url, settings } = await aDeployment()
  const own = settings()
  await outputOfRun({ ...own, PRACTICE_ORGANIZATIONS: '0' })
  const holder = await openTestConnection(url)
  await inTransaction(holder, async () => {
    await holder.run(sql`lock table prov_event in share mode`)
    assert.match(await refusalOf(own), /could not start: .*see database_unavailable above/)
  })
  await holder.close()
})

test('a worker reports that it has no API, and creates no practice pair', async () => {
  const { settings, count } = await aDeployment()
  const processSettings = settings({ PROCESS_ROLE: 'worker' })
  const program = runProgram(processSettings)
  await until('it is ready', () => program.output().includes('ready for background work'))
  await program.stop()
  assert.equal(program.exitStatus(), 0)
  assert(!program.output().includes('http'), program.output())
  assert.equal(await count('organizations'), 0)
})

test('a truncated server.key is refused, since it could decrypt nothing', async () => {
  const dataDir = temporaryDirectory()
  const { cursors } = await openKeyring({ dataDir, serverKey: undefined })
  const again = await openKeyring({ dataDir, serverKey: undefined })
  assert.deepEqual(again.cursors.newest, cursors.newest)
  await writeFile(join(dataDir, 'server.key'), '')
  await assert.rejects(openKeyring({ dataDir, serverKey: undefined }), /restore the file/)
})
