/** contract 9: how the MCP server refuses what it does not offer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleIds } from '../../src/docs/examples/ids.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aKeyThatAsks } from '../support/approvals/keys-that-ask.ts'
import { aPair, anInvoice, anOrganization } from '../support/fixtures.ts'
import { callTool, connectMcp, toolNames } from '../support/mcp/clients.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { key } = pair.issuer

test('contract 9: nothing can be subscribed to', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { toolsListChanged: true }, _meta: meta }
  const method = 'subscriptions/listen'
  const response = await fetch(`${running.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-method': method,
      'mcp-protocol-version': '2026-07-28',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  assert.equal(response.status, 404)
  const error = { code: -32_601, message: 'Method not found' }
  assert.deepEqual(await response.json(), { jsonrpc: '2.0', id: 7, error })
})

test('contract 9: the error for a resource that does not exist names it', async () => {
  const client = await connectMcp(running, key)
  const uri = 'docex://nothing'
  await assert.rejects(client.readResource({ uri }), { code: -32_602, data: { uri } })
})

test('clients.md 1: a person who may approve cannot do so over MCP, only over HTTP', async () => {
  const { counterparty } = pair
  const { id: document } = await anApprovedInvoice(running, pair)
  const asked = await pay(running, await aKeyThatAsks(running, counterparty), document)
  const { id, digest } = asked.body.error.details.approval
  const client = await connectMcp(running, counterparty.session)
  assert.match(client.getInstructions()!, /You cannot approve/)
  const names = await toolNames(client)
  assert(names.includes('approvals_get'))
  for (const [name, values] of [
    ['approvals_approve', { id, digest }],
    ['approvals_decline', { id }],
  ] as const) {
    assert(!names.includes(name))
    const why = await callTool(client, 'tools_explain', { name })
    assert.equal(why.body.reason, 'approval')
    const call = { ...values, idempotency_key: freshIdempotencyKey() }
    const refused = await callTool(client, name, call)
    assert.equal(refused.body.error.code, 'forbidden', refused.text)
    assert.equal(refused.body.error.details.reason, 'approval')
  }
  // A model that asked with a key is not told to look for a session.
  const asking = await connectMcp(running, counterparty.key)
  const call = { id, digest, idempotency_key: freshIdempotencyKey() }
  const { message } = (await callTool(asking, 'approvals_approve', call)).body.error
  assert.match(message, /an owner, admin or approver signs in and decides, and never a program\.$/)
  const path = `/v1/approvals/${id}`
  const options = { key: counterparty.session }
  assert.equal((await callApi(running, 'GET', path, options)).body.status, 'pending')
  const body = { digest }
  const approved = await callApi(running, 'POST', `${path}/approve`, { ...options, body })
  assert.equal(approved.status, 200, approved.text)
})

test('clients.md 1: nobody is offered what the mode or the lack of verification refuses', async () => {
  const { session } = await anOrganization(running, { mode: 'live', verified: false })
  const client = await connectMcp(running, session)
  const names = await toolNames(client)
  for (const [name, reason, code] of [
    ['sandbox_clock_get', 'sandbox_isolation', 'sandbox_isolation'],
    ['finance_setup_get', 'capability', 'capability_unavailable'],
  ] as const) {
    assert(!names.includes(name))
    assert.equal((await callTool(client, 'tools_explain', { name })).body.reason, reason)
    assert.equal((await callTool(client, name, {})).body.error.code, code)
  }
  assert(names.includes('sandboxes_list'))
  const verified = await anOrganization(running, { mode: 'live' })
  const own = await toolNames(await connectMcp(running, verified.session))
  assert(own.includes('finance_setup_get') && !own.includes('sandbox_clock_get'))
})

test('a tool call of the stream ends, and its description says so', async () => {
  const client = await connectMcp(running, key)
  const { tools } = await client.listTools()
  const { description = '' } = tools.find(({ name }) => name === 'stream')!
  assert.match(description, /a tool call returns what has changed until now/)
  const { content } = await client.callTool({ name: 'stream', arguments: {} })
  assert.match(JSON.stringify(content), /: open/)
})

test('contract 8: the tool that lists documents says that it finds what is overdue', async () => {
  const client = await connectMcp(running, key)
  const { tools } = await client.listTools()
  const { description } = tools.find(({ name }) => name === 'documents_list')!
  assert.match(description!, /Overdue: `query=is:overdue`/)
})

test('contract 1: a number in place of an id says how to find the id, whether or not it exists', async () => {
  const client = await connectMcp(running, key)
  const { number, id } = await anInvoice(running, pair)
  for (const given of [number, 'INV-999999', `${id}0`]) {
    const message = `There is no document ${given} for this organization. An id looks like doc_…; find it with search, or with query of GET /v1/documents (documents_list).`
    for (const name of ['documents_get', 'documents_history']) {
      const { error } = (await callTool(client, name, { id: given })).body
      assert.deepEqual([error.code, error.message], ['not_found', message])
    }
    const over = await callApi(running, 'GET', `/v1/documents/${given}`, { key })
    assert.deepEqual([over.status, over.body.error.message], [404, message])
  }
  const unknown = await callTool(client, 'documents_get', { id: exampleIds.document })
  assert(unknown.body.error.message.endsWith('for this organization.'))
})
