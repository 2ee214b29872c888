/** contract 9: a tool call has the rules, effects and refusals of its operation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aKeyThatAsks } from '../support/approvals/keys-that-ask.ts'
import { aKey, aPair, anInvoice, anOrganization, exampleLine, move } from '../support/fixtures.ts'
import { callTool, connectMcp, toolNames } from '../support/mcp/clients.ts'
import { sendBytes } from '../support/http/raw-http.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty } = pair

const draftOf = (more: object = {}) => ({
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
  idempotency_key: freshIdempotencyKey(),
  ...more,
})

/** What the envelope says, without the id of the request. */
const errorOf = ({ body }: Pick<Reply, 'body'>) => ({ ...body.error, request_id: '' })

const documentCount = async (): Promise<number> =>
  (await running.database.row<{ count: number }>(
    sql`select count(*)::int as count from documents where issuer_id = ${issuer.uuid}`,
  ))!.count

test('contract 5: a tool call that is sent again has one effect and the same bytes', async () => {
  const client = await connectMcp(running, issuer.key)
  const before = await documentCount()
  const values = draftOf()
  const first = await callTool(client, 'documents_create', values)
  const again = await callTool(client, 'documents_create', values)
  assert.equal(again.text, first.text)
  assert.equal(again.meta['idempotent-replay'], 'true')
  assert.equal(await documentCount(), before + 1)
  const other = await callTool(client, 'documents_create', { ...values, notes: 'Other' })
  assert.equal(other.body.error.code, 'idempotency_conflict')
  assert.equal(await documentCount(), before + 1)
})

test('contract 9: a write without idempotency_key is refused, and a dry run stores nothing', async () => {
  const client = await connectMcp(running, issuer.key)
  const before = await documentCount()
  const { idempotency_key: _, ...without } = draftOf()
  const refused = await callTool(client, 'documents_create', without)
  assert.equal(refused.isError, true)
  assert.equal(refused.body.error.details.errors[0].param, 'idempotency_key')
  const dry = await callTool(client, 'documents_create', draftOf({ dry_run: true }))
  assert.equal(dry.isError, false, dry.text)
  assert.equal(dry.meta['svc-dry-run'], 'true')
  assert.match(dry.notes.join(), /^This was a dry run: .* nothing was stored, sent or paid/)
  assert.equal(await documentCount(), before)
})

test('contract 9: a refusal is a tool error with the whole envelope of HTTP', async () => {
  const client = await connectMcp(running, issuer.key)
  const body = { connection_id: pair.connection, document_type: 'invoice', lineitems: [] }
  const over = await callApi(running, 'POST', '/v1/documents', { key: issuer.key, body })
  const refused = await callTool(client, 'documents_create', {
    ...body,
    idempotency_key: freshIdempotencyKey(),
  })
  assert.equal(refused.isError, true)
  assert.equal(refused.structured, undefined)
  assert.deepEqual(errorOf(refused), errorOf(over))
  assert.match(refused.body.error.request_id, /^req_/)
  const { id } = await anInvoice(running, pair)
  const illegal = await callTool(client, 'documents_transition', {
    id,
    to: 'converted',
    idempotency_key: freshIdempotencyKey(),
  })
  const overHttp = await move(running, issuer.key, id, 'converted')
  assert.deepEqual(errorOf(illegal), errorOf(overHttp))
})

test('contract 9: an unknown tool and a missing id are refused with what to send', async () => {
  const client = await connectMcp(running, issuer.key)
  for (const [name, meant] of [
    ['documents_gett', 'documents_get'],
    ['comments_list', 'documents_comments_list'],
    ['webhooks_deliveries_list', 'deliveries_list'],
  ] as const) {
    await assert.rejects(callTool(client, name), new RegExp(`did you mean ${meant}\\.$`))
  }
  await assert.rejects(callTool(client, 'create'), /tools\/list names all of them/)
  const { body, isError } = await callTool(client, 'documents_get')
  assert.equal(isError, true)
  assert.equal(body.error.details.errors[0].param, 'id')
})

