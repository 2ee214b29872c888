/**
 * What the docs, README.md and docs/operating say to paste into a shell works, in order, with a
 * service that was started with defaults, while the demo counterparty acts as it always does.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { type Block, type Section, flattenSections, pagesOf } from '../../src/docs/blocks.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { operations } from '../../src/operations/index.ts'
import { type TabLabel, examplesFolder, runExample } from '../support/contract/example-programs.ts'
import { type ReadmeBlock, readmeBlocks } from '../support/contract/readme-blocks.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { startDefaultService } from '../support/processes/default-service.ts'
import { inheritedEnvironment, launchProgram, readyAddress } from '../support/processes/program.ts'

const { baseUrl, folder, output } = await startDefaultService()
const examples = examplesFolder()

type Settings = Record<'DATABASE_URL' | 'SERVER_KEY' | 'PRACTICE_ORGANIZATIONS', string>

interface Sandbox {
  organization: { api_key: string; admin: { email: string; password: string } }
  connection_id: string
}

const sandbox = (): Sandbox =>
  JSON.parse(readFileSync(join(folder, '.data/sandbox.json'), 'utf8')) as Sandbox

/**
 * Any command that fails ends the script, and so does a response that is an error. As a client
 * should, it repeats what a busy service has refused with 503.
 */
const strict =
  'set -e -o pipefail\ncurl() { command curl -sS --fail-with-body --retry 5 --retry-delay 1 "$@"; }\n'

interface Run {
  status: number | string
  stdout: string
  stderr: string
}

const runShell = (script: string, cwd: string): Promise<Run> =>
  new Promise((resolve) => {
    const env = { ...inheritedEnvironment, DATA_DIR: join(folder, '.data') }
    execFile('bash', ['-c', script], { cwd, env }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    )
  })

const runStrictly = async (script: string, cwd: string): Promise<void> => {
  const { status, stdout, stderr } = await runShell(strict + script, cwd)
  assert.equal(status, 0, `${stderr}\n${stdout.slice(-2000)}`)
}

const docs = docsOf(operations, readConfig({ BASE_URL: baseUrl }))

const isShell = (block: Block): block is Extract<Block, { kind: 'code' }> =>
  block.kind === 'code' && block.language === 'sh'

const shellOf = (sections: readonly Section[]): string =>
  flattenSections(sections)
    .flatMap(({ blocks }) => blocks)
    .filter(isShell)
    .map(({ text }) => text)
    .join('\n')

const setup = shellOf(docs.front)
const guides = pagesOf(docs).filter(
  (page) => !page.id.startsWith('reference') && shellOf([page]) !== '',
)

test('the guides have snippets, and none has a placeholder', () => {
  assert(guides.length >= 7)
  for (const page of guides) assert.doesNotMatch(shellOf([page]), /…|<[A-Z_]+>/, page.id)
  assert.doesNotMatch(setup, /…/)
})

const blocksUnder = (file: string, heading: string): ReadmeBlock[] =>
  readmeBlocks(file).filter((block) => block.heading === heading)

const textOf = (blocks: readonly ReadmeBlock[]): string => blocks.map(({ text }) => text).join('\n')

const here = (script: string): string => script.replaceAll('http://localhost:8080', baseUrl)

/** Ids, credentials, dates and counters differ from run to run. */
const withoutVolatile = (output: string): string =>
  output
    .replaceAll(/\b(doc|org|req|evt)_[0-9a-z]{26}/g, '$1_…')
    .replaceAll(/rk_test_dx1_[\w-]{8}/g, 'rk_test_dx1_…')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'date')
    .replaceAll('\r', '')
    .trim()

test('the tour of README.md prints what it says', async () => {
  const blocks = blocksUnder('README.md', 'A tour in five minutes')
  const commands = blocks.filter(({ language }) => language === 'sh')
  const expected = blocks.filter(({ language }) => language === '').map(({ text }) => text)
  assert(commands.length >= 12)
  const { stdout, stderr } = await runShell(here(textOf(commands)), folder)
  assert.equal(withoutVolatile(stdout), withoutVolatile(expected.join('')), stderr)
})

