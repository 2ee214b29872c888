/** Pages of documents that are as large as the contract allows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { aDraft, aPair, exampleLine } from '../../support/fixtures.ts'
import { eachPage } from '../../support/http/all-pages.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running)

const { lineItemsMax, descriptionMaxLength, pageContentMaxBytes } = limits
const description = 'x'.repeat(descriptionMaxLength)
const line_items = Array.from({ length: lineItemsMax }, () => ({ ...exampleLine, description }))

test('4.3 a page ends with the document whose content reaches 1 MiB, and the next continues', async () => {
  const drafts: string[] = []
  // Two pages are full, and the last one has a document.
  const perPage = Math.ceil(pageContentMaxBytes / (lineItemsMax * descriptionMaxLength))
  for (let i = 0; i < perPage * 2; i += 1) {
    drafts.unshift((await aDraft(running, pair, { line_items, notes: `${i}` })).id)
  }
  for (const filters of ['', '&type=invoice&status=draft', '&updated_since=2026-01-01']) {
    const listed: string[] = []
    const path = `/v1/documents?limit=100${filters}`
    for await (const { data, next_cursor: next } of eachPage(running, pair.issuer.key, path)) {
      const lengths = data.map((document) => JSON.stringify(document).length)
      const before = lengths.slice(0, -1).reduce((sum, length) => sum + length, 0)
      assert(before < pageContentMaxBytes, `${path}: ${before} bytes before the last document`)
      const isFull = before + lengths.at(-1)! >= pageContentMaxBytes
      assert(isFull || next === null, `${path}: a page of ${before} bytes is not the last`)
      listed.push(...data.map(({ id }) => id))
    }
    assert.deepEqual(listed, drafts, path)
  }
})
