/** The build of the console: one at a time, for which the others wait, and never half of one. */
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
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fakeProgram, temporaryDirectory, until } from '../support/processes/cluster-processes.ts'

const script = 'scripts/ensure-console'

/** A fake Vite: records its runs, and waits within a build while the file `hold` exists. */
const vite = `echo run >> calls
folder=dist
while test $# -gt 0; do test "$1" != --outDir || folder=$2; shift; done
mkdir -p "$folder" && echo new > "$folder/index.html"
while test -e hold; do sleep 0.05; done
echo new > "$folder/asset.js"`

const contentOf = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined

/** A checkout whose console has never been built. */
const checkout = () => {
  const root = temporaryDirectory()
  const folder = join(root, 'console')
  for (const name of ['scripts', 'console/src', 'console/public', 'src/contract', 'verifier'])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of ['src/core/identity', 'src/core/documents', 'sdk/src/generated'])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of ['did-you-mean', 'folded-text', 'money'])
    writeFileSync(join(root, `src/core/${name}.ts`), '')
  for (const name of ['index.html', 'package-lock.json', 'vite.config.ts'])
    writeFileSync(join(folder, name), '')
  for (const name of [script, 'scripts/pid-lock'])
    copyFileSync(join(import.meta.dirname, '../../', name), join(root, name))
  fakeProgram(join(folder, 'node_modules/.bin'), 'vite', vite)
  const later = new Date(Date.now() + 1_000)
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), '')
  utimesSync(join(folder, 'node_modules/.package-lock.json'), later, later)
  return {
    folder,
    hold: join(folder, 'hold'),
    built: () => (existsSync(join(folder, 'dist')) ? readdirSync(join(folder, 'dist')) : []),
    runs: () => contentOf(join(folder, 'calls'))?.split('\n').length ?? 0,
    ensure: () => {
      const child = spawn('sh', [join(root, script)], { stdio: ['ignore', 'ignore', 'inherit'] })
      const run = {
        code: undefined as number | null | undefined,
        ended: Promise.resolve(),
        kill: () => child.kill('SIGKILL'),
      }
      after(run.kill)
      run.ended = new Promise((resolve) => {
        child.once('close', (code) => {
          run.code = code
          resolve()
        })
      })
      return run
    },
  }
}

test('whoever comes while the console is built waits, and builds nothing', async () => {
  const { hold, built, runs, ensure } = checkout()
  writeFileSync(hold, '')
  const first = ensure()
  await until('the first one builds', () => runs() === 1)
  const second = ensure()
  await Promise.race([second.ended, pause(500)])
  assert.equal(second.code, undefined, 'it returned before there was a console')
  rmSync(hold)
  await Promise.all([first.ended, second.ended])
  assert.deepEqual([first.code, second.code, runs()], [0, 0, 1])
  assert.deepEqual(built().toSorted(), ['asset.js', 'index.html'])
})

test('the console before is served until the next one is whole', async () => {
  const { folder, hold, built, ensure } = checkout()
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/index.html'), 'old')
  utimesSync(join(folder, 'dist/index.html'), new Date(0), new Date(0))
  writeFileSync(hold, '')
  const run = ensure()
  await until('half of it is written', () =>
    ['dist', 'dist.new'].some((name) => contentOf(join(folder, name, 'index.html')) === 'new'),
  )
  assert.equal(contentOf(join(folder, 'dist/index.html')), 'old')
  rmSync(hold)
  await run.ended
  assert.deepEqual(built().toSorted(), ['asset.js', 'index.html'])
  assert.deepEqual(
    readdirSync(folder).filter((name) => /^\.building|^dist\./.test(name)),
    [],
  )
})

test('a build that was killed holds up nobody', async () => {
  const { folder, hold, built, runs, ensure } = checkout()
  writeFileSync(hold, '')
  const killed = ensure()
  await until('it builds', () => runs() === 1)
  killed.kill()
  await killed.ended
  rmSync(hold)
  const next = ensure()
  await Promise.race([next.ended, pause(30_000)])
  assert.equal(next.code, 0, 'it waits for a build that has ended')
  assert.deepEqual(built().toSorted(), ['asset.js', 'index.html'])
  assert.equal(existsSync(join(folder, '.building')), false)
})

test('a build that fails leaves the console before and no lock', async () => {
  const { folder, ensure } = checkout()
  fakeProgram(join(folder, 'node_modules/.bin'), 'vite', 'mkdir dist.new && exit 3')
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/index.html'), 'old')
  utimesSync(join(folder, 'dist/index.html'), new Date(0), new Date(0))
  const run = ensure()
  await run.ended
  assert.equal(run.code, 3)
  assert.equal(contentOf(join(folder, 'dist/index.html')), 'old')
  assert.deepEqual(
    readdirSync(folder).filter((name) => /^\.building|^dist\./.test(name)),
    [],
  )
})

test('where no lock can be made, the build is given up', async () => {
  const { folder, ensure } = checkout()
  symlinkSync(join(folder, 'nowhere'), join(folder, '.building'))
  const run = ensure()
  await Promise.race([run.ended, pause(30_000)])
  assert.equal(run.code, 1, 'it waits for ever')
})

test('a lock that names no build is let go of after five minutes', async () => {
  const { folder, built, ensure } = checkout()
  mkdirSync(join(folder, '.building'))
  const longAgo = new Date(Date.now() - 6 * 60_000)
  utimesSync(join(folder, '.building'), longAgo, longAgo)
  const run = ensure()
  await run.ended
  assert.equal(run.code, 0)
  assert.deepEqual(built().toSorted(), ['asset.js', 'index.html'])
})
