/** `npm run dev` restarts the service when a file has changed, on the same database. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { isAlive, processesOf, temporaryDirectory } from '../support/processes/cluster-processes.ts'
import { inheritedEnvironment } from '../support/processes/program.ts'
import { until } from '../support/until.ts'

const root = resolve(import.meta.dirname, '../..')
const tree = ['package.json', 'package-lock.json', 'scripts', 'src', 'sql', 'docs', 'verifier']

/** A copy of the project, whose files a test may change. */
const copyOfTheProject = (): string => {
  const copy = temporaryDirectory()
  for (const name of tree) {
    cpSync(join(root, name), join(copy, name), { recursive: true, preserveTimestamps: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

test('npm run dev restarts on a change, keeps the database, and Ctrl-C leaves nothing behind', async () => {
  const project = copyOfTheProject()
  const dataDir = join(project, '.data')
  const child = spawn('npm', ['run', 'dev'], {
    cwd: project,
    env: { ...inheritedEnvironment, PORT: '0' },
    // A process group of its own, as in a terminal.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
  after(() => isAlive(child.pid!) && process.kill(-child.pid!, 'SIGKILL'))
  const addresses = () => [...output.matchAll(/ready on (\S+)/g)].map(([, address]) => address!)

  await until('it is ready', () => addresses().length === 1)
  const { organization } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))

  appendFileSync(join(project, 'src/contract/limits.ts'), '// A change.\n')
  await until('it has restarted', () => addresses().length === 2)
  const running = { baseUrl: addresses()[1]! }
  const { status, body } = await callApi(running, 'GET', '/v1/me', { key: organization.api_key })
  assert.equal(status, 200)
  assert.equal(body.organization.id, organization.id)

  process.kill(-child.pid!, 'SIGINT')
  await until('it has ended', () => child.exitCode !== null || child.signalCode !== null)
  await until('PostgreSQL has ended', () => processesOf(dataDir).length === 0)
  assert.equal(output.match(/ {2}stopped\n/g)?.length, 2, output)
})
