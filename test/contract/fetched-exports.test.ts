/** Domain 7: what the docs say to save a PDF and a CSV with does so, in every language. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { fetchedExports } from '../../src/docs/chapters/fetched-exports.ts'
import { type TabLabel, examplesFolder, runExample } from '../support/contract/example-programs.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { baseUrl } = running
/** Profiles are empty, as those of a practice pair. */
const pair = await aPair(running)
const { key } = pair.issuer
const { id, number } = await anInvoice(running, pair)

const tabs = fetchedExports(readConfig({ BASE_URL: baseUrl })).blocks.flatMap((block) =>
  block.kind === 'tabs' ? block.tabs : [],
)

test('each language has an example', () => {
  const labels = tabs.map(({ label }) => label)
  assert.deepEqual(labels, ['curl', 'TypeScript', 'Python', 'CLI', 'MCP tool'])
})

test('the tool call answers the PDF as a resource', async () => {
  const text = tabs.at(-1)!.text.replace('$DOCUMENT_ID', id)
  const params = JSON.parse(text)
  const reply = await callApi(running, 'POST', '/mcp', {
    key,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers: { accept: 'application/json, text/event-stream' },
  })
  assert.equal(reply.status, 200, reply.text)
  assert(reply.text.includes('application/pdf'), reply.text.slice(0, 300))
})

for (const { label, text } of tabs.slice(0, -1)) {
  test(`the example in ${label} saves a PDF and a CSV`, async () => {
    const folder = examplesFolder()
    const { status, stderr } = await runExample(label as TabLabel, text, folder, {
      API_KEY: key,
      DOCEX_API_KEY: key,
      DOCEX_BASE_URL: baseUrl,
      DOCUMENT_ID: id,
    })
    assert.equal(status, 0, stderr)
    const pdf = readFileSync(join(folder, 'invoice.pdf'))
    assert(pdf.toString('latin1').startsWith('%PDF-1.7\n'))
    assert(pdf.toString('latin1').trimEnd().endsWith('%%EOF'), 'whole')
    const csv = readFileSync(join(folder, 'invoice.csv'), 'utf8')
    assert(csv.includes(`,${number},`) && csv.endsWith('\r\n'), csv)
  })
}
