/** clients.md 1: instructions and prompts name only tools that their reader is offered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aKey, anOrganization } from '../support/fixtures.ts'
import { connectMcp, eras, toolNames } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const owner = await anOrganization(running)
const reader = await aKey(running, owner, ['documents:read'])
const all = await toolNames(await connectMcp(running, owner.session))

const readOnlyPrompts = ['reconcile_payments', 'find_overdue', 'verify_document']

for (const [whose, key, path, expected] of [
  ['everything', owner.session, '', ['send_invoice', ...readOnlyPrompts]],
  ['what reads', owner.session, '/readonly', readOnlyPrompts],
  ['a toolset', owner.session, '/x/documents', ['send_invoice', 'find_overdue']],
  ['another toolset', owner.session, '/x/treasury', []],
  ['the scopes of a key', reader.secret, '', ['find_overdue']],
] as const) {
  for (const era of eras) {
    test(`clients.md 1, ${era}: who is offered ${whose} is sent to no other tool`, async () => {
      const client = await connectMcp(running, key, { era, path })
      const offered = await toolNames(client)
      const { prompts } = await client.listPrompts()
      assert.deepEqual(
        prompts.map(({ name }) => name),
        expected,
      )
      const texts = [client.getInstructions()!]
      for (const { name, arguments: asked = [] } of prompts) {
        const values = Object.fromEntries(asked.map((one) => [one.name, 'X']))
        const { messages } = await client.getPrompt({ name, arguments: values })
        texts.push(JSON.stringify(messages))
      }
      const named = all.filter((name) => new RegExp(`\\b${name}\\b`).test(texts.join('\n')))
      const isSentElsewhere = (name: string) => name.includes('_') && !offered.includes(name)
      assert.deepEqual(named.filter(isSentElsewhere), [])
    })
  }
}

test('a prompt that is not offered says which tool is missing', async () => {
  const client = await connectMcp(running, owner.session, { path: '/readonly' })
  const values = { counterparty: 'Corner Shop', lines: '2 chairs' }
  await assert.rejects(client.getPrompt({ name: 'send_invoice', arguments: values }), {
    code: -32_602,
    message: /send_invoice needs documents_create, .*tools_explain/,
  })
})

test('clients.md 1: nobody else may be shown the stored prompts or instructions of a caller', async () => {
  for (const method of ['prompts/list', 'server/discover']) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const { body, text } = await callApi(running, 'POST', '/mcp', {
      key: owner.key,
      body: { jsonrpc: '2.0', id: 1, method, params: { _meta: meta } },
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-method': method,
        'mcp-protocol-version': '2026-07-28',
      },
    })
    assert.equal(body.result.cacheScope, 'private', text)
  }
})
