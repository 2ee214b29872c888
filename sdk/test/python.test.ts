/** The SDK for Python: its tests run against a service behind the fault server of this SDK. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pythonMethods } from '../../scripts/generate.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { loanParties, loansClient } from '../../test/support/finance/loans.ts'
import { aPair } from '../../test/support/fixtures.ts'
import { hasProgram } from '../../test/support/processes/has-program.ts'
import {
  type DocumentTable,
  type OldRows,
  documentTables,
  oldRowsOf,
} from '../../test/support/provenance/document-rollback.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { type Fault, startFaultServer } from './support/fault-server.ts'

// Nothing is logged but by requests, so nobody else knows of what the database has forgotten.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const faulty = await startFaultServer(running.baseUrl)
const pair = await aPair(running)

const kept = new Map<string, OldRows>()

/** What a test of Python asks for. */
const controls: Readonly<Record<string, (value: unknown) => unknown>> = {
  play: (faults) => {
    faulty.script.splice(0, faulty.script.length, ...(faults as Fault[]))
    faulty.requests.length = 0
    return null
  },
  requests: () => faulty.requests,
  count: async (notes) => {
    const row = await running.database.row<{ count: number }>(sql`
      select count(*)::int as count from documents where content like ${`%${String(notes)}%`}`)
    return row!.count
  },
  loan: async () => {
    const parties = await loanParties(running)
    const { id, offer_id: offer } = await loansClient(running).funded(parties)
    return { key: parties.lender.key, agreement: id, offer }
  },
  keepRows: async (id) => {
    kept.set(String(id), await oldRowsOf(running, decodeId('doc', String(id))!))
    return null
  },
  putRowsBack: async (id) => {
    await kept.get(String(id))!.putBack(Object.keys(documentTables) as DocumentTable[])
    return null
  },
}

const control = http.createServer((request, response) => {
  const answer = async () => {
    const text = Buffer.concat(await request.toArray()).toString()
    const value = await controls[request.url!.slice(1)]!(JSON.parse(text))
    response.end(JSON.stringify(value))
  }
  answer().catch((error: unknown) => response.writeHead(500).end(String(error)))
})
control.listen(0, '127.0.0.1')
await once(control, 'listening')
after(() => {
  control.closeAllConnections()
  control.close()
})

const folder = fileURLToPath(new URL('../../sdk-python', import.meta.url))

/** Each version once: the one in use, and those beside it. */
const everyPython = new Map(
  ['python3', ...[11, 12, 13, 14, 15].map((minor) => `python3.${minor}`)].flatMap((program) => {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
    return status === 0 ? [[stdout.trim(), program] as const] : []
  }),
)

test('there is a Python for the tests of the SDK (they need 3.11)', (t) => {
  assert(everyPython.size > 0, 'apt-get install python3 installs one.')
  t.diagnostic(`played in ${[...everyPython.keys()].join(', ')}`)
})

for (const [version, python] of everyPython) {
  test(`the tests of the SDK for Python pass in ${version}`, () => assertTestsPass(python))
}

const assertTestsPass = async (python: string): Promise<void> => {
  const { port } = control.address() as AddressInfo
  const tests = spawn(python, ['-W', 'error', '-m', 'unittest', '-v'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUTF8: '1',
      DOCEX_API_KEY: pair.issuer.key,
      DOCEX_BASE_URL: faulty.baseUrl,
      DOCEX_TEST_DIRECT_URL: running.baseUrl,
      DOCEX_TEST_CONNECTION: pair.connection,
      DOCEX_TEST_CONTROL: `http://127.0.0.1:${port}`,
      DOCEX_TEST_OPERATIONS: JSON.stringify(pythonMethods()),
      DOCEX_TEST_VECTORS: fileURLToPath(
        new URL('../../test/vectors/signature.json', import.meta.url),
      ),
    },
  })
  let output = ''
  for (const stream of [tests.stdout, tests.stderr]) {
    stream.on('data', (text: Buffer) => (output += text.toString()))
  }
  const [code] = (await once(tests, 'close')) as [number | null]
  assert.equal(code, 0, output)
  assert.match(output, /Ran \d\d tests/)
}

const withoutMypy =
  !hasProgram('mypy') && process.env['CI'] !== 'true' && 'apt-get install mypy installs it'

test('mypy finds nothing in the SDK for Python and its tests', { skip: withoutMypy }, () => {
  const args = ['--cache-dir', temporaryFolder()]
  const { status, stdout, stderr } = spawnSync('mypy', args, { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  assert.match(stdout, /no issues found in \d\d source files/)
})
