/** clients.md 1: what a model reads of the tools and of a list has a limit, in tokens of o200k. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { limits } from '../../src/contract/limits.ts'
import { readConfig } from '../../src/config.ts'
import { LineItem } from '../../src/contract/shapes/line-items.ts'
import { inlineSchema } from '../../src/docs/openapi/json-schema.ts'
import { examples } from '../../src/docs/examples/index.ts'
import { rowOf, selectFields } from '../../src/operations/field-selection.ts'
import { operations } from '../../src/operations/index.ts'
import { resourcesOf } from '../../src/mcp/guide.ts'
import { defaultFields } from '../../src/mcp/argument-schemas.ts'
import { explainTool, toolsOf } from '../../src/mcp/tools.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { callTool, connectMcp } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const pageTokensMax = 8_000

/** As long as those of the service. */
const cursor = 'x1'.repeat(60)

const tokensOf = (value: unknown): number => encode(JSON.stringify(value)).length

test('clients.md 1: a tool has at most 400 tokens, and 200 on average', () => {
  const sizes = [...toolsOf(operations).map(({ listed }) => listed), explainTool].map(
    (tool) => [tool.name, tokensOf(tool)] as const,
  )
  assert.deepEqual(
    sizes.filter(([, size]) => size > 400),
    [],
  )
  const average = sizes.reduce((sum, [, size]) => sum + size, 0) / sizes.length
  assert(average <= 200, `${average} tokens a tool`)
})

test('clients.md 1: a line of a document shows its optional fields, or names them', () => {
  const line = inlineSchema(LineItem, new Map<unknown, string>())
  for (const { listed } of toolsOf(operations)) {
    const { items } = listed.inputSchema.properties['line_items'] ?? {}
    if (items === undefined) continue
    const { properties = {}, description = '' } = items
    const said = [...Object.keys(properties), ...description.split(/\W+/)]
    for (const name of Object.keys(line.properties ?? {})) {
      assert(said.includes(name), `${listed.name}: ${name}`)
    }
  }
})

test('clients.md 1: the guide shows each example once, as a tool call', () => {
  const resources = resourcesOf(operations, readConfig({}))
  const guide = resources.find(({ uri }) => uri === 'docex://guide')!.read()
  const labels = new Set([...guide.matchAll(/^([\w ]+):\n\n```/gm)].map(([, label]) => label))
  assert.deepEqual([...labels].toSorted(), ['MCP tool', 'curl'])
  // A person makes an account over HTTP, and a program verifies a proof.
  assert.equal(guide.match(/^curl:$/gm)?.length, 2)
})

test('clients.md 1: a page of the guide has at most 8,000 tokens, and the guide has them all', () => {
  const resources = resourcesOf(operations, readConfig({}))
  const pages = resources.filter(({ uri }) => uri.startsWith('docex://guide/'))
  const guide = resources.find(({ uri }) => uri === 'docex://guide')!.read()
  const titles = new Set(pages.map(({ name }) => `## ${name}`))
  const inGuide = guide.split('\n').filter((line) => titles.has(line))
  assert.equal(inGuide.length, pages.length)
  const text = pages.map((page) => page.read())
  assert(text.join('').length > guide.length * 0.95, 'together they are the guide')
  for (const page of text) assert(encode(page).length <= 8_000, page.slice(0, 50))
})

test('contract 9: names are those of the operations, and writes require idempotency_key', () => {
  for (const { operation, listed } of toolsOf(operations)) {
    assert.match(listed.name, /^[a-zA-Z0-9_-]{1,64}$/)
    const isWrite = operation.method !== 'GET'
    assert.equal(listed.inputSchema.required.includes('idempotency_key'), isWrite, listed.name)
    assert.equal('dry_run' in listed.inputSchema.properties, isWrite, listed.name)
    assert.equal(listed.annotations['readOnlyHint'] === true, !isWrite, listed.name)
  }
})

test('clients.md 1: no tool takes a confirmation, which a model could give itself', () => {
  for (const { listed } of toolsOf(operations)) {
    for (const name of Object.keys(listed.inputSchema.properties)) {
      assert.doesNotMatch(name, /confirm|consent|approved|force/i, listed.name)
    }
  }
})

test('clients.md 1: a page of a hundred rows has at most 8,000 tokens, in every list', () => {
  const lists = operations.filter(
    ({ isUnversioned, query, response }) => !isUnversioned && rowOf(query, response) !== undefined,
  )
  assert(lists.length > 20)
  for (const { id, ...declared } of lists) {
    assert(declared.summaryFields !== undefined, `${id} shows whole rows`)
    const { data } = examples[id]!.response as { data: object[] }
    const page = { data: Array<unknown>(limits.pageMax).fill(data[0]), next_cursor: cursor }
    const fields = defaultFields(declared).split(',')
    const shown = selectFields(JSON.stringify(page), fields)
    const [row] = (JSON.parse(shown) as { data: object[] }).data
    const names = new Set(fields.map((field) => field.split('.')[0]!))
    assert.deepEqual(new Set(Object.keys(row!)), names, `${id} has each of the fields`)
    const size = encode(shown).length
    assert(size <= pageTokensMax, `${id}: ${size} tokens`)
  }
})

test('clients.md 1: a row of the longest lists is as short as that allows', async () => {
  const pair = await aPair(running)
  for (let i = 0; i < 20; i += 1) await anInvoice(running, pair)
  const [client, ofAdmin] = [
    await connectMcp(running, pair.issuer.key),
    await connectMcp(running, pair.issuer.session),
  ]
  await until('the calls are in the log', async () => {
    const { body } = await callTool(ofAdmin, 'requests_list')
    return body.data.length === 20
  })
  for (const name of ['documents_list', 'events_list', 'requests_list']) {
    const { body, text } = await callTool(ofAdmin, name)
    assert.equal(body.data.length, 20)
    // Random names have more tokens than those that people choose (decision 0142).
    const named = text.replaceAll(/Organization [a-p]{8}/g, 'Harbor Supply Inc.')
    const size = encode(named).length * (limits.pageMax / 20)
    assert(size <= pageTokensMax, `${name}: ${size} tokens for a hundred rows`)
  }
  const whole = await callTool(client, 'documents_list', { fields: 'id,due_date', limit: 1 })
  assert.deepEqual(Object.keys(whole.body.data[0]), ['id', 'due_date'])
})

test('clients.md 1: a page of the longest comments is shorter unless its tool asks for more', async () => {
  const pair = await aPair(running)
  const { id } = await anInvoice(running, pair)
  const key = pair.issuer.session
  const text = 'The pallets came on Tuesday, two of them were wet. '.repeat(40).slice(0, -1)
  const [full, rest] = [limits.toolPageCommentsDefault, 2]
  for (let i = 0; i < full + rest; i += 1) {
    const body = { text: text.slice(0, limits.commentMaxLength) }
    await callApi(running, 'POST', `/v1/documents/${id}/comments`, { key, body })
  }
  const client = await connectMcp(running, key)
  const page = (values: object) => callTool(client, 'documents_comments_list', { id, ...values })
  const first = await page({})
  assert.deepEqual([first.body.data.length, first.body.has_more], [full, true])
  assert(encode(first.text).length <= pageTokensMax, `${encode(first.text).length} tokens`)
  const { data } = (await page({ cursor: first.body.next_cursor })).body
  assert.equal(data.length, rest)
  assert.equal((await page({ limit: full + 1 })).body.data.length, full + 1)
})
