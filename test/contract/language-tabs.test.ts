/**
 * clients.md 5: the example of an operation is the same call in every language. Each tab of the
 * reference is run, and what it sends is compared with what the operation declares.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pagesOf } from '../../src/docs/blocks.ts'
import { readConfig } from '../../src/config.ts'
import {
  type ExampleCall,
  exampleCallOf,
  exampleVariables,
  filledPath,
} from '../../src/docs/languages/example-call.ts'
import { isLive, takesIdempotencyKey, isVersioned } from '../../src/docs/operation-facts.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { toolsOf } from '../../src/mcp/tools.ts'
import { operations } from '../../src/operations/index.ts'
import {
  type TabLabel,
  examplesFolder,
  pythonComplaints,
  typescriptComplaints,
  withoutMypy,
} from '../support/contract/example-programs.ts'
import { referenceTabsOf, runTabs, tabIn, tabsOf } from '../support/contract/reference-tabs.ts'
import { startRecordingServer } from '../support/contract/recording-server.ts'

const { baseUrl, recorded } = await startRecordingServer(operations)
const docs = docsOf(operations, readConfig({ BASE_URL: baseUrl }))
const referenceTabs = referenceTabsOf(docs)
const served = operations.filter(isVersioned)

const labels = ['curl', 'TypeScript', 'Python', 'CLI', 'MCP tool']

test('every operation has its example in each language', () => {
  for (const { id } of served) {
    const tabs = referenceTabs(id)
    assert.deepEqual([id, ...tabs.map(({ label }) => label)], [id, ...labels])
    for (const { text } of tabs) assert(text.length > 10, id)
  }
})

const credentials = {
  API_KEY: 'key-of-the-shop',
  DOCEX_API_KEY: 'key-of-the-shop',
  ADMIN_SESSION_TOKEN: 'session-of-the-admin',
}

/** As the recording server sees the declared call. */
const expectedCall = ({ operation, path, query, body, credential, ...call }: ExampleCall) => ({
  method: operation.method,
  path: filledPath({ operation, path, query, ...call }),
  query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  body,
  credential: credential === undefined ? undefined : credentials[credential as 'API_KEY'],
  hasKey: takesIdempotencyKey(operation),
})

const runnable = served.filter((operation) => !isLive(operation))
const folder = examplesFolder()

/** The clients send an empty body where none is needed, and their key even where none is asked. */
const comparable = (call: ReturnType<typeof expectedCall>, isPublic: boolean) => ({
  ...call,
  body: call.body !== undefined && Object.keys(call.body).length === 0 ? undefined : call.body,
  credential: isPublic ? undefined : call.credential,
})

const environment = { ...credentials, ...exampleVariables, DOCEX_BASE_URL: baseUrl }

describe('what the tabs send', { concurrency: 1 }, () => {
  for (const label of ['curl', 'TypeScript', 'Python', 'CLI'] as const) {
    test(`${label}: the declared call of each operation`, async () => {
      recorded.length = 0
      const texts = runnable.map(({ id }) => tabIn(referenceTabs(id), label))
      await runTabs(label, texts, folder, environment)
      const expected = runnable.map((operation) => exampleCallOf(operation, baseUrl))
      for (const [i, call] of expected.entries()) {
        const isPublic = call.credential === undefined
        const sent = recorded[i] as ReturnType<typeof expectedCall>
        assert.deepEqual(
          comparable(sent, isPublic),
          comparable(expectedCall(call), isPublic),
          call.operation.id,
        )
      }
      assert.equal(recorded.length, expected.length)
    })
  }

  test('MCP tool: the tool of the operation takes these arguments, in their places', () => {
    const tools = new Map(toolsOf(operations).map((tool) => [tool.listed.name, tool]))
    for (const { id } of served) {
      const { name, arguments: values } = JSON.parse(tabIn(referenceTabs(id), 'MCP tool')) as {
        name: string
        arguments: Record<string, unknown>
      }
      const tool = tools.get(name)
      assert.equal(tool?.operation.id, id)
      for (const argument of Object.keys(values))
        assert(tool!.places.has(argument), `${id} ${argument}`)
      for (const argument of tool!.required) assert(argument in values, `${id} ${argument}`)
    }
  })
})

/** The whole program of each guide that has one. */
const guidePrograms = (label: TabLabel): string[] =>
  pagesOf(docs)
    .map(({ sections: steps = [] }) =>
      steps
        .map(({ blocks }) => tabIn(tabsOf(blocks), label))
        .filter(Boolean)
        .join('\n'),
    )
    .filter((text) => text.includes('docex') || text.includes('Docex'))

test('every example in TypeScript passes the strict type check', async () => {
  const texts = served.map(({ id }) => tabIn(referenceTabs(id), 'TypeScript'))
  const programs = guidePrograms('TypeScript')
  assert(programs.length >= 7)
  assert.equal(await typescriptComplaints([...texts, ...programs]), '')
})

test('every example in Python passes mypy --strict', { skip: withoutMypy }, async () => {
  const texts = served.map(({ id }) => tabIn(referenceTabs(id), 'Python'))
  const programs = guidePrograms('Python')
  assert(programs.length >= 7)
  assert.equal(await pythonComplaints([...texts, ...programs]), '')
})