test('the start prints what README.md says', () => {
  const [, printed] = blocksUnder('README.md', 'Two commands')
  const linesOf = (text: string) =>
    text
      .replaceAll(/http:\/\/localhost:\d+/g, 'address')
      .replaceAll(/[\d.]+/g, 'n')
      .split('\n')
  const lines = new Set(linesOf(output()))
  for (const line of linesOf(printed!.text)) assert(lines.has(line), `${line}\n${output()}`)
})

/** What follows runs every other block of these files, heading by heading. */
const readmes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'Two commands': 'startDefaultService is `npm start`, and `npm test` runs this test',
    'A tour in five minutes': 'compared with its output above',
    Clients: 'run',
  },
  'docs/operating/commands.md': { "Operators' commands": 'the usage, compared in readmes.test.ts' },
  'docs/operating/signing-in.md': {
    'Signing in': 'run, with the address and password of sandbox.json',
    'A first live key': 'run, without the second that npm takes',
  },
  'docs/operating/postgresql.md': {
    'On your own PostgreSQL': 'run, with another database',
    'Connection poolers': 'compared in connection-poolers.test.ts',
    'Locks of others': 'run in locked-migration.test.ts',
  },
  'sdk/README.md': {
    docex: 'run',
    'Lists, changes and events': 'run',
    Receipts: 'run',
    'Webhooks and proofs': 'run',
  },
  'sdk-python/README.md': {
    'docex for Python': 'run, with the key and address of sandbox.json',
    'Lists, changes and events': 'run',
    Receipts: 'run',
    Webhooks: 'run',
  },
  'cli/README.md': { 'docex-cli': 'run, with the ids of the practice pair' },
}

test('every block of code of the READMEs is known here', () => {
  for (const [file, headings] of Object.entries(readmes)) {
    const found = new Set(readmeBlocks(file).map(({ heading }) => heading))
    assert.deepEqual([...found].toSorted(), Object.keys(headings).toSorted(), file)
  }
})

/** Once around: `npm run -s admin -- …` without npm, and `npm start` tells its settings. */
const npm = `npm() {
  if [ "$1" = start ]; then node -p 'JSON.stringify(process.env)'; return; fi
  while [ "$1" != -- ]; do shift; done; shift
  node scripts/admin.ts "$@"
}
`

const line = { description: 'Oak shelf', quantity: 2, unit_price: 50, tax_rate: 0 }

/** What the snippets of the SDKs leave to their reader. A handled event ends the following. */
const typescriptValues = `import { signPayload } from 'docex/webhooks'
const { DOCEX_API_KEY: apiKey, DOCEX_BASE_URL: baseUrl, AFTER: after } = process.env
const connection_id = process.env['CONNECTION_ID'] ?? ''
const line_items = [${JSON.stringify(line)}]
const since = '2020-01-01T00:00:00Z'
const stop = new AbortController()
const signal = stop.signal
const handle = async (event: { id: string }) => stop.abort(event)
const [secret, rawBody] = ['whsec_example', '{"type":"ping"}']
const request = { headers: { 'svc-signature': await signPayload(rawBody, secret) } }
`
const pythonValues = `from os import environ
from docex.webhooks import sign_payload
connection_id, after = environ["CONNECTION_ID"], environ["AFTER"]
since = "2020-01-01T00:00:00Z"
handle = lambda event: False
secret, raw_body = "whsec_example", b'{"type":"ping"}'
headers = {"Svc-Signature": sign_payload(raw_body, secret)}
`

const callOwn = async (method: string, path: string, body?: object) => {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      Authorization: `Bearer ${sandbox().organization.api_key}`,
      'Idempotency-Key': crypto.randomUUID(),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- documents and lists of events
  const answer = (await response.json()) as any
  assert(response.ok, JSON.stringify(answer))
  return answer
}

