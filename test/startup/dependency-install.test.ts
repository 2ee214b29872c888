import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, test } from 'node:test'

import {
  fakeProgram,
  isAlive,
  temporaryDirectory,
  until,
} from '../support/processes/cluster-processes.ts'

/** Counts its runs, waits while the test holds it, and writes what npm writes last. */
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
  said(): string
  code: Promise<number | null>
}

function clone(node = 'echo v20.0.0'): Clone {
  const path = temporaryDirectory()
  mkdirSync(join(path, 'scripts'))
  copyFileSync(join(import.meta.dirname, '../../scripts/ensure'), join(path, 'scripts/ensure'))
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
  // npm run puts node_modules/.bin first.
  const places = [join(path, 'node_modules/.bin'), join(path, 'system'), process.env['PATH']]
  const env = { ...process.env, PATH: places.join(delimiter) }
  const options = { cwd: path, env, stdio: 'pipe' as const }
  const child = spawn('sh', ['scripts/ensure'], options)
  let said = ''
  child.stderr.on('data', (text) => (said += text))
  after(() => child.kill('SIGKILL'))
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { pid: child.pid ?? 0, said: () => said, code }
}

function npmPid({ runs }: Clone): number {
  return Number(runs().at(-1)?.split(' ')[0])
}

function lockOf({ path }: Clone): string[] {
  const lock = join(path, '.installing')
  return existsSync(lock) ? readdirSync(lock) : []
}

test('what a link leads to is not emptied', async () => {
  const place = clone()
  const shared = join(temporaryDirectory(), 'shared')
  mkdirSync(shared)
  writeFileSync(join(shared, 'kept'), '')
  symlinkSync(shared, join(place.path, 'node_modules'))
  const run = ensure(place)
  assert.equal(await run.code, 1)
  assert.match(run.said(), /node_modules is a link/)
  assert.deepEqual([readdirSync(shared), place.runs()], [['kept'], []])
})

test('installs what package-lock.json says, once, and again when that is newer', async () => {
  const place = clone()
  assert.equal(await ensure(place).code, 0)
  assert.match(place.runs().join(), /^\d+ ci --ignore-scripts /)
  const second = ensure(place)
  assert.equal(await second.code, 0)
  assert.equal(second.said(), '')
  assert.equal(place.runs().length, 1)

  const longAgo = new Date(0)
  utimesSync(join(place.path, 'node_modules/.package-lock.json'), longAgo, longAgo)
  assert.equal(await ensure(place).code, 0)
  assert.equal(place.runs().length, 2)
})

test('two at once: the second one says that it waits, and finds the work done', async () => {
  const place = clone()
  place.write('hold')
  const first = ensure(place)
  await until('the first one installs', () => lockOf(place).includes(String(npmPid(place))))
  const second = ensure(place)
  await until('the second one waits', () => second.said().includes('Waiting for another'))
  rmSync(join(place.path, 'hold'))
  assert.deepEqual(await Promise.all([first.code, second.code]), [0, 0])
  assert.equal(place.runs().length, 1)
  assert.equal(existsSync(join(place.path, '.installing')), false)
})

test('kill -9 of npm: an error, and the next run installs', async () => {
  const place = clone()
  place.write('hold')
  const first = ensure(place)
  await until('npm runs', () => lockOf(place).includes(String(npmPid(place))))
  process.kill(npmPid(place), 'SIGKILL')
  assert.notEqual(await first.code, 0)
  rmSync(join(place.path, 'hold'))
  assert.equal(await ensure(place).code, 0)
  assert.equal(place.runs().length, 2)
})

test('kill -9 of npm and of the script: the lock they leave does not count', async () => {
  const place = clone()
  place.write('hold')
  const first = ensure(place)
  await until('npm runs', () => lockOf(place).includes(String(npmPid(place))))
  process.kill(first.pid, 'SIGKILL')
  process.kill(npmPid(place), 'SIGKILL')
  await first.code
  assert.equal(lockOf(place).length, 1)
  rmSync(join(place.path, 'hold'))
  assert.equal(await ensure(place).code, 0)
  assert.equal(existsSync(join(place.path, '.installing')), false)
})

test('kill -9 of the script alone: the next run waits for the npm that goes on', async () => {
  const place = clone()
  place.write('hold')
  const first = ensure(place)
  await until('npm runs', () => lockOf(place).includes(String(npmPid(place))))
  process.kill(first.pid, 'SIGKILL')
  const second = ensure(place)
  await until('the second one waits', () => second.said().includes('Waiting for another'))
  rmSync(join(place.path, 'hold'))
  assert.equal(await second.code, 0)
  assert.equal(place.runs().length, 1)
})

test('SIGTERM: npm ends with the script, which leaves no lock', async () => {
  const place = clone()
  place.write('hold')
  const run = ensure(place)
  await until('npm runs', () => lockOf(place).includes(String(npmPid(place))))
  process.kill(run.pid, 'SIGTERM')
  assert.equal(await run.code, 143)
  assert.equal(isAlive(npmPid(place)), false)
  assert.equal(existsSync(join(place.path, '.installing')), false)
  assert.equal(existsSync(join(place.path, 'node_modules')), false)
})

for (const [node, found] of [
  ['echo v18.19.1', 'v18.19.1'],
  ['exit 127', 'no Node.js'],
]) {
  test(`one clear line instead of an installation with ${found}`, async () => {
    const place = clone(node)
    const run = ensure(place)
    assert.equal(await run.code, 1)
    assert.equal(run.said(), `Node.js 20 or newer is needed, found ${found}.\n`)
    assert.deepEqual(place.runs(), [])
  })
}

test('a half-installed node is not used to install', async () => {
  const place = clone()
  fakeProgram(join(place.path, 'node_modules/.bin'), 'node', 'kill -SEGV $$')
  assert.equal(await ensure(place).code, 0)
  assert.equal(place.runs().length, 1)
})
