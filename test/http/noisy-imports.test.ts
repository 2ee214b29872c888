/** Files that take long to read leave others their turns between them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aPair } from '../support/fixtures.ts'
import { importFile } from '../support/interop/import-client.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const schema = 'urn:oasis:names:specification:ubl:schema:xsd'

/** An invoice without a seller, of nearly as many elements as a file may have. */
const largeFile = [
  `<Invoice xmlns="${schema}:Invoice-2" xmlns:b="${schema}:CommonBasicComponents-2"`,
  ` xmlns:a="${schema}:CommonAggregateComponents-2">`,
  '<a:InvoiceLine><b:ID>1</b:ID><a:Item><b:Name>Oak</b:Name></a:Item></a:InvoiceLine>'.repeat(4900),
  '</Invoice>',
].join('')

test('an organization has one file read at a time, and rests before the next one', async () => {
  const [attacker, victim] = [await aPair(running), await aPair(running)]
  const imports = Array.from({ length: 12 }, () => importFile(running, attacker, largeFile))
  const all = Promise.all(imports)
  let isOver = false
  void all.finally(() => (isOver = true))
  let reads = 0
  while (!isOver) {
    const { status } = await callApi(running, 'GET', '/v1/me', { key: victim.issuer.key })
    assert.equal(status, 200)
    reads += 1
  }
  // Some may have waited for too long.
  const read = (await all).filter(({ status }) => status !== 503)
  for (const { status, text } of read) assert.equal(status, 400, text)
  assert(reads > read.length, `${reads} reads beside ${read.length} files`)
})
