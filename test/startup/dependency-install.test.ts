/** scripts/ensure-dependencies installs the packages once, also with several runs at a time. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, test } from 'node:test'

import {
  fakeProgram,
  isAlive,
  temporaryDirectory,
  until,
} from '../support/processes/cluster-processes.ts'

const script = 'scripts/ensure-dependencies'

/** A fake npm: records its runs, waits while the file `hold` exists, and completes as npm does. */
const npm = `echo "$$ $*" >> calls
while test -e hold; do sleep 0.05; done
mkdir -p node_modules && : > node_modules/.package-lock.json`

interface Clone {
  path: string
  runs(): string[]
  write(name: string): void
}

interface Run {
  pid: number
  errorOutput(): string
  code: Promise<number | null>
}

function clone(node = 'echo v20.0.0'): Clone {
  const path = temporaryDirectory()
  mkdirSync(join(path, 'scripts'))
  for (const name of [script, 'scripts/pid-lock'])
    copyFileSync(join(import.meta.dirname, '../../', name), join(path, name))
  writeFileSync(join(path, 'package-lock.json'), '{}')
  fakeProgram(join(path, 'system'), 'npm', npm)
  fakeProgram(join(path, 'system'), 'node', node)
  const calls = join(path, 'calls')
  return {
    path,
    runs: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
    write: (name) => writeFileSync(join(path, name), ''),
  }
}

function ensure({ path }: Clone): Run {
  // `npm run` puts node_modules/.bin first on the PATH.
  const folders = [join(path, 'node_modules/.bin'), join(path, 'system'), process.env['PATH']]
  const env = { ...process.env, PATH: folders.join(delimiter) }
  const options = { cwd: path, env, stdio: 'pipe' as const }
  const child = spawn('sh', [script], options)
  let errorOutput = ''
  child.stderr.on('data', (text) => (errorOutput += text))
  after(() => child.kill('SIGKILL'))
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { pid: child.pid ?? 0, errorOutput: () => errorOutput, code }
}

function npmPid({ runs }: Clone): number {
  return Number(runs().at(-1)?.split(' ')[0])
}

function lockOf({ path }: Clone): string[] {
  const lock = join(path, '.installing')
  return existsSync(lock) ? readdirSync(lock) : []
}

test('the target of a node_modules link is not emptied', async () => {
  const checkout = clone()
  const shared = join(temporaryDirectory(), 'shared')
  mkdirSync(shared)
  writeFileSync(join(shared, 'file'), '')
  symlinkSync(shared, join(checkout.path, 'node_modules'))
  const run = ensure(checkout)
  assert.equal(await run.code, 1)
  assert.match(run.errorOutput(), /node_modules is a link/)
  assert.deepEqual([readdirSync(shared), checkout.runs()], [['file'], []])
})

test('it installs package-lock.json once, and again when that file is newer', async () => {
  const checkout = clone()
  assert.equal(await ensure(checkout).code, 0)
  assert.match(checkout.runs().join(), /^\d+ ci --ignore-scripts /)
  const second = ensure(checkout)
  assert.equal(await second.code, 0)
  assert.equal(second.errorOutput(), '')
  assert.equal(checkout.runs().length, 1)

  const longAgo = new Date(0)
  utimesSync(join(checkout.path, 'node_modules/.package-lock.json'), longAgo, longAgo)
  assert.equal(await ensure(checkout).code, 0)
  assert.equal(checkout.runs().length, 2)
})

test('of two concurrent runs, the second reports that it waits, and installs nothing', async () => {
  const checkout = clone()
  checkout.write('hold')
  const first = ensure(checkout)
  await until('the first one installs', () => lockOf(checkout).includes(String(npmPid(checkout))))
  const second = ensure(checkout)
  await until('the second one waits', () => second.errorOutput().includes('Waiting for another'))
  rmSync(join(checkout.path, 'hold'))
  assert.deepEqual(await Promise.all([first.code, second.code]), [0, 0])
  assert.equal(checkout.runs().length, 1)
  assert.equal(existsSync(join(checkout.path, '.installing')), false)
})

test('after SIGKILL of npm the run fails, and the next run installs', async () => {
  const checkout = clone()
  checkout.write('hold')
  const first = ensure(checkout)
  await until('npm runs', () => lockOf(checkout).includes(String(npmPid(checkout))))
  process.kill(npmPid(checkout), 'SIGKILL')
  assert.notEqual(await first.code, 0)
  rmSync(join(checkout.path, 'hold'))
  assert.equal(await ensure(checkout).code, 0)
  assert.equal(checkout.runs().length, 2)
})

test('after SIGKILL of npm and the script, the lock that they leave is ignored', async () => {
  const checkout = clone()
  checkout.write('hold')
  const first = ensure(checkout)
  await until('npm runs', () => lockOf(checkout).includes(String(npmPid(checkout))))
  process.kill(first.pid, 'SIGKILL')
  process.kill(npmPid(checkout), 'SIGKILL')
  await first.code
  assert.equal(lockOf(checkout).length, 1)
  rmSync(join(checkout.path, 'hold'))
  assert.equal(await ensure(checkout).code, 0)
  assert.equal(existsSync(join(checkout.path, '.installing')), false)
})

test('after SIGKILL of the script alone, the next run waits for the npm that continues', async () => {
  const checkout = clone()
  checkout.write('hold')
  const first = ensure(checkout)
  await until('npm runs', () => lockOf(checkout).includes(String(npmPid(checkout))))
  process.kill(first.pid, 'SIGKILL')
  const second = ensure(checkout)
  await until('the second one waits', () => second.errorOutput().includes('Waiting for another'))
  rmSync(join(checkout.path, 'hold'))
  assert.equal(await second.code, 0)
  assert.equal(checkout.runs().length, 1)
})

test('SIGTERM ends npm together with the script, which leaves no lock', async () => {
  const checkout = clone()
  checkout.write('hold')
  const run = ensure(checkout)
  await until('npm runs', () => lockOf(checkout).includes(String(npmPid(checkout))))
  process.kill(run.pid, 'SIGTERM')
  assert.equal(await run.code, 143)
  assert.equal(isAlive(npmPid(checkout)), false)
  assert.equal(existsSync(join(checkout.path, '.installing')), false)
  assert.equal(existsSync(join(checkout.path, 'node_modules')), false)
})

for (const [node, version] of [
  ['echo v18.19.1', 'v18.19.1'],
  ['exit 127', 'no Node.js'],
]) {
  test(`with ${version} it prints one line and does not install`, async () => {
    const checkout = clone(node)
    const run = ensure(checkout)
    assert.equal(await run.code, 1)
    assert.equal(run.errorOutput(), `Node.js 20 or newer is required, found ${version}.\n`)
    assert.deepEqual(checkout.runs(), [])
  })
}

test('a broken node in node_modules is not used to install', async () => {
  const checkout = clone()
  fakeProgram(join(checkout.path, 'node_modules/.bin'), 'node', 'kill -SEGV $$')
  assert.equal(await ensure(checkout).code, 0)
  assert.equal(checkout.runs().length, 1)
})
