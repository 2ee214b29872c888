/**
 * What the docs and README.md say to paste into a shell works, in order, with a service that was
 * started with defaults, while the demo counterparty acts as it always does.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { type Block, type Section, flattenSections, pagesOf } from '../../src/docs/blocks.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { operations } from '../../src/operations/index.ts'
import { startDefaultService } from '../support/processes/default-service.ts'
import { inheritedEnvironment } from '../support/processes/program.ts'

const { baseUrl, folder } = await startDefaultService()

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

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** Ids, credentials, dates and counters differ from run to run. */
const withoutVolatile = (output: string): string =>
  output
    .replaceAll(/\b(doc|org|req|evt)_[0-9a-z]{26}/g, '$1_…')
    .replaceAll(/rk_test_dx1_[\w-]{8}/g, 'rk_test_dx1_…')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'date')
    .replaceAll('\r', '')
    .trim()

test('the tour of README.md prints what it says', async () => {
  const [, tour = ''] = /## A tour in five minutes\n([\s\S]*?)\n## /.exec(readme) ?? []
  const blocks = [...tour.matchAll(/```(sh)?\n([\s\S]*?)```/g)]
  const commands = blocks.filter(([, language]) => language === 'sh').map(([, , text]) => text)
  const outputs = blocks.filter(([, language]) => language === undefined)
  assert(commands.length >= 15)
  const script = commands.join('\n').replaceAll('http://localhost:8080', baseUrl)
  const { stdout, stderr } = await runShell(script, folder)
  const expected = outputs.map(([, , text]) => text).join('')
  assert.equal(withoutVolatile(stdout), withoutVolatile(expected), stderr)
})

/** They come after the tour, which shows the first numbers of documents. */
describe('in a shell of its own', { concurrency: 2 }, () => {
  for (const chapter of ['MCP', 'Command line']) {
    test(`the snippets under ${chapter} in README.md work`, async () => {
      const [, text = ''] = new RegExp(`## ${chapter}\n([\\s\\S]*?)\n## `).exec(readme) ?? []
      const snippets = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, snippet]) => snippet)
      assert(snippets.length > 0)
      const address = `export DOCEX_BASE_URL=${baseUrl} DOCEX_CONFIG_DIR=${folder}/config\n`
      const script = snippets.join('\n').replaceAll('http://localhost:8080', baseUrl)
      await runStrictly(address + script, folder)
    })
  }

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
