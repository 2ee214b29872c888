/** `docex mcp`: each message of a client on stdin gets what the service answers over HTTP. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sandboxClient } from '../../test/support/sandbox/sandbox-client.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { cliWith, spawnCli } from './support/run-cli.ts'

const running = await startTestService()
const { key } = await sandboxClient(running).provisionSandbox()
const cli = cliWith({ DOCEX_API_KEY: key, DOCEX_BASE_URL: running.baseUrl })

/** What stands at an address of its own, and answers everything with this text. */
const standIn = async (status: number, text: string): Promise<string> => {
  const server = createServer((_, response) => response.writeHead(status).end(text))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answersTo = (messages: readonly unknown[], env: Record<string, string> = {}) => {
  const lines = messages.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  return answersToBytes(Buffer.from(`${lines.join('\n')}\n`), env)
}

const answersToBytes = async (stdin: Buffer, env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await cli(['mcp'], { stdin, env })
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const request = (id: number, method = 'ping', params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

const ofNewestRevision = (params: object) => ({
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})

test('messages of stdin reach the service', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {} }
  const clientInfo = { name: 'test', version: '1' }
  const [answer] = await answersTo([request(1, 'initialize', { ...params, clientInfo })])
  assert.equal(answer.result.serverInfo.version.split('.').length, 3)
})

for (const text of ['null', '5', '"text"', '[]', '[null]', '{}']) {
  test(`${text} is refused as no message, and the next message is answered`, async () => {
    const answers = await answersTo([text, request(1)])
    assert.deepEqual(answers.find(({ id }) => id === 1).result, {})
    assert.equal(answers.find(({ id }) => id === null).error.code, -32_600)
  })
}

test('each request is answered where the service answers nothing, or no JSON', async () => {
  for (const [text, reason] of [
    ['', /^503: the answer of .* is empty\.$/],
    ['<html>', /^503: the answer is not JSON: <html>$/],
  ] as const) {
    const env = { DOCEX_BASE_URL: await standIn(503, text) }
    const [answer] = await answersTo([request(7, 'tools/list')], env)
    assert.equal(answer.id, 7)
    assert.match(answer.error.message, reason)
  }
})

const withoutAnswer = {
  'the key is refused': { DOCEX_API_KEY: 'rk_test_bad' },
  'the service is away': { DOCEX_BASE_URL: 'http://127.0.0.1:1' },
}

for (const [when, env] of Object.entries(withoutAnswer)) {
  test(`each request of a batch is answered, and no notification, when ${when}`, async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const response = { jsonrpc: '2.0', id: 8, result: {} }
    const batch = [request(1), notification, response, request(2)]
    const [answers, ...others] = await answersTo([notification, response, batch], env)
    assert.deepEqual(others, [])
    const codes = answers.map((one: { id: number; error: { code: number } }) => [
      one.id,
      one.error.code,
    ])
    assert.deepEqual(codes, [
      [1, -32_000],
      [2, -32_000],
    ])
  })
}

test('a message that is not in UTF-8 is a parse error, as over HTTP', async () => {
  const messages = [request(1, 'tools/call', { name: 'Größe', arguments: {} }), request(2)]
  const [named, ping] = messages.map((one) => JSON.stringify(one))
  const stdin = Buffer.concat([Buffer.from(`${named}\n`, 'latin1'), Buffer.from(`${ping}\n`)])
  const answers = await answersToBytes(stdin)
  assert.deepEqual(answers.find(({ id }) => id === 2).result, {})
  assert.equal(answers.find(({ id }) => id === null)?.error.code, -32_700)
})

test('names of any script reach the service, which does not know them', async () => {
  const answers = await answersTo([
    request(1, 'tools/call', ofNewestRevision({ name: 'Rechnung→', arguments: {} })),
    request(2, 'resources/read', ofNewestRevision({ uri: 'docex://Größe' })),
    request(3, 'ping→', ofNewestRevision({})),
  ])
  const errors = new Map(answers.map(({ id, error }) => [id, error]))
  assert.match(errors.get(1).message, /^There is no tool "Rechnung→"/)
  assert.equal(errors.get(2).data.uri, 'docex://Größe')
  assert.deepEqual(errors.get(3), { code: -32_601, message: 'Method not found' })
})

test('a line separator of Unicode is text, and ends no message', async () => {
  const call = request(1, 'tools/call', { name: 'tools_explain', arguments: { name: 'a\u2028b' } })
  const answers = await answersTo([call])
  assert.deepEqual(
    answers.map(({ id, result }) => [id, result.structuredContent.name]),
    [[1, 'a\u2028b']],
  )
})

const script = join(import.meta.dirname, '../../scripts/mcp-stdio.ts')
const env = { DOCEX_API_KEY: key, DOCEX_BASE_URL: running.baseUrl }

for (const [name, start] of [
  ['docex mcp', () => spawnCli(['mcp'], env)],
  ['npm run mcp', () => spawn(process.execPath, [script], { env })],
] as const) {
  test(`${name} ends quietly when its client has gone`, async () => {
    const bridge = start()
    let said = ''
    bridge.stderr!.on('data', (text) => (said += text))
    bridge.stdout!.destroy()
    bridge.stdin!.write(`${JSON.stringify(request(1))}\n`)
    const [code] = await once(bridge, 'exit')
    assert.deepEqual([code, said], [0, ''])
  })
}