const newestEvent = async (): Promise<string> =>
  (await callOwn('GET', '/v1/events?limit=1')).data[0].id

const runsAs = async (label: TabLabel, program: string, after = ''): Promise<void> => {
  const { status, stdout, stderr } = await runExample(label, program, examples, {
    DOCEX_API_KEY: sandbox().organization.api_key,
    DOCEX_BASE_URL: baseUrl,
    CONNECTION_ID: sandbox().connection_id,
    AFTER: after,
  })
  assert.equal(status, 0, `${stderr}\n${stdout.slice(-2000)}`)
}

/** They come after the tour, which shows the first numbers of documents. */
describe('in a shell of its own', { concurrency: 2 }, () => {
  for (const [file, heading] of [
    ['README.md', 'Clients'],
    ['docs/operating/signing-in.md', 'Signing in'],
    ['docs/operating/signing-in.md', 'A first live key'],
  ] as const) {
    test(`the snippets under ${heading} in ${file} work`, async () => {
      const { email, password } = sandbox().organization.admin
      const script = here(textOf(blocksUnder(file, heading)))
        .replace('"email":"you@example.com"', `"email":"${email}"`)
        .replace('"password":"…"', `"password":"${password}"`)
      const address = `export DOCEX_BASE_URL=${baseUrl} DOCEX_CONFIG_DIR=${folder}/config\n`
      await runStrictly(address + npm + script, folder)
    })
  }

  test('the snippet of docs/operating/postgresql.md works', async () => {
    const { url } = await testDatabase()
    const [block] = readmeBlocks('docs/operating/postgresql.md')
    const script = block!.text.replace(/postgresql:\S+/, url)
    const { stdout } = await runShell(strict + npm + script, folder)
    const { DATABASE_URL, SERVER_KEY, PRACTICE_ORGANIZATIONS } = JSON.parse(stdout) as Settings
    const settings = { DATABASE_URL, SERVER_KEY, PRACTICE_ORGANIZATIONS, DATA_DIR: `${folder}/own` }
    const program = launchProgram(settings)
    const { status } = await fetch(`${await readyAddress(program)}/readyz`)
    assert.equal(status, 200)
    assert.doesNotMatch(program.output(), /provisioned/)
  })

  test('the snippets of sdk/README.md work', async () => {
    const program = `${typescriptValues}\n${textOf(readmeBlocks('sdk/README.md'))}`
    await runsAs('TypeScript', program, await newestEvent())
  })

  test('the snippets of sdk-python/README.md work', async () => {
    const program = textOf(readmeBlocks('sdk-python/README.md'))
      .replace('rk_test_…', sandbox().organization.api_key)
      .replace('http://localhost:8080', baseUrl)
    await runsAs('Python', `${pythonValues}\n${program}`, await newestEvent())
  })

  test('the snippet of cli/README.md works', async () => {
    const bill = await callOwn('POST', '/v1/sandbox/demo/documents', {
      document_type: 'invoice',
      line_items: [line],
      scenario: 'manual',
    })
    const script = textOf(readmeBlocks('cli/README.md'))
      .replace('con_…', sandbox().connection_id)
      .replace('doc_…', bill.id)
    writeFileSync(join(examples, 'lines.json'), JSON.stringify([line]))
    symlinkSync(join(folder, '.data'), join(examples, '.data'))
    await runsAs('CLI', script)
  })

  const variables = join(folder, 'variables.sh')
  before(() => runStrictly(`${setup}\nexport -p > ${variables}`, folder))

  for (const page of guides) {
    test(`every snippet of ${page.title} works after those of the front page`, async () => {
      // The verifiers and proofs that a guide downloads stay in a folder of its own.
      const cwd = mkdtempSync(join(folder, 'guide-'))
      await runStrictly(`source ${variables}\n${shellOf([page])}`, cwd)
    })
  }
})
