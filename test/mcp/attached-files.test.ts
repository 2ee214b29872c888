/** contract 4: a tool call attaches a file, whose bytes it has in base64. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { callTool, connectMcp } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)

test('contract 4: a file is attached, with the bytes that were given, also with none', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const { id } = await aDraft(running, pair)
  for (const bytes of ['Hello', '']) {
    const attached = await callTool(client, 'attachments_create', {
      id,
      filename: 'order.txt',
      content_type: 'text/plain',
      data_base64: Buffer.from(bytes).toString('base64'),
      idempotency_key: freshIdempotencyKey(),
    })
    assert.equal(attached.isError, false, attached.text)
    assert.deepEqual([attached.body.filename, attached.body.size], ['order.txt', bytes.length])
  }
})

test('clients.md 1: a tool that takes a file speaks of its arguments, and of no form', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const { tools } = await client.listTools()
  const taking = tools.filter(({ inputSchema }) => 'data_base64' in inputSchema.properties!)
  assert.deepEqual(taking.map(({ name }) => name).toSorted(), [
    'attachments_create',
    'documents_import',
  ])
  for (const { name, description = '' } of taking) {
    assert.doesNotMatch(description, /multipart|`file`/)
    const refused = await callTool(client, name, { file: 'order.pdf' })
    const fixes = refused.body.error.details.errors.map(
      ({ param, fix }: { param: string; fix: string }) => `${param} ${fix}`,
    )
    assert(fixes.includes('data_base64 send it: Its bytes in base64.'), fixes.join('\n'))
    assert(fixes.includes('filename send it: Like order.pdf.'), fixes.join('\n'))
  }
})

test('contract 4: what is not base64 is refused, and never becomes another file', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const { id } = await aDraft(running, pair)
  const file = { filename: 'order.txt', content_type: 'text/plain' }
  for (const [data, code] of [
    ['data:text/plain;base64,SGVsbG8=', 'invalid_value'],
    ['/home/me/order.txt!', 'invalid_value'],
    ['SGVsb', 'invalid_value'],
    [['SGVsbG8='], 'invalid_value'],
    [null, 'required'],
    [undefined, 'required'],
  ] as const) {
    const call = { id, ...file, data_base64: data, idempotency_key: freshIdempotencyKey() }
    const { isError, body, text } = await callTool(client, 'attachments_create', call)
    assert(isError, text)
    const [problem] = body.error.details.errors
    assert.deepEqual([problem.param, problem.code], ['data_base64', code])
  }
  const { data } = (await callTool(client, 'attachments_list', { id })).body
  assert.deepEqual(data, [])
})
