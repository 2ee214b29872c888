/** A DATA_DIR that was restored from a backup is recognised, before it gives out a number twice. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SandboxFile } from '../../src/startup/practice-organizations.ts'
import { callApi } from '../support/api-client.ts'
import { exampleLine } from '../support/fixtures.ts'
import { childrenOf, isLinux, postmasterPid } from '../support/processes/cluster-processes.ts'
import {
  type LaunchedProgram,
  type Program,
  launchProgram,
  readyAddress,
  runAdmin,
  runProgram,
  startupErrorOf,
} from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const isLong = process.env['LONG'] === '1'

interface Machine {
  dataDir: string
  /** Outside of what a backup of DATA_DIR takes. */
  guardDir: string
}

const aMachine = (): Machine => ({
  dataDir: join(temporaryFolder(), 'data'),
  guardDir: temporaryFolder(),
})

const settingsOf = ({ dataDir, guardDir }: Machine, more: Record<string, string> = {}) => ({
  DATA_DIR: dataDir,
  ROLLBACK_GUARD_DIR: guardDir,
  RATE_LIMITS: 'off',
  ...more,
})

interface Running<P = Program> {
  program: P
  baseUrl: string
  sandbox: SandboxFile
}

const running = async <P extends Program>(machine: Machine, program: P): Promise<Running<P>> => {
  const baseUrl = await readyAddress(program)
  const text = readFileSync(join(machine.dataDir, 'sandbox.json'), 'utf8')
  return { program, baseUrl, sandbox: JSON.parse(text) as SandboxFile }
}

const run = (machine: Machine): Promise<Running> =>
  running(machine, runProgram(settingsOf(machine)))

const stop = async ({ program }: Running): Promise<void> => {
  await program.stop()
  assert.equal(program.exitStatus(), 0, program.output())
}

const refusalOf = (settings: Record<string, string>): Promise<string> =>
  startupErrorOf(settings, runProgram)

/** Issues an invoice and returns its number, once the log that contains it is signed. */
const issue = async ({ baseUrl, sandbox }: Running): Promise<string> => {
  const key = sandbox.organization.api_key
  const draft = {
    connection_id: sandbox.connection_id,
    document_type: 'invoice',
    line_items: [exampleLine],
  }
  const created = await callApi({ baseUrl }, 'POST', '/v1/documents', { key, body: draft })
  const path = `/v1/documents/${created.body.id}`
  const issued = await callApi({ baseUrl }, 'POST', `${path}/issue`, { key })
  assert.equal(issued.status, 200, issued.text)
  const exported = await callApi({ baseUrl }, 'GET', `${path}/export`, { key })
  assert.equal(exported.status, 200, exported.text)
  return issued.body.number
}

const backUp = ({ dataDir }: Machine): string => {
  const backup = join(temporaryFolder(), 'backup')
  cpSync(dataDir, backup, { recursive: true, filter: (path) => !/\.socket|\.s\.PGSQL/.test(path) })
  return backup
}

const restore = ({ dataDir }: Machine, backup: string): void => {
  rmSync(dataDir, { recursive: true })
  cpSync(backup, dataDir, { recursive: true })
}

/** Stops every process of the service, so that the copy is what a snapshot would be. */
const snapshotWhileRunning = (machine: Machine, { program }: Running<LaunchedProgram>): string => {
  const postmaster = postmasterPid(machine.dataDir)
  const pids = [program.child.pid!, postmaster, ...childrenOf(postmaster, /^postgres: /)]
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const backup = backUp(machine)
  for (const pid of pids.toReversed()) process.kill(pid, 'SIGCONT')
  return backup
}

const fingerprintIn = (output: string): string =>
  /ACCEPT_ROLLBACK=(\w+)/.exec(output)?.[1] ?? assert.fail(output)

