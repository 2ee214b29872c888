/** contract 9: how the MCP server refuses what it does not offer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrganization } from '../support/fixtures.ts'
import { connectMcp } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { key } = await anOrganization(running)

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
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', 'mcp-method': method },
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
