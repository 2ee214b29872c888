/**
 * clients.md 2: the package as its users get it, built, packed and installed into an empty folder,
 * works in Node 20.0, which is the oldest that it declares, and 20, 22, 24 and 26, in Bun and Deno,
 * and with the APIs of the web alone. tools/runtimes has those that are not ours.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { aPair } from '../../test/support/fixtures.ts'
import { inheritedEnvironment } from '../../test/support/processes/program.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'

const run = promisify(execFile)
const sdk = resolve(import.meta.dirname, '..')
const runtimes = resolve(sdk, '../tools/runtimes')
const isCi = process.env['CI'] === 'true'

interface Runtime {
  name: string
  program: string
  flags?: readonly string[]
  /** What it prints with `--version`. */
  version: RegExp
}

const installed = (name: string, program: string): string =>
  join(runtimes, 'node_modules', name, program)

/** Deno may read the folder and reach the service, and installs nothing. */
const denoFlags = [
  'run',
  '--cached-only',
  '--no-prompt',
  '--allow-env',
  '--allow-read=.',
  '--allow-net=127.0.0.1',
]

const everyRuntime: readonly Runtime[] = [
  { name: 'Node 26', program: process.execPath, version: /^v26\./ },
  // Those with a minor version are the oldest that this package and the command line declare.
  ...['20.0', '20', '22.12', '22', '24'].map((version) => ({
    name: `Node ${version}`,
    program: installed(`node-${version}`, 'bin/node'),
    version: new RegExp(`^v${version.replace('.', '\\.')}\\.`),
  })),
  { name: 'Bun', program: installed('bun', 'bin/bun'), version: /^1\./ },
  { name: 'Deno', program: installed('deno', 'deno'), flags: denoFlags, version: /^deno 2\./ },
]

const withoutSdk =
  !existsSync(join(sdk, 'node_modules')) && !isCi && 'npm ci in sdk/ installs the compilers'

const running = await startTestService()
const { issuer, connection } = await aPair(running)

describe('the packed SDK', { skip: withoutSdk, concurrency: 2 }, () => {
  const project = temporaryFolder()
  const program = join(project, 'program.mjs')
  const env = {
    ...inheritedEnvironment,
    DOCEX_API_KEY: issuer.key,
    DOCEX_BASE_URL: running.baseUrl,
    DOCEX_TEST_CONNECTION: connection,
    DENO_NO_UPDATE_CHECK: '1',
  }

  before(async () => {
    await run('npm', ['run', 'build'], { cwd: sdk })
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: sdk })
    const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    const install = ['install', '--no-audit', '--no-fund', '--offline', join(project, tarball)]
    await run('npm', install, { cwd: project })
    copyFileSync(join(import.meta.dirname, 'support/program.mjs'), program)
  })

  for (const { name, program: runtime, flags = [], version } of everyRuntime) {
    const isThere = existsSync(runtime)
    const skip = !isThere && !isCi && 'npm ci in tools/runtimes installs it'

    test(`creates, issues, lists, verifies and gets errors in ${name}`, { skip }, async () => {
      const options = { cwd: project, env }
      assert.match((await run(runtime, ['--version'], options)).stdout, version)
      const { stdout, stderr } = await run(runtime, [...flags, program], options)
      const seen = { status: 'submitted', total: 1080, isListed: true, type: 'ping' }
      const refused = { isRefused: true, code: 'conflict', reason: 'not_draft' }
      assert.deepEqual(JSON.parse(stdout), { ...seen, ...refused }, stderr)
    })
  }

  test('it works where there is nothing but the APIs of the web, as in workers', async () => {
    const printed: string[] = []
    const { baseUrl } = running
    const settings = { apiKey: issuer.key, baseUrl, DOCEX_TEST_CONNECTION: connection }
    const console = { log: (text: string) => printed.push(text) }
    const realm = createContext({ ...webApis, settings, console })
    runInContext(bundledProgram(project), realm)
    await (realm as { ended: Promise<void> }).ended
    const { status, reason } = JSON.parse(printed.join('')) as Record<string, unknown>
    assert.deepEqual([status, reason], ['submitted', 'not_draft'])
  })
})

/** What workers and browsers have of what the SDK needs: no `process`, no `Buffer`. */
const webApis = {
  fetch,
  Headers,
  Request,
  Response,
  FormData,
  Blob,
  URL,
  URLSearchParams,
  crypto,
  TextEncoder,
  TextDecoder,
  AbortController,
  AbortSignal,
  DOMException,
  performance,
  setTimeout,
  clearTimeout,
  btoa,
  atob,
  structuredClone,
}

interface Bundler {
  buildSync(options: object): { outputFiles: { text: string }[] }
}

/** The program of the other runtimes as one script, which gets its settings as a global. */
const bundledProgram = (project: string): string => {
  // Its types are in sdk/node_modules, which the type check of the repository does without.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as Bundler
  const lines = readFileSync(join(project, 'program.mjs'), 'utf8')
    .replace("import process from 'node:process'", 'const process = { env: settings }')
    .replace('new Docex()', 'new Docex(settings)')
    .split('\n')
  const [imports, rest] = [true, false].map((isImport) =>
    lines.filter((line) => line.startsWith('import ') === isImport).join('\n'),
  )
  const contents = `${imports}\nglobalThis.ended = (async () => {\n${rest}\n})()`
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: project },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
  })
  return outputFiles[0]!.text
}

test('the oldest Node that is tested is the oldest that the package declares', () => {
  const { engines } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
  assert.equal(engines.node, '>=20')
  assert(everyRuntime.some(({ name }) => name === 'Node 20.0'))
})

test('the runtimes are pinned to exact versions', () => {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(runtimes, 'package.json'), 'utf8'),
  ) as { optionalDependencies: Record<string, string> }
  for (const [name, spec] of Object.entries(optionalDependencies)) {
    assert.match(spec, /^npm:@?[\w/-]+@\d+\.\d+\.\d+$/, name)
  }
})
