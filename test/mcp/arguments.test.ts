/** contract 9: the arguments of a tool, as clients fill them in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, aPair, exampleLine } from '../support/fixtures.ts'
import { callTool, connectMcp } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)

test('an argument that may be left out may be null, which is as if it were left out', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const { body: draft } = await callTool(client, 'documents_create', {
    connection_id: pair.connection,
    document_type: 'invoice',
    line_items: [exampleLine],
    idempotency_key: freshIdempotencyKey(),
  })
  const without = await callTool(client, 'documents_list', {})
  const nulls = { cursor: null, status: null, query: null, fields: null, limit: null }
  assert.equal((await callTool(client, 'documents_list', nulls)).text, without.text)
  const comments = await callTool(client, 'documents_comments_list', { id: draft.id, limit: null })
  assert.equal(comments.isError, false, comments.text)
  const change = { id: draft.id, notes: null, if_match: null, dry_run: null }
  const call = { ...change, idempotency_key: freshIdempotencyKey() }
  const changed = await callTool(client, 'documents_update', call)
  assert.equal(changed.isError, false, changed.text)
  assert.equal(changed.meta['svc-dry-run'], undefined)
  const misspelt = await callTool(client, 'documents_list', { stauts: null })
  assert.match(misspelt.body.error.message, /Did you mean status/)
})

test('a write takes the revision of a record as if_match, and names its arguments when it refuses', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const draft = await aDraft(running, pair)
  const update = (more: object) =>
    callTool(client, 'documents_update', { id: draft.id, notes: 'By the stairs', ...more })
  const stale = { if_match: draft.revision + 1, idempotency_key: freshIdempotencyKey() }
  assert.equal((await update(stale)).body.error.code, 'precondition_failed')
  for (const if_match of [draft.revision, `${draft.revision}`]) {
    const call = { if_match, dry_run: true, idempotency_key: freshIdempotencyKey() }
    assert.equal((await update(call)).isError, false)
  }
  for (const key of ['short', 'with spaces in it', 'k'.repeat(129)]) {
    const [problem] = (await update({ idempotency_key: key })).body.error.details.errors
    assert.equal(problem.param, 'idempotency_key')
  }
})

test('contract 2: a number that overflows is refused, and makes no key without a limit', async () => {
  const keys = await callApi(running, 'GET', '/v1/keys?limit=100', { key: pair.issuer.session })
  for (const limit of ['1e999', '-1e999']) {
    const values = `{"name":"A","scopes":["payments:write"],"payment_limits":{"max_per_payment":${limit}},"idempotency_key":"${freshIdempotencyKey()}"}`
    const raw = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"keys_create","arguments":${values}}}`
    const headers = { accept: 'application/json, text/event-stream' }
    const reply = await callApi(running, 'POST', '/mcp', { key: pair.issuer.session, raw, headers })
    assert.deepEqual([reply.status, reply.body.error.code], [400, -32_700], reply.text)
  }
  const after = await callApi(running, 'GET', '/v1/keys?limit=100', { key: pair.issuer.session })
  assert.equal(after.body.data.length, keys.body.data.length)
})