test('clients.md 1: the tools are those of the scopes, and tools_explain names the missing one', async () => {
  const { secret } = await aKey(running, issuer, ['documents:read'])
  const client = await connectMcp(running, secret)
  const names = await toolNames(client)
  assert(names.includes('documents_list') && names.includes('tools_explain'))
  for (const hidden of ['documents_create', 'payments_list', 'keys_create', 'documents_pay']) {
    assert(!names.includes(hidden), hidden)
  }
  const why = await callTool(client, 'tools_explain', { name: 'documents_create' })
  assert.deepEqual([why.body.offered, why.body.reason], [false, 'scope'])
  assert.match(why.body.message, /documents:write/)
  const refused = await callTool(client, 'documents_create', draftOf())
  assert.equal(refused.body.error.code, 'insufficient_scope')
})

test('domain 4.3: payment limits refuse over MCP as over HTTP', async () => {
  const { id } = await anInvoice(running, pair)
  assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
  const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
  const { secret } = await aKey(running, counterparty, scopes, { maxPerPayment: 1_000n })
  const client = await connectMcp(running, secret)
  assert((await toolNames(client)).includes('documents_pay'))
  const refused = await callTool(client, 'documents_pay', {
    id,
    idempotency_key: freshIdempotencyKey(),
  })
  const over = await callApi(running, 'POST', `/v1/documents/${id}/pay`, { key: secret })
  assert.equal(refused.body.error.code, 'payment_limit_exceeded')
  assert.deepEqual(errorOf(refused), errorOf(over))
})

test('clients.md 4: a key that has to ask is offered tools that pay, and cannot approve itself', async () => {
  const { id } = await anInvoice(running, pair)
  assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
  const client = await connectMcp(running, await aKeyThatAsks(running, counterparty))
  const names = await toolNames(client)
  assert(names.includes('documents_pay') && names.includes('approvals_get'))
  assert(!names.includes('approvals_approve') && !names.includes('approvals_decline'))
  const values = { id, idempotency_key: freshIdempotencyKey() }
  const asked = await callTool(client, 'documents_pay', values)
  const { reason, approval } = asked.body.error.details
  assert.deepEqual([asked.isError, reason], [true, 'approval_required'])
  assert(approval.url.endsWith(`/v1/approvals/${approval.id}`))
  assert(approval.page.endsWith(`/app/o/${counterparty.id}/approvals?approval=${approval.id}`))
  const consent = { id: approval.id, digest: approval.digest }
  const approved = await callTool(client, 'approvals_approve', {
    ...consent,
    idempotency_key: freshIdempotencyKey(),
  })
  assert.equal(approved.body.error.code, 'insufficient_scope')
  const again = await callTool(client, 'documents_pay', values)
  assert.equal(again.body.error.details.reason, 'approval_required')
  const paid = await callTool(client, 'payments_list', { document: [id] })
  assert.deepEqual(paid.body.data, [])
})

test('clients.md 1: paths narrow the tools, and what they leave out is refused', async () => {
  const client = await connectMcp(running, issuer.session, { path: '/readonly/x/documents' })
  const { tools } = await client.listTools()
  for (const { name, annotations, outputSchema } of tools) {
    assert.equal(annotations?.readOnlyHint, true, name)
    assert.equal(outputSchema !== undefined, name !== 'tools_explain', name)
  }
  assert(tools.some(({ name }) => name === 'documents_get'))
  assert(!tools.some(({ name }) => name === 'payments_list'))
  const write = await callTool(client, 'documents_create', draftOf())
  assert.equal(write.body.error.details.reason, 'read_only')
  const elsewhere = await callTool(client, 'payments_list')
  assert.equal(elsewhere.body.error.details.reason, 'toolset')
  const unknown = await callApi(running, 'POST', '/mcp/x/dokuments', { key: issuer.key, body: {} })
  assert.equal(unknown.status, 400)
  assert.match(unknown.text, /documents/)
})

