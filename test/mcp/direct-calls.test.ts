/** Decision 0089: a tool call of the common form is answered as the SDK answers it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { directCallOf } from '../../src/mcp/direct-call.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aPair, anInvoice, anOrganization, exampleLine } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const pair = await aPair(running)
const { id } = await anInvoice(running, pair)

const metaOf = (info: object) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1', ...info },
  'io.modelcontextprotocol/clientCapabilities': {},
})

const messageOf = (name: string, values: object, info: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: values, _meta: metaOf(info) },
})

const headersOf = (name: string) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': name,
})

const answerTo = async (name: string, message: object) => {
  const headers = { ...headersOf(name), authorization: `Bearer ${pair.issuer.key}` }
  const body = JSON.stringify(message)
  const reply = await fetch(`${running.baseUrl}/mcp`, { method: 'POST', headers, body })
  const text = await reply.text()
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    requestId: reply.headers.get('request-id'),
    text: text.replaceAll(/req_[0-9a-z]{26}|; ?r=\d+|;t=\d+|r=\d+/g, '…'),
  }
}

/** The SDK answers whoever says more of itself. */
const moreOfItself = { title: 'Test' }

const key = freshIdempotencyKey()
const draft = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
  idempotency_key: key,
}

const calls: readonly [name: string, values: object][] = [
  ['documents_get', { id }],
  ['documents_list', { limit: 2 }],
  ['documents_render', { id, format: 'csv' }],
  ['documents_get', { id: 'doc_01kbm9s346q3d25vt4f5v37e3s' }],
  ['documents_get', {}],
  ['documents_list', { stauts: 'paid' }],
  ['documents_create', { ...draft, dry_run: true, line_items: [{ quantity: -1 }] }],
  ['documents_creat', {}],
  ['tools_explain', { name: 'documents_get' }],
]

for (const [name, values] of calls) {
  test(`${name} of ${JSON.stringify(values).slice(0, 60)} is answered as by the SDK`, async () => {
    const direct = await answerTo(name, messageOf(name, values))
    const bySdk = await answerTo(name, messageOf(name, values, moreOfItself))
    assert.deepEqual({ ...direct, requestId: null }, { ...bySdk, requestId: null })
  })
}

test('what a call reads is loaded beside the caller, and shown to nobody else', async () => {
  const stranger = await anOrganization(running)
  const message = messageOf('documents_get', { id })
  const send = (credential: string, raw: string) =>
    callApi(running, 'POST', '/mcp', { key: credential, raw, headers: headersOf('documents_get') })
  const foreign = await send(stranger.key, JSON.stringify(message))
  assert.equal(JSON.parse(foreign.body.result.content[0].text).error.code, 'not_found')
  assert(!foreign.text.includes(exampleLine.description))
  // Refusing the caller takes precedence over its body, although that has been read.
  for (const raw of [JSON.stringify(message), '{', JSON.stringify('x'.repeat(100_000))]) {
    const refused = await send(`${stranger.key}x`, raw)
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'unauthorized'])
  }
})

test('a write is made once, whoever answers', async () => {
  const made = await answerTo('documents_create', messageOf('documents_create', draft))
  assert.match(made.text, /"resultType":"complete"/)
  const message = messageOf('documents_create', draft, moreOfItself)
  const again = await answerTo('documents_create', message)
  assert.match(again.text, /"idempotent-replay":"true"/)
})

test('a tool call is in the log of calls, with the status of its operation', async () => {
  const { requestId } = await answerTo('documents_get', messageOf('documents_get', { id }))
  const { session } = pair.issuer
  const entry = () => callApi(running, 'GET', `/v1/requests/${requestId}`, { key: session })
  await until('the call is logged', async () => (await entry()).status === 200)
  const { path, status } = (await entry()).body
  assert.deepEqual([path, status], [`/v1/documents/${id}`, 200])
})

test('only the common form is answered directly', () => {
  const name = 'documents_get'
  const message = messageOf(name, { id })
  const headers = headersOf(name)
  assert.deepEqual(directCallOf(message, headers), { id: 1, name, values: { id } })
  const { params } = message
  const others: unknown[] = [
    [message],
    messageOf(name, { id }, moreOfItself),
    messageOf('tools_explain', { name }),
    { ...message, id: null },
    { ...message, id: 1.5 },
    { ...message, more: 1 },
    { ...message, method: 'tools/list' },
    { ...message, params: { ...params, arguments: [] } },
    { ...message, params: { ...params, task: {} } },
    { ...message, params: { ...params, _meta: { ...metaOf({}), progressToken: 1 } } },
    { ...message, params: { name, arguments: {} } },
  ]
  for (const other of others) assert.equal(directCallOf(other, headers), undefined)
  for (const header of Object.keys(headers)) {
    assert.equal(directCallOf(message, { ...headers, [header]: 'other' }), undefined, header)
  }
})
