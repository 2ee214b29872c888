/**
 * clients.md 1: the official conformance suite of MCP, in both eras and transports. The suite tests
 * SDKs, so most of its scenarios want tools, resources and prompts of its own, which we do not
 * offer: test/mcp/conformance has the checks that fail, one file for each revision. It is a failure
 * if one of these passes, and if another one fails, so that the lists only get shorter.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { anOrganization } from '../support/fixtures.ts'
import { startAuthorizingProxy } from '../support/mcp/authorizing-proxy.ts'
import { startHttpToStdio } from '../support/mcp/http-to-stdio.ts'
import { inheritedEnvironment } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'

const packages = resolve(import.meta.dirname, '../../tools/mcp/node_modules/@modelcontextprotocol')
const isCi = process.env['CI'] === 'true'
const skip = !existsSync(packages) && !isCi && 'npm ci in tools/mcp installs the suite'

const running = await startTestService()
const { key, session } = await anOrganization(running)
const proxy = await startAuthorizingProxy(running, session)

interface Ended {
  exitCode: number
  output: string
}

const run = (script: string, ...args: string[]): Promise<Ended> =>
  new Promise((done) => {
    const options = { cwd: temporaryFolder(), env: inheritedEnvironment, maxBuffer: 64e6 }
    execFile(process.execPath, [join(packages, script), ...args], options, (error, out, err) =>
      done({ exitCode: Number(error?.code ?? 0), output: out + err }),
    )
  })

/** The suite itself speaks HTTP alone. */
const conformance = (revision: string, baseline: string, server = proxy): Promise<Ended> =>
  run(
    'conformance/dist/index.js',
    'server',
    '--url',
    `${server}/mcp`,
    '--suite',
    'all',
    '--spec-version',
    revision,
    // Of a scenario: it only ends one that is stuck, also on a busy machine.
    '--expected-failures',
    baseline,
    '--timeout',
    '120000',
  )

const baselineOf = (revision: string): string =>
  join(import.meta.dirname, 'conformance', `${revision}.yaml`)

const entriesOf = (revision: string): string[] =>
  (parse(readFileSync(baselineOf(revision), 'utf8')) as { server: string[] }).server

const writtenBaseline = (entries: readonly string[]): string => {
  const path = join(temporaryFolder(), 'baseline.yaml')
  writeFileSync(path, stringify({ server: entries }))
  return path
}

/** What programs of others start to speak to us over stdio. */
const stdioProgram = [
  process.execPath,
  join(import.meta.dirname, '../../scripts/mcp-stdio.ts'),
] as const

/**
 * Checks of headers and statuses, which stdio does not have. Without the header that names the
 * version, a message without `_meta` is one of the legacy era.
 */
const onlyOverHttp: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28': [
    'dns-rebinding-protection',
    'http-header-validation',
    ...[
      'request-meta-invalid-missing-meta',
      'request-meta-invalid-missing-protocol-version',
      'http-server-meta-invalid-400',
      'http-server-unsupported-version-400',
      'http-server-header-mismatch-400',
      'http-server-method-not-found-404',
      ...[
        'initialize',
        'ping',
        'logging-setlevel',
        'resources-subscribe',
        'resources-unsubscribe',
      ].map((method) => `http-server-method-not-found-404-${method}`),
    ].map((check) => `server-stateless:sep-2575-${check}`),
  ],
  '2025-11-25': ['dns-rebinding-protection'],
}

/** Checks of a stream, which the suite leaves out where it gets none. */
const onlyOfStreams: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['priming-event', 'retry-field'].map(
    (check) => `server-sse-polling:server-sse-${check}`,
  ),
}

/** How many entries a baseline may have: fewer after each that passes, and never more. */
const entriesMax = { '2026-07-28': 37, '2025-11-25': 28 }

test('a baseline only gets shorter', () => {
  for (const [revision, max] of Object.entries(entriesMax)) {
    assert.equal(new Set(entriesOf(revision)).size, max, revision)
  }
})

describe('the official conformance suite', { skip, concurrency: 2 }, () => {
  for (const revision of Object.keys(entriesMax)) {
    test(`${revision}: nothing fails but what the baseline names, and all of that`, async () => {
      const { exitCode, output } = await conformance(revision, baselineOf(revision))
      assert.equal(exitCode, 0, output)
      assertFailed(output, entriesOf(revision))
    })

    test(`${revision} over stdio: besides, only what is about HTTP itself fails`, async () => {
      const left = entriesOf(revision).filter(
        (one) => onlyOfStreams[revision]?.includes(one) !== true,
      )
      const entries = [...left, ...onlyOverHttp[revision]!]
      const env = { DOCEX_API_KEY: session, DOCEX_BASE_URL: running.baseUrl }
      const server = await startHttpToStdio(stdioProgram, env)
      const { exitCode, output } = await conformance(revision, writtenBaseline(entries), server)
      assert.equal(exitCode, 0, output)
      assertFailed(output, entries)
    })
  }

  test('a failure that the baseline does not name, and an entry that passes, fail', async () => {
    const [first, ...others] = entriesOf('2026-07-28')
    const missing = await conformance('2026-07-28', writtenBaseline(others))
    assert.equal(missing.exitCode, 1, missing.output)
    assert(missing.output.includes(`✗ ${first}`), missing.output)
    const stale = await conformance(
      '2026-07-28',
      writtenBaseline([first!, ...others, 'tools-list']),
    )
    assert.equal(stale.exitCode, 1, stale.output)
    assert(stale.output.includes('✓ tools-list'), stale.output)
  })
})

/** The suite tolerates the name of a check that it does not know. */
const assertFailed = (output: string, entries: readonly string[]): void => {
  const failed = [...output.matchAll(/^ {2}~ (\S+)$/gm)].map(([, entry]) => entry)
  assert.deepEqual(failed.toSorted(), entries.toSorted())
}

/** How the inspector reaches the server. */
const transports: Readonly<Record<string, readonly string[]>> = {
  http: [`${running.baseUrl}/mcp`, '--header', `Authorization: Bearer ${key}`],
  stdio: [...stdioProgram, '-e', `DOCEX_API_KEY=${key}`, '-e', `DOCEX_BASE_URL=${running.baseUrl}`],
}

describe('the official inspector', { skip }, () => {
  for (const [transport, target] of Object.entries(transports)) {
    const inspector = (...args: string[]): Promise<Ended> =>
      run(
        'inspector/clients/launcher/build/index.js',
        '--cli',
        ...target,
        '--transport',
        transport,
        ...args,
      )

    for (const era of ['modern', 'legacy']) {
      test(`${era} over ${transport}: it lists tools with portable schemas`, async () => {
        const options = ['--protocol-era', era, '--method', 'tools/list', '--strict']
        const { exitCode, output } = await inspector(...options)
        assert.equal(exitCode, 0, output)
        assert.match(output, /"documents_create"/)
      })

      test(`${era} over ${transport}: it calls a tool`, async () => {
        const options = ['--protocol-era', era, '--method', 'tools/call', '--tool-name', 'me_get']
        const { exitCode, output } = await inspector(...options)
        assert.equal(exitCode, 0, output)
        assert.match(output, /effective_scopes/)
      })
    }
  }
})