test('contract 3: an address list holds for the real address of the caller', async () => {
  const { secret } = await aKey(running, issuer, ['documents:read'], {
    allowedCidrs: ['203.0.113.0/24'],
  })
  const { status, body } = await callApi(running, 'POST', '/mcp', { key: secret, body: {} })
  assert.deepEqual([status, body.error.code], [403, 'forbidden'])
  assert.equal(body.error.details.address, '127.0.0.1')
})

test('contract 3: without a credential, and with a revoked one, nothing is answered', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  assert.equal((await callApi(running, 'POST', '/mcp', { body: message })).status, 401)
  const { secret, keyId } = await aKey(running, issuer, ['documents:read'])
  const client = await connectMcp(running, secret)
  await toolNames(client)
  await callApi(running, 'POST', `/v1/keys/${keyId}/revoke`, { key: issuer.session })
  await assert.rejects(callTool(client, 'me_get'))
})

test('reliability: a foreign Origin is 403, and GET is 405', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const options = { key: issuer.key, body: message }
  for (const origin of ['https://evil.example', 'null']) {
    const headers = { origin }
    const { status, body } = await callApi(running, 'POST', '/mcp', { ...options, headers })
    assert.deepEqual([status, body.error.details.reason], [403, 'origin'])
  }
  const get = await callApi(running, 'GET', '/mcp', { key: issuer.key })
  assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST'])
})

test('reliability: a request under a foreign name is 403 (DNS rebinding)', async () => {
  const { port } = running.service
  for (const [host, status] of [
    ['evil.example', 403],
    [`evil.example:${port}`, 403],
    [`localhost:${port}`, 200],
    ['[::1]', 200],
  ] as const) {
    const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const lines = [
      'POST /mcp HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${issuer.key}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${message.length}`,
      '',
      message,
    ]
    assert.equal((await sendBytes(running, lines.join('\r\n'))).status, status, host)
  }
})

test('limits: too large, too deep, no JSON and long batches are refused', async () => {
  const post = (raw: string) => callApi(running, 'POST', '/mcp', { key: issuer.key, raw })
  assert.equal((await post(`"${'x'.repeat(2 * 1024 * 1024)}"`)).status, 413)
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  for (const raw of ['{', deep, JSON.stringify(Array(11).fill({ jsonrpc: '2.0', method: 'x' }))]) {
    assert.deepEqual([(await post(raw)).status, (await post(raw)).body.error.code], [400, -32_700])
  }
})

test('contract 3: nothing of a foreign organization is in a result', async () => {
  const invoice = await anInvoice(running, pair, { notes: 'canary-of-the-pair' })
  const stranger = await anOrganization(running)
  const client = await connectMcp(running, stranger.key)
  const calls: [string, Record<string, unknown>][] = [
    ['documents_list', { fields: 'id,notes' }],
    ['events_list', {}],
    ['documents_get', { id: invoice.id }],
    ['documents_history', { id: invoice.id }],
    ['documents_transition', { id: invoice.id, to: 'approved', idempotency_key: 'stranger-1' }],
  ]
  for (const [name, values] of calls) {
    const { text } = await callTool(client, name, values)
    assert(!text.includes('canary-of-the-pair') && !text.includes(invoice.number), text)
  }
})

test('a tool call is one entry of the request log, as its operation', async () => {
  const { secret, keyId } = await aKey(running, issuer, ['documents:read'])
  const client = await connectMcp(running, secret)
  const { meta } = await callTool(client, 'me_get')
  const missing = await callTool(client, 'payments_get', { id: 'pay_x' })
  for (const [one, status] of [
    [meta, 200],
    [missing.meta, 403],
  ] as const) {
    const path = `/v1/requests/${String(one['request-id'])}`
    const entry = () => callApi(running, 'GET', path, { key: issuer.session })
    await until('the call is in the log', async () => (await entry()).status === 200)
    assert.equal((await entry()).body.status, status)
  }
  assert.match(String(meta['request-id']), /^req_/)
  const lines = running.logLines.filter((line) => line.includes(String(meta['request-id'])))
  assert(
    lines.some((line) => line.includes('/v1/me')),
    lines.join('\n'),
  )
  assert(keyId.startsWith('key_'))
})
