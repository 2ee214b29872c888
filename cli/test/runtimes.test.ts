/**
 * clients.md 3: the package as its users get it, built, packed and installed into an empty folder,
 * works in every version of Node that it declares. tools/runtimes has those that are not ours.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { aPair, exampleLine } from '../../test/support/fixtures.ts'
import { inheritedEnvironment } from '../../test/support/processes/program.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { until } from '../../test/support/until.ts'

const run = promisify(execFile)
const cli = resolve(import.meta.dirname, '..')
const isCi = process.env['CI'] === 'true'
const withoutCompiler =
  !existsSync(join(cli, 'node_modules')) && !isCi && 'npm ci in cli/ installs the compiler'

const installed = (version: string): string =>
  resolve(cli, `../tools/runtimes/node_modules/node-${version}/bin/node`)

const everyNode: readonly [version: string, program: string][] = [
  ['26', process.execPath],
  ...['24', '22', '22.12'].map((version): [string, string] => [version, installed(version)]),
]

const running = await startTestService()
const { issuer, connection } = await aPair(running)

describe('the packed command line', { skip: withoutCompiler }, () => {
  const project = temporaryFolder()
  const options = {
    cwd: project,
    env: {
      ...inheritedEnvironment,
      DOCEX_API_KEY: issuer.key,
      DOCEX_BASE_URL: running.baseUrl,
      DOCEX_CONFIG_DIR: join(project, 'config'),
    },
  }

  before(async () => {
    await run('npm', ['run', 'build'], { cwd: cli })
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: cli })
    const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(project, 'lines.json'), JSON.stringify([exampleLine]))
    const install = ['install', '--no-audit', '--no-fund', '--offline', join(project, tarball)]
    await run('npm', install, { cwd: project })
  })

  for (const [version, program] of everyNode) {
    const skip = !existsSync(program) && !isCi && 'npm ci in tools/runtimes installs it'

    test(`writes, reads, verifies and refuses in Node ${version}`, { skip }, async () => {
      assert.match((await run(program, ['--version'], options)).stdout, RegExp(`^v${version}\\.`))
      const bin = join(project, 'node_modules/.bin/docex')
      const docex = async (...args: string[]): Promise<string> =>
        (await run(program, [bin, ...args], options)).stdout
      const created = await docex(
        'documents',
        'create',
        '--connection-id',
        connection,
        '--document-type',
        'invoice',
        '--line-items',
        '@lines.json',
        '--json',
      )
      const { id } = JSON.parse(created)
      assert.match(await docex('documents', 'issue', id), /submitted/)
      const proof = join(project, `proof-${version}.json`)
      await until('the log has the document', async () =>
        docex('documents', 'export', id).then(
          (bundle) => (writeFileSync(proof, bundle), true),
          () => false,
        ),
      )
      writeFileSync(join(project, 'keys.json'), await docex('log', 'keys', '--json'))
      assert.match(await docex('verify', proof, '--trust', 'keys.json'), /valid/i)
      await assert.rejects(docex('documents', 'issue', id, '--json'), (refused) => {
        const { code, stderr } = refused as { code: number; stderr: string }
        assert.deepEqual([code, JSON.parse(stderr).error.code], [1, 'conflict'])
        return true
      })
    })
  }
})

test('the oldest Node that is tested is the oldest that the package declares', () => {
  const { engines } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'))
  assert.equal(engines.node, '>=22.12')
  assert.equal(everyNode.at(-1)![0], '22.12')
})
