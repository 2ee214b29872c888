/**
 * clients.md 5: guides are rendered from the journeys, and no example is ever wrong. Each guide is
 * played as a reader would, with LONG=1 in every language, and comes to the same.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { type Section, pagesOf } from '../../src/docs/blocks.ts'
import { journeyFiles } from '../../src/docs/chapters/journeys.ts'
import { callingSteps, journeyOf } from '../../src/docs/journeys/arazzo.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { operations } from '../../src/operations/index.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { type TabLabel, examplesFolder, runExample } from '../support/contract/example-programs.ts'
import { sandboxClient } from '../support/sandbox/sandbox-client.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { listen, localReceiverSettings, startReceiver } from '../support/webhooks/receiver.ts'

const isLong = process.env['LONG'] === '1'

/** At its own pace, the demo counterparty may act before the reader does. */
const running = await startTestService(localReceiverSettings)
const { baseUrl } = running
const { provisionSandbox } = sandboxClient(running)
const docs = docsOf(operations, readConfig({ BASE_URL: baseUrl }))
const folder = examplesFolder()

const guidePage = (id: string): Section => pagesOf(docs).find((page) => page.id === id)!

const stepText = ({ blocks }: Section, label: string): string =>
  blocks
    .flatMap((block) => (block.kind === 'tabs' ? block.tabs : []))
    .filter((tab) => tab.label === label)
    .map(({ text }) => text)
    .join('')

/** A reader repeats the call until the bill has been delivered; a program waits for it. */
const waits: Record<TabLabel, string> = {
  curl: 'curl -sS $DELIVERED',
  CLI: 'curl -sS $DELIVERED',
  TypeScript: "await fetch(process.env['DELIVERED'] ?? '')",
  Python: "__import__('urllib.request').request.urlopen(environ['DELIVERED'])",
}

/** A minute of the sandbox, in which the demo counterparty does all that it is going to do. */
const eagerAnswers = `
curl -sS --fail-with-body -o /dev/null $DOCEX_BASE_URL/v1/sandbox/clock \\
  -H "Authorization: Bearer $API_KEY" -H "Idempotency-Key: $RUN-clock-$((clock += 1))" \\
  -H 'Content-Type: application/json' -d '{"advance_by":"PT1M"}'
`

/** In curl, the demo counterparty is faster than the reader at every step. */
const programOf = (id: string, label: TabLabel): string =>
  (guidePage(id).sections ?? [])
    .map((step) => {
      const text = stepText(step, label)
      return step.id === 'guide-webhooks-see-it-delivered' ? `${waits[label]}\n${text}` : text
    })
    .join(label === 'curl' ? eagerAnswers : '\n')

type Rows = Record<string, unknown>[]

/** What a guide has made, without ids, numbers and times. */
const outcomeOf = async (session: string): Promise<Record<string, string[]>> => {
  const rows = async (path: string, ...names: string[]) => {
    const { body } = await callApi(running, 'GET', path, { key: session })
    return (body.data as Rows).map((row) => names.map((name) => row[name]).join(' ')).toSorted()
  }
  return {
    documents: await rows('/v1/documents', 'document_type', 'status', 'total', 'balance_due'),
    payments: await rows('/v1/payments', 'status', 'amount'),
    approvals: await rows('/v1/approvals', 'status', 'amount'),
    agreements: await rows('/v1/finance/agreements', 'status', 'amount_owed'),
    keys: await rows('/v1/keys', 'status', 'name'),
  }
}

/** A receiver of webhooks, and an address that answers once a bill has been delivered to it. */
const receiverFor = async (session: string) => {
  const receiver = await startReceiver()
  const bills = async () => {
    const { body } = await callApi(running, 'GET', '/v1/webhooks', { key: session })
    const path = `/v1/webhooks/${body.data[0].id}/deliveries?type=document.created`
    const { data } = (await callApi(running, 'GET', path, { key: session })).body
    return (data as { status: string }[]).some(({ status }) => status === 'succeeded')
  }
  const server = createServer(
    (_, response) => void until('a bill is delivered', bills).then(() => response.end()),
  )
  const address = `http://127.0.0.1:${await listen(server)}/`
  const types = () => receiver.received.map(({ event }) => event.type as string)
  return { types, variables: { RECEIVER_URL: receiver.url, DELIVERED: address } }
}

/** Plays a guide in a practice pair of its own, once the pair has a signed log. */
const played = async (id: string, label: TabLabel): Promise<Record<string, string[]>> => {
  const { key, demo, session, connection } = await provisionSandbox()
  await until('the log has a checkpoint', async () => {
    const { body } = await callApi(running, 'GET', '/v1/log/checkpoint', { key })
    return typeof body.checkpoint === 'string'
  })
  const { types, variables } = await receiverFor(session)
  const { status, stdout, stderr } = await runExample(label, programOf(id, label), folder, {
    RUN: freshIdempotencyKey(),
    API_KEY: key,
    DEMO_API_KEY: demo,
    ADMIN_SESSION_TOKEN: session,
    CONNECTION_ID: connection,
    MCP_URL: `${baseUrl}/mcp`,
    DOCEX_API_KEY: key,
    DOCEX_BASE_URL: baseUrl,
    ...variables,
  })
  assert.equal(status, 0, `${stderr}\n${stdout.slice(-2000)}`)
  const verdicts = stdout.match(/\bVALID\b/g) ?? []
  return { ...(await outcomeOf(session)), received: types(), verdicts: [...verdicts] }
}

