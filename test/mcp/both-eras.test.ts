/** contract 9: tools, resources and prompts, in both eras and over both transports. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '../../src/operations/index.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { inDays } from '../support/dates.ts'
import { aDraft, aPair, anInvoice, exampleLine, move } from '../support/fixtures.ts'
import { callTool, connectMcp, eras, toolNames, transports } from '../support/mcp/clients.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const running = await startTestService()
const pair = await aPair(running)
const { key, session } = pair.issuer

const everyTool = [
  ...operations
    .filter((one) => isVersioned(one) && one.allowed !== 'approver')
    .map(({ id }) => id.replaceAll('.', '_')),
  'tools_explain',
]

for (const transport of transports) {
  for (const era of eras) {
    describe(`${era} over ${transport}`, () => {
      test('contract 9: an admin session sees every operation but decisions on approvals', async () => {
        const client = await connectMcp(running, session, { era, transport })
        assert.deepEqual(await toolNames(client), everyTool)
        assert.match(client.getInstructions() ?? '', /idempotency_key/)
      })

      test('contract 9: the text is what HTTP answers, byte by byte', async () => {
        const client = await connectMcp(running, key, { era, transport })
        const body = {
          connection_id: pair.connection,
          document_type: 'invoice',
          line_items: [exampleLine],
        }
        const created = await callTool(client, 'documents_create', {
          ...body,
          idempotency_key: freshIdempotencyKey(),
        })
        assert.equal(created.isError, false, created.text)
        assert.deepEqual(created.structured, created.body)
        assert.deepEqual(created.notes, [])
        const { id } = created.body
        const over = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
        const got = await callTool(client, 'documents_get', { id })
        assert.equal(got.text, over.text)
        assert.equal(got.text, created.text)
        assert.equal(got.meta['etag'], over.headers.get('etag'))
      })

      test('clients.md 1: resources and prompts', async () => {
        const client = await connectMcp(running, key, { era, transport })
        const { resources } = await client.listResources()
        for (const { uri } of resources) {
          const { contents } = await client.readResource({ uri })
          assert(String((contents[0] as { text: string }).text).length > 500, uri)
        }
        assert.deepEqual(
          resources.map(({ uri }) => uri).filter((uri) => !uri.startsWith('docex://guide/')),
          ['docex://guide', 'docex://errors', 'docex://openapi.json', 'docex://FORMAT.md'],
        )
        const { prompts } = await client.listPrompts()
        assert.deepEqual(
          prompts.map(({ name }) => name),
          ['send_invoice', 'reconcile_payments', 'find_overdue', 'verify_document'],
        )
        const prompt = await client.getPrompt({
          name: 'verify_document',
          arguments: { document: 'doc_1' },
        })
        assert.match(JSON.stringify(prompt.messages), /documents_export/)
      })
    })
  }
}

test('clients.md 1: the prompt finds as overdue what the statistics say is overdue', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  const late = { document_date: '2026-01-01', due_date: '2026-01-31' }
  await aDraft(running, pair, late)
  await anInvoice(running, pair)
  await anInvoice(running, pair, late)
  for (const [to, more] of [
    ['approved', {}],
    ['disputed', {}],
    ['payment_scheduled', { scheduled_for: inDays(2) }],
  ] as const) {
    const { id } = await anApprovedInvoice(running, pair, late)
    if (to === 'approved') continue
    const reply = await move(running, counterparty.key, id, to, more)
    assert.equal(reply.body.status, to, reply.text)
  }
  for (const party of [issuer, counterparty]) {
    const client = await connectMcp(running, party.key)
    const { messages } = await client.getPrompt({ name: 'find_overdue' })
    const [, phase, fields] = /phase (\S+) and fields (\S+)\./.exec(JSON.stringify(messages))!
    const found = (await callTool(client, 'documents_list', { phase, fields })).body.data
    const overdue = found.filter((row: { overdue: boolean }) => row.overdue)
    const { points } = (await callTool(client, 'statistics_get', { metric: 'ageing' })).body
    const late = points.filter((point: { bucket: string }) => point.bucket !== 'current')
    assert.deepEqual(
      [overdue.length, sum(overdue, 'balance_due')],
      [sum(late, 'count'), sum(late, 'amount')],
    )
    assert.equal(overdue.length, 4)
  }
})

const sum = (rows: Record<string, number>[], field: string): number =>
  rows.reduce((total, row) => total + row[field]!, 0)
