/** The files of a person: several runs at the same time, killed ones, and damaged files. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs, {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { aPair } from '../../test/support/fixtures.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { cliWith, spawnCli } from './support/run-cli.ts'

const running = await startTestService()
const { issuer } = await aPair(running)

const settings = (folder: string) => ({
  DOCEX_CONFIG_DIR: folder,
  DOCEX_API_KEY: issuer.key,
  DOCEX_BASE_URL: running.baseUrl,
})

const endOf = async (argv: readonly string[], folder: string): Promise<string> => {
  const child = spawnCli(argv, settings(folder))
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit'),
  ])
  assert.equal(code, 0, stderr)
  return stdout
}

test('each of several logins at the same time is kept', async () => {
  const folder = temporaryFolder()
  const names = Array.from({ length: 8 }, (_, i) => `p${i}`)
  await Promise.all(names.map((name) => endOf(['login', '--profile', name], folder)))
  const { profiles } = JSON.parse(readFileSync(`${folder}/profiles.json`, 'utf8'))
  assert.deepEqual(Object.keys(profiles).toSorted(), names)
  assert.deepEqual(readdirSync(folder), ['profiles.json'])
})

test('listen has one signing secret, also when it is first asked for several times at once', async () => {
  const folder = temporaryFolder()
  const asked = Array.from({ length: 6 }, () => endOf(['listen', '--print-secret'], folder))
  const secrets = new Set(await Promise.all(asked))
  const { secret } = JSON.parse(readFileSync(`${folder}/listen.json`, 'utf8'))
  assert.deepEqual([...secrets], [`${secret}\n`])
})

/** In a folder of its own, since some seconds ago. */
const putHolder = (lock: string, seconds: number): void => {
  mkdirSync(lock)
  writeFileSync(`${lock}/4711-ab`, '')
  const then = Date.now() / 1000 - seconds
  for (const path of [`${lock}/4711-ab`, lock]) utimesSync(path, then, then)
}

test('a run that was killed while it changed a file keeps nobody from changing it', async () => {
  const folder = temporaryFolder()
  putHolder(`${folder}/profiles.json.lock`, 60)
  const { code, stderr } = await cliWith(settings(folder))(['login'])
  assert.equal(code, 0, stderr)
  assert.deepEqual(readdirSync(folder), ['profiles.json'])
})

test('what a run leaves that is killed while it waits for a file is removed', async () => {
  const folder = temporaryFolder()
  putHolder(`${folder}/profiles.json.lock.4711-ab`, 60)
  const { code, stderr } = await cliWith(settings(folder))(['login'])
  assert.equal(code, 0, stderr)
  assert.deepEqual(readdirSync(folder), ['profiles.json'])
})

test('on Windows, which renames no folder onto another, an empty lock keeps nobody', async (t) => {
  const rename = fs.renameSync
  for (const errorCode of ['EPERM', 'EBUSY']) {
    const folder = temporaryFolder()
    mkdirSync(`${folder}/profiles.json.lock`)
    const renamed = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
      if (to.endsWith('.lock') && existsSync(to))
        throw Object.assign(new Error('Windows refuses it.'), { code: errorCode })
      rename(from, to)
    })
    syncBuiltinESMExports()
    const { code, stderr } = await cliWith(settings(folder))(['login'])
    renamed.mock.restore()
    syncBuiltinESMExports()
    assert.equal(code, 0, stderr)
    assert.deepEqual(readdirSync(folder), ['profiles.json'])
  }
})

test('a run that waits for a file ends at the first signal, and leaves nothing', async () => {
  const folder = temporaryFolder()
  const cli = cliWith(settings(folder))
  const use = ['profiles', 'use', 'default']
  assert.deepEqual([(await cli(['login'])).code, (await cli(use)).code], [0, 0])
  putHolder(`${folder}/profiles.json.lock`, 0)
  const { code, stdout, stderr } = await cli(use, { signal: AbortSignal.abort() })
  assert.deepEqual([code, stdout, stderr], [0, '', ''])
  assert.deepEqual(readdirSync(folder), ['profiles.json', 'profiles.json.lock'])
})

test('a file that was damaged is named by what is refused', async () => {
  const folder = temporaryFolder()
  const cli = cliWith({ DOCEX_CONFIG_DIR: folder })
  const listen = ['listen', '--print-secret']
  const damaged: [name: string, text: string, argv: string[], code: number][] = [
    ...['', '{', '[]', '{}', '{"profiles":{"a":null}}', '{"profiles":{"a":{}}}'].map(
      (content): [string, string, string[], number] => ['profiles.json', content, ['profiles'], 3],
    ),
    ['profiles.json', '{"profiles":{"a":{"base_url":"x","api_key":"rk_test_x"}}}', ['whoami'], 3],
    ['profiles.json', '{"current":1,"profiles":{}}', ['whoami'], 3],
    ...['', '{', '{}', '{"secret":"whsec_x"}', '{"secret":1,"positions":{}}'].map(
      (content): [string, string, string[], number] => ['listen.json', content, listen, 2],
    ),
  ]
  for (const [name, content, argv, exit] of damaged) {
    writeFileSync(`${folder}/${name}`, content, { mode: 0o600 })
    const { code, stdout, stderr } = await cli([...argv, '--json'])
    assert.deepEqual([code, stdout], [exit, ''], content)
    assert(JSON.parse(stderr).error.message.startsWith(`${folder}/${name} is damaged: `), stderr)
  }
  rmSync(`${folder}/profiles.json`)
  assert.equal((await cli(['login'], { env: settings(folder) })).code, 0)
})