/** What is there in the end. */
const ends: Readonly<Record<string, Readonly<Record<string, string[]>>>> = {
  quickstart: { documents: ['invoice approved 304.07 304.07'] },
  'guide-send-and-get-paid': { documents: ['invoice paid 1080 0'], payments: ['settled 1080'] },
  'guide-approve-and-pay': {
    approvals: ['executed 500'],
    payments: ['settled 500'],
    keys: ['active Accounts payable'],
  },
  'guide-quote-to-cash': {
    documents: ['quote converted 1296 0', 'purchase_order fulfilled 1296 0'],
    payments: ['settled 1296'],
  },
  'guide-webhooks': {
    documents: ['invoice submitted 120 120', 'invoice submitted 500 500'],
    received: ['ping', 'document.created'],
  },
  'guide-verify-a-proof': { documents: ['invoice submitted 1080 1080'] },
  'guide-finance': { agreements: ['closed 0'] },
  'guide-mcp': { documents: ['invoice submitted 1080 1080'] },
}

test('the receiver of the guide to webhooks prints what it receives, and accepts it', async (t) => {
  const { blocks } = guidePage('guide-webhooks')
  const program = blocks.find((block) => block.kind === 'code' && block.language === 'js')
  assert(program?.kind === 'code')
  const free = createServer()
  const port = String(await listen(free))
  await new Promise((resolve) => free.close(resolve))
  const argv = ['--input-type=module', '--eval', program.text.replace('9000', port)]
  const receiver = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => receiver.kill())
  let printed = ''
  receiver.stdout.on('data', (text: Buffer) => (printed += text.toString()))
  const send = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"id":"evt_1"}' })
  await until('it accepts', async () => (await send().catch(() => undefined))?.status === 200)
  await until('it prints', () => printed.includes('{"id":"evt_1"}'))
})

const clients: readonly TabLabel[] = ['TypeScript', 'Python', 'CLI']

/** The short suite plays each guide in curl and in one other language, in turn. */
const labelsOf = (turn: number): readonly TabLabel[] =>
  isLong ? ['curl', ...clients] : ['curl', clients[turn % clients.length]!]

describe('the guides', { concurrency: 2 }, () => {
  for (const [turn, [id, end]] of Object.entries(ends).entries()) {
    const labels = id === 'guide-mcp' ? (['curl'] as const) : labelsOf(turn)
    for (const label of labels) {
      test(`${id} in ${label} comes to what the journey says`, async () => {
        const outcome = await played(id, label)
        const hasVerifier = id === 'guide-verify-a-proof' && ['curl', 'CLI'].includes(label)
        assert.deepEqual(outcome['verdicts'], hasVerifier ? ['VALID'] : [])
        for (const [name, rows] of Object.entries(end)) {
          for (const row of rows) assert(outcome[name]!.includes(row), JSON.stringify(outcome))
        }
      })
    }
  }
})

test('each step of a journey is a section, with what the file says of it', () => {
  for (const { guide, name, summary } of journeyFiles) {
    const { workflows } = journeyOf(name)
    const { blocks, sections = [] } = guidePage(guide)
    assert.deepEqual(blocks[0], { kind: 'text', text: summary })
    // What no call does, a reader does at the end.
    const own = guide === 'guide-verify-a-proof' ? 1 : 0
    assert.equal(sections.length, workflows[0].steps.length + own)
    for (const [i, { description, successCriteria }] of workflows[0].steps.entries()) {
      const section = sections[i]!
      assert.deepEqual(section.blocks[0], { kind: 'text', text: description })
      assert.match(section.title, new RegExp(`^${i + 1}\\. [A-Z]`))
      const table = section.blocks.find((block) => block.kind === 'table')
      assert.equal(table?.rows.length ?? 0, successCriteria.length - 1, `${name} ${section.title}`)
    }
  }
})

test('every guide is played', () => {
  assert.deepEqual(Object.keys(ends).toSorted(), journeyFiles.map(({ guide }) => guide).toSorted())
})

const operationsOfGuides = new Set(
  journeyFiles
    .flatMap(({ name }) => callingSteps(journeyOf(name), operations, baseUrl))
    .flatMap(({ call }) => call?.operation.id ?? []),
)

test('every operation that the tour of README.md uses is played in a guide', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, tour = ''] = /## A tour in five minutes\n([\s\S]*?)\n## /.exec(readme) ?? []
  const calls = [...tour.matchAll(/^\s*(get|post) \$\w+ ["']?(\/[^\s"'?]*)/gm)]
  const missing = new Set<string>()
  assert(calls.length >= 15)
  for (const [, verb = '', path = ''] of calls) {
    const asked = `/v1${path.replaceAll(/\$\w+/g, 'x')}`
    const operation = operations.find((one) => {
      const pattern = new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return one.method === verb.toUpperCase() && pattern.test(asked)
    })
    assert(operation !== undefined, asked)
    if (!operationsOfGuides.has(operation.id)) missing.add(operation.id)
  }
  assert.deepEqual([...missing], [])
})
