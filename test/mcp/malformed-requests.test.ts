/** contract 9: a request whose parameters do not fit says what to send, over both transports. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { anOrganization } from '../support/fixtures.ts'
import { startAuthorizingProxy } from '../support/mcp/authorizing-proxy.ts'
import { eras } from '../support/mcp/clients.ts'
import { startHttpToStdio } from '../support/mcp/http-to-stdio.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { key } = await anOrganization(running)
const script = join(import.meta.dirname, '../../scripts/mcp-stdio.ts')
const urls = {
  http: `${await startAuthorizingProxy(running, key)}/mcp`,
  stdio: await startHttpToStdio([process.execPath, script], {
    DOCEX_API_KEY: key,
    DOCEX_BASE_URL: running.baseUrl,
  }),
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const errorOf = async (url: string, era: (typeof eras)[number], [method, given]: Case) => {
  const params = era === 'modern' ? { ...given, _meta: envelope } : given
  const name = given?.['name'] ?? given?.['uri']
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(era === 'modern' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method } : {}),
    ...(era === 'modern' && typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const text = await (await fetch(url, { method: 'POST', headers, body })).text()
  return (JSON.parse(text.replace(/^event: message\ndata: /, '')) as Answer).error
}

interface Answer {
  error: { code: number; message: string }
}

type Case = [method: string, params: Record<string, unknown>, message: string]

const prompt = 'verify_document'
const tool = 'documents_get'

const invalid: readonly Case[] = [
  [
    'prompts/get',
    { name: prompt, arguments: { document: 5 } },
    'arguments.document must be a string, not a number: send a string.',
  ],
  [
    'prompts/get',
    { name: prompt, arguments: { document: null } },
    'arguments.document must be a string, not null: send a string.',
  ],
  [
    'prompts/get',
    { name: prompt, arguments: ['doc_1'] },
    'arguments must be an object, not a list: send an object.',
  ],
  ['prompts/get', { name: prompt, arguments: {} }, 'The argument document is required.'],
  ['prompts/get', { name: 'pay_all' }, 'There is no such prompt: list them first.'],
  ['prompts/get', { name: 5 }, 'name must be a string, not a number: send a string.'],
  ['prompts/get', {}, 'name is required: send a string.'],
  ['resources/read', { uri: 'no uri' }, 'There is no such resource: list them first.'],
  ['resources/read', { uri: 5 }, 'uri must be a string, not a number: send a string.'],
  ['resources/read', {}, 'uri is required: send a string.'],
  [
    'tools/call',
    { name: tool, arguments: [] },
    'arguments must be an object, not a list: send an object.',
  ],
  ['tools/call', { name: 5 }, 'name must be a string, not a number: send a string.'],
  [
    'tools/call',
    { name: 'documents_gte' },
    'There is no tool "documents_gte": did you mean documents_get.',
  ],
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].flatMap(
    (method): Case[] => [
      [method, { cursor: 5 }, 'cursor must be a string, not a number: send a string.'],
      [
        method,
        { cursor: 'abc' },
        'There is no such cursor: the list is one page. Leave cursor out.',
      ],
    ],
  ),
]

for (const [transport, url] of Object.entries(urls)) {
  for (const era of eras) {
    describe(`${era} over ${transport}`, () => {
      for (const one of invalid) {
        const [method, params, message] = one
        test(`${method} of ${JSON.stringify(params)} is -32602 and says what to send`, async () => {
          const error = await errorOf(url, era, one)
          assert.deepEqual([error.code, error.message], [-32_602, message])
        })
      }

      test('a method that does not exist is -32601', async () => {
        const { code } = await errorOf(url, era, ['tools/explain', {}, ''])
        assert.equal(code, -32_601)
      })
    })
  }
}

test('initialize without parameters is -32602 and names the first of them', async () => {
  const error = await errorOf(urls.http, 'legacy', ['initialize', {}, ''])
  assert.deepEqual(
    [error.code, error.message],
    [-32_602, 'protocolVersion is required: send a string.'],
  )
})
