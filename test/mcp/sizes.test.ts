/** clients.md 1: what a model reads of the tools and of a list has a limit, in tokens of o200k. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { readConfig } from '../../src/config.ts'
import { LineItem } from '../../src/contract/shapes/line-items.ts'
import { inlineSchema } from '../../src/docs/openapi/json-schema.ts'
import { operations } from '../../src/operations/index.ts'
import { resourcesOf } from '../../src/mcp/guide.ts'
import { explainTool, toolsOf } from '../../src/mcp/tools.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { callTool, connectMcp } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'

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
  assert.equal(guide.match(/^curl:$/gm)?.length, 1, 'an account is made by its person, over HTTP')
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

test('clients.md 1: a page of a list has at most 8,000 tokens', async () => {
  const running = await startTestService()
  const pair = await aPair(running)
  for (let i = 0; i < 20; i += 1) await anInvoice(running, pair)
  const client = await connectMcp(running, pair.issuer.key)
  for (const name of ['documents_list', 'events_list']) {
    const { body, text } = await callTool(client, name)
    assert.equal(body.data.length, 20)
    assert(encode(text).length <= 8_000, `${name}: ${encode(text).length} tokens`)
  }
})