test('a backup of DATA_DIR that is restored after another start is refused, until an operator accepts the loss', async () => {
  const machine = aMachine()
  await stop(await run(machine))
  const backup = backUp(machine)
  const second = await run(machine)
  const number = await issue(second)
  await stop(second)

  restore(machine, backup)
  const refused = await refusalOf(settingsOf(machine))
  assert.match(refused, /^DATA_DIR=\S+ cannot be used: it was restored from a backup/m)
  assert.match(refused, /lacks the start of 20.* and the first \d+ leaves of localhost\/test\/1/)
  assert.equal(await refusalOf(settingsOf(machine)).then(fingerprintIn), fingerprintIn(refused))
  const wrong = settingsOf(machine, { ACCEPT_ROLLBACK: '000000000000' })
  assert.match(await refusalOf(wrong), /it was restored from a backup/)

  const ACCEPT_ROLLBACK = fingerprintIn(refused)
  const program = runProgram(settingsOf(machine, { ACCEPT_ROLLBACK }))
  await until('it asks for an epoch', () =>
    Promise.resolve(
      program.output().includes('Now run: npm run admin -- new-log-epoch --log test') &&
        program.output().includes('database_rolled_back'),
    ),
  )
  const admin = await runAdmin(['new-log-epoch', '--log', 'test'], settingsOf(machine))
  assert.equal(admin.exitCode, 0, admin.stderr)
  assert.match(admin.stdout, /localhost\/test\/2 now/)
  const third: Running = { ...second, program, baseUrl: await readyAddress(program) }
  const isReady = async () => (await callApi(third, 'GET', '/readyz')).status === 200
  await until('it is ready', isReady)
  const key = third.sandbox.organization.api_key
  const [sent] = (await callApi(third, 'GET', '/v1/documents?type=invoice', { key })).body.data
  const exportSent = () => callApi(third, 'GET', `/v1/documents/${sent.id}/export`, { key })
  await until('the new epoch is signed', async () => (await exportSent()).status === 200)
  assert.equal(await issue(third), number, 'what was lost is gone: its number is given out again')
  await stop(third)
  // The accepted loss is accepted once.
  await stop(await run(machine))
  restore(machine, backup)
  assert.match(
    await refusalOf(settingsOf(machine, { ACCEPT_ROLLBACK })),
    /it was restored from a backup/,
  )
})

test(
  'a snapshot of a running service that is restored after another document is refused',
  { skip: !isLinux || !isLong },
  async () => {
    const machine = aMachine()
    const first = await running(machine, launchProgram(settingsOf(machine)))
    await issue(first)
    const backup = snapshotWhileRunning(machine, first)
    await issue(first)
    await stop(first)
    restore(machine, backup)
    const refused = await refusalOf(settingsOf(machine))
    assert.match(refused, /lacks the first \d+ leaves of localhost\/test\/1 as they were signed/)
    assert(!refused.includes('lacks the start'))
  },
)

const newest =
  'a newest copy starts, in its place and elsewhere; a copy that was started elsewhere raises an alarm'
test(newest, { skip: !isLong }, async () => {
  const machine = aMachine()
  await stop(await run(machine))
  const backup = backUp(machine)
  restore(machine, backup)
  const restored = await run(machine)
  assert(!restored.program.output().includes('data_dir_copied'))
  await stop(restored)

  const drill = { dataDir: join(temporaryFolder(), 'drill'), guardDir: machine.guardDir }
  cpSync(backup, drill.dataDir, { recursive: true })
  const elsewhere = await run(drill)
  assert.match(elsewhere.program.output(), /a copy of this database was started in \S+data at 20/)
  assert.match(elsewhere.program.output(), /"level":"error".*"event":"data_dir_copied"/)
  await stop(elsewhere)
  // The drill does not stop the service from which it was copied.
  await stop(await run(machine))
})

test('without the record of this machine, the start says that it cannot tell', async () => {
  const machine = aMachine()
  await stop(await run(machine))
  for (const name of readdirSync(machine.guardDir)) rmSync(join(machine.guardDir, name))
  const again = await run(machine)
  assert.match(again.program.output(), /ROLLBACK_GUARD_DIR has no record of it/)
  await stop(again)
  const [record] = readdirSync(machine.guardDir)
  writeFileSync(join(machine.guardDir, record!), '')
  const third = await run(machine)
  assert.match(third.program.output(), /ROLLBACK_GUARD_DIR has no record of it/)
  await stop(third)
})

test('the record is in the home directory by default, and need not be kept', async () => {
  const machine = aMachine()
  const home = temporaryFolder()
  const settings = { DATA_DIR: machine.dataDir, HOME: home }
  const program = launchProgram(settings)
  await readyAddress(program)
  const state = join(home, '.local/state/document-exchange-service')
  assert.equal(readdirSync(state).length, 1)
  await program.stop()

  const homeless = launchProgram({ ...settings, HOME: '/proc/nowhere' })
  await readyAddress(homeless)
  assert.match(homeless.output(), /a restored DATA_DIR is not recognised/)
  await homeless.stop()

  const chosen = { ...settings, ROLLBACK_GUARD_DIR: '/proc/nowhere' }
  assert.match(await startupErrorOf(chosen), /^ROLLBACK_GUARD_DIR=\/proc\/nowhere cannot be used/m)
  assert(!existsSync('/proc/nowhere'))
  const inside = { ...settings, ROLLBACK_GUARD_DIR: join(settings.DATA_DIR, 'guard') }
  assert.match(await startupErrorOf(inside), /choose a folder outside of DATA_DIR/)
})
