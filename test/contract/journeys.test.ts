/**
 * clients.md 5: the journeys are Arazzo files that `redocly respect` runs against the service. Each
 * step checks its own criteria, and that the response is one that OpenAPI declares.
 */
import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { journeyFiles } from '../../src/docs/chapters/journeys.ts'
import { freshIdempotencyKey } from '../support/api-client.ts'
import { runJourney, withoutRespect } from '../support/contract/respect.ts'
import { sandboxClient } from '../support/sandbox/sandbox-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'
import { localReceiverSettings, startReceiver } from '../support/webhooks/receiver.ts'

const root = resolve(import.meta.dirname, '../..')
const files = globSync('docs/journeys/*.arazzo.yaml', { cwd: root }).sort()
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Journey {
  info: { title: string; summary: string }
  sourceDescriptions: { name: string; url: string }[]
  workflows: {
    workflowId: string
    steps: {
      stepId: string
      description: string
      operationPath?: string
      'x-operation'?: { url: string }
      successCriteria: { condition: string }[]
    }[]
  }[]
}

interface Specification {
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const journeyOf = (file: string) => parse(textOf(file)) as Journey
const stepsOf = (file: string) => journeyOf(file).workflows.flatMap(({ steps }) => steps)

// The demo counterparty has its own pace; in test/contract/guides.test.ts it is also faster.
const running = await startTestService(localReceiverSettings)
const { provisionSandbox } = sandboxClient(running)
const receiver = await startReceiver()

/** A call of MCP is no operation of OpenAPI. */
const mcpCall = { url: '$workflows.mcp.inputs.mcp_url', method: 'post' }

/** The inputs of every journey, in a practice pair of its own. */
const inputs = async (): Promise<Record<string, string>> => {
  const { key, demo, session, connection } = await provisionSandbox()
  return {
    run: freshIdempotencyKey(),
    api_key: key,
    demo_api_key: demo,
    admin_session_token: session,
    connection_id: connection,
    receiver_url: receiver.url,
    mcp_url: `${running.baseUrl}/mcp`,
  }
}

test('clients.md 5: there is a journey for each task', () => {
  assert.deepEqual(files.map((file) => basename(file, '.arazzo.yaml')).toSorted(), [
    'approve-and-pay',
    'finance',
    'mcp',
    'quickstart',
    'quote-to-cash',
    'send-and-get-paid',
    'verify-a-proof',
    'webhooks',
  ])
})

const isDeclared = (path: string, specifications: ReadonlyMap<string, Specification>): boolean => {
  const [, source = '', pointer = ''] =
    /^\{\$sourceDescriptions\.(\w+)\.url\}#\/paths\/(.*)$/.exec(path) ?? []
  const [template = '', method = ''] = pointer.split('/')
  return specifications.get(source)?.paths[template.replaceAll('~1', '/')]?.[method] !== undefined
}

test('two journeys with the same inputs share no Idempotency-Key', () => {
  for (const file of files) {
    const keys = [...textOf(file).matchAll(/'(\{\$inputs\.run\}-\S+)'/g)].map(([, key]) => key!)
    const prefix = `{$inputs.run}-${basename(file, '.arazzo.yaml')}-`
    assert(keys.length > 0 && keys.every((key) => key.startsWith(prefix)), file)
  }
})

for (const file of files) {
  test(`${file}: every step calls a declared operation and says what its success is`, () => {
    const { sourceDescriptions } = journeyOf(file)
    const specifications = new Map(
      sourceDescriptions.map(({ name, url }) => [
        name,
        JSON.parse(textOf(basename(url))) as Specification,
      ]),
    )
    for (const { stepId, description, successCriteria, ...call } of stepsOf(file)) {
      if (call.operationPath === undefined) assert.deepEqual(call['x-operation'], mcpCall, stepId)
      else assert(isDeclared(call.operationPath, specifications), `${stepId} ${call.operationPath}`)
      assert.match(description, /^[A-Z].*\.$/, stepId)
      assert.match(successCriteria[0]?.condition ?? '', /^\$statusCode == [24]\d\d$/, stepId)
    }
  })
}

describe('redocly respect', { skip: withoutRespect, concurrency: 2 }, () => {
  for (const file of files) {
    test(`${file}: every step passes, and only the service is called`, async () => {
      const { exitCode, output, steps } = await runJourney(
        join(root, file),
        running.baseUrl,
        await inputs(),
      )
      assert.equal(exitCode, 0, output)
      const written = stepsOf(file)
      assert.deepEqual(
        [...new Set(steps.map(({ stepId }) => stepId))],
        written.map(({ stepId }) => stepId),
      )
      const undeclared = new Set(
        written.filter((one) => one.operationPath === undefined).map(({ stepId }) => stepId),
      )
      for (const { stepId, request, checks } of steps) {
        assert(request.url.startsWith(`${running.baseUrl}/`), `${stepId}: ${request.url}`)
        const names = new Set(checks.map(({ name }) => name))
        assert(names.has('success criteria check'), stepId)
        assert.equal(names.has('schema check'), !undeclared.has(stepId), stepId)
      }
    })
  }

  /** Runs the quickstart with one text of it, or of OpenAPI, replaced. */
  const runMutated = async (path: string, from: string, to: string) => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'docs/journeys'), { recursive: true })
    for (const one of ['docs/journeys/quickstart.arazzo.yaml', 'openapi.json']) {
      const text = textOf(one)
      assert(one !== path || text.includes(from))
      writeFileSync(join(folder, one), one === path ? text.replace(from, to) : text)
    }
    const file = join(folder, 'docs/journeys/quickstart.arazzo.yaml')
    return runJourney(file, running.baseUrl, await inputs())
  }

  const failedChecks = ({ steps }: Awaited<ReturnType<typeof runMutated>>) =>
    steps.flatMap(({ stepId, checks }) =>
      checks.filter(({ status }) => status !== 'success').map(({ name }) => [stepId, name]),
    )

  test('a journey fails if one expectation is wrong', async () => {
    const run = await runMutated('docs/journeys/quickstart.arazzo.yaml', '== 19.19', '== 19.18')
    assert.equal(run.exitCode, 1, run.output)
    assert.deepEqual(failedChecks(run), [['createADraft', 'success criteria check']])
  })

  test('a journey fails if a response is not the one that OpenAPI declares', async () => {
    const run = await runMutated('openapi.json', '"effective_scopes",\n', '"effectiveScopes",\n')
    assert.equal(run.exitCode, 1, run.output)
    assert.deepEqual(failedChecks(run), [['checkTheKey', 'schema check']])
  })
})

test('clients.md 5: the docs list every journey and serve it with their addresses', async () => {
  assert.deepEqual(
    journeyFiles.map(({ name }) => `docs/journeys/${name}`).toSorted(),
    files.toSorted(),
  )
  const { baseUrl } = running.service.context.config
  for (const { name, title, summary, path } of journeyFiles) {
    const { info } = journeyOf(`docs/journeys/${name}`)
    assert.deepEqual([title, summary], [info.title, info.summary])
    const response = await fetch(`${running.baseUrl}${path}`)
    assert.match(response.headers.get('content-type') ?? '', /^application\/yaml/)
    const served = parse(await response.text()) as Journey
    for (const { url } of served.sourceDescriptions) {
      assert(url.startsWith(`${baseUrl}/`), url)
      const reply = await fetch(url.replace(baseUrl, running.baseUrl))
      assert.equal(reply.status, 200, url)
    }
  }
})
