/** Pages of documents that are as large as the contract allows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { endOfFeed, unindexedDocuments } from '../../../src/store/documents/search-index.ts'
import { documentsToIndex } from '../../../src/store/documents/search-indexing.ts'
import { aDraft, aPair, exampleLine } from '../../support/fixtures.ts'
import { eachPage } from '../../support/http/all-pages.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running)

const { lineItemsMax, descriptionMaxLength, pageContentMaxBytes } = limits
const description = 'x'.repeat(descriptionMaxLength)
const line_items = Array.from({ length: lineItemsMax }, () => ({ ...exampleLine, description }))

/** Two pages are full, and the last one has a document. */
const drafts: string[] = []
const perPage = Math.ceil(pageContentMaxBytes / (lineItemsMax * descriptionMaxLength))
for (let i = 0; i < perPage * 2; i += 1) {
  drafts.unshift((await aDraft(running, pair, { line_items, notes: `${i}` })).id)
}

interface Row {
  id: string
  data?: { document: { id: string } }
}

/** The documents of all pages, of which all but the last are full and none is too long. */
const walk = async (path: string): Promise<Row[]> => {
  const rows: Row[] = []
  for await (const { data, next_cursor: next } of eachPage(running, pair.issuer.key, path)) {
    const lengths = data.map((row) => JSON.stringify(row).length)
    const before = lengths.slice(0, -1).reduce((sum, length) => sum + length, 0)
    assert(before < pageContentMaxBytes, `${path}: ${before} bytes before the last row`)
    const isFull = before + lengths.at(-1)! >= pageContentMaxBytes
    assert(isFull || next === null, `${path}: a page of ${before} bytes is not the last`)
    rows.push(...data)
  }
  return rows
}

test('4.3 a page ends with the document whose content reaches 1 MiB, and the next continues', async () => {
  const all = ['', '&type=invoice&status=draft', '&updated_since=2026-01-01', '&query=INV']
  for (const filters of all) {
    const path = `/v1/documents?limit=100${filters}`
    const ids = (await walk(path)).map(({ id }) => id)
    assert.deepEqual(ids, drafts, path)
  }
})

test('4.3 a page of events ends likewise, in both directions and with filters', async () => {
  const events = await walk('/v1/events?limit=100')
  const documentsOf = (rows: Row[]) => rows.map(({ data }) => data!.document.id)
  assert.deepEqual(documentsOf(events), drafts)
  const created = await walk('/v1/events?limit=100&type=document.created')
  assert.deepEqual(created, events)
  const later = await walk(`/v1/events?limit=100&after=${events.at(-1)!.id}`)
  assert.deepEqual(later, events.toReversed().slice(1))
})

test('a search reads as much content of documents that are not indexed yet as a page may have', async () => {
  const range = { from: 0n, before: endOfFeed, limit: limits.searchUnindexedMax }
  const { documents, isCut } = await unindexedDocuments(running.database, pair.issuer.uuid, range)
  assert(isCut)
  const lengths = documents.map(({ content }) => content.length)
  assert(lengths.slice(0, -1).reduce((sum, length) => sum + length, 0) < pageContentMaxBytes)
  assert(lengths.length < drafts.length)
})

test('one round of the search index reads a bounded amount of content, and the rounds miss nothing', async () => {
  const { uuid } = pair.issuer
  const seen: bigint[] = []
  let rounds = 0
  for (let from = 0n; from < 10_000n; rounds += 1) {
    const range = { from, to: 10_000n }
    const { documents, to } = await documentsToIndex(running.database, uuid, range)
    const lengths = documents.map(({ content }) => content.length)
    const before = lengths.slice(0, -1).reduce((sum, length) => sum + length, 0)
    assert(before < pageContentMaxBytes, `${before} bytes before the last document`)
    assert(to > from)
    seen.push(...documents.map(({ position }) => position))
    from = to
  }
  assert.equal(new Set(seen).size, drafts.length)
  assert(rounds >= 2, `${rounds} rounds`)
})
