/** Provenance 8: clients are witnesses, so a document that was put back is noticed. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { aPair, exampleLine } from '../../test/support/fixtures.ts'
import {
  type DocumentTable,
  documentTables,
  oldRowsOf,
} from '../../test/support/provenance/document-rollback.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { FileReceiptStore } from '../src/file-receipt-store.ts'
import { Docex, type Event } from '../src/index.ts'
import {
  type KeptReceipt,
  MemoryReceiptStore,
  ReceiptError,
  type ReceiptStore,
  Receipts,
} from '../src/receipts.ts'

// It logs nothing but by the requests of the test, so nobody else knows what was logged.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running)

const clientWith = (receipts?: Receipts, { key } = pair.issuer) =>
  new Docex({ apiKey: key, baseUrl: running.baseUrl, maxRetries: 0, receipts })
const stranger = clientWith()

const draft = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
} as const

const rowsOf = async (id: string) => {
  const rows = await oldRowsOf(running, decodeId('doc', id)!)
  return () => rows.putBack(Object.keys(documentTables) as DocumentTable[])
}

/** A draft that was issued, while its caller watched, and is a draft again. */
const anUnissuedInvoice = async (store: ReceiptStore) => {
  const docex = clientWith(new Receipts(store))
  const { id } = await docex.documents.create(draft)
  const putBack = await rowsOf(id)
  await docex.documents.issue(id)
  const [event] = (await docex.events.list({ document: id, limit: 1 })).data
  await putBack()
  return { id, docex, event: event! }
}

const isContradiction = (id: string, reason: 'older' | 'other') => (error: unknown) => {
  assert(error instanceof ReceiptError, String(error))
  assert.deepEqual([error.document, error.reason], [id, reason])
  return true
}

test('a document that was put back is noticed by a read, its history and its export', async () => {
  const { id, docex } = await anUnissuedInvoice(new MemoryReceiptStore())
  assert.equal((await stranger.documents.get(id)).status, 'draft', 'the service does not notice')
  await assert.rejects(docex.documents.get(id), isContradiction(id, 'older'))
  await assert.rejects(docex.documents.history(id), isContradiction(id, 'older'))
  await assert.rejects(docex.documents.export(id), isContradiction(id, 'older'))
})

test('a history that goes on after it is another one', async () => {
  const store = new MemoryReceiptStore()
  const { id, docex, event } = await anUnissuedInvoice(store)
  const kept = store.get(id)
  await assert.rejects(docex.documents.issue(id), isContradiction(id, 'other'))
  assert.equal((await stranger.documents.get(id)).status, 'submitted', 'it was issued again')
  await assert.rejects(docex.documents.history(id), isContradiction(id, 'other'))
  await assert.rejects(docex.documents.export(id), isContradiction(id, 'other'))
  await assert.rejects(docex.documents.receipt(id, kept!.event!.seq), isContradiction(id, 'other'))
  await assert.rejects(docex.events.list({ document: id }), isContradiction(id, 'other'))
  const [told] = (await stranger.events.list({ document: id, limit: 1 })).data
  assert.equal(told!.sequence, event.sequence)
  const receipts = new Receipts(store)
  await assert.rejects(receipts.event(told!), isContradiction(id, 'other'))
  await receipts.event(event)
  assert.deepEqual(store.get(id), kept, 'what was acknowledged is still kept')
})

test('a write to a shorter history is older than what was acknowledged', async () => {
  const docex = clientWith(new Receipts(new MemoryReceiptStore()))
  const { id } = await docex.documents.create(draft)
  const putBack = await rowsOf(id)
  await docex.documents.issue(id)
  await docex.documents.transition(id, { to: 'cancelled' })
  await putBack()
  await assert.rejects(docex.documents.issue(id), isContradiction(id, 'older'))
})

test('with a hook nothing is thrown, and a file remembers over a restart', async () => {
  const file = join(temporaryFolder(), 'receipts.json')
  const { id } = await anUnissuedInvoice(new FileReceiptStore(file))
  const seen: ReceiptError[] = []
  const onContradiction = (error: ReceiptError) => void seen.push(error)
  const docex = clientWith(new Receipts(new FileReceiptStore(file), { onContradiction }))
  assert.equal((await docex.documents.get(id)).status, 'draft')
  assert.deepEqual(
    seen.map(({ document, reason, kept }) => [document, reason, kept.event?.seq]),
    [[id, 'older', 2]],
  )
})

test('receipts in a damaged file are an error that names the file, and are not written over', async () => {
  const file = join(temporaryFolder(), 'receipts.json')
  await writeFile(file, '{"doc_1": "{')
  const docex = clientWith(new Receipts(new FileReceiptStore(file)))
  const isNamed = (error: Error) =>
    error.message === `Cannot read ${file}` && error.cause instanceof SyntaxError
  await assert.rejects(docex.documents.create(draft), isNamed)
  const [document] = (await stranger.documents.list({ limit: 1 })).data
  await assert.rejects(docex.documents.get(document!.id), isNamed)
  assert.equal(await readFile(file, 'utf8'), '{"doc_1": "{')
})

test('no honest answer is a contradiction: repeated, crossing, converted or late', async () => {
  const receipts = new Receipts(new MemoryReceiptStore())
  const [docex, theirs] = [
    clientWith(receipts),
    clientWith(new Receipts(new MemoryReceiptStore()), pair.counterparty),
  ]
  const { id } = await docex.documents.create(draft)
  const options = { idempotencyKey: crypto.randomUUID() }
  await docex.documents.update(id, { notes: 'First' }, options)
  const notes = Array.from({ length: 8 }, (_, i) => `Note ${i}`)
  await Promise.all(
    notes.flatMap((text) => [
      docex.documents.update(id, { notes: text }),
      docex.documents.get(id),
      docex.documents.history(id),
    ]),
  )
  const replayed = await docex.documents.update(id, { notes: 'First' }, options).withResponse()
  assert.equal(replayed.replayed, true)
  await docex.documents.issue(id, { dryRun: true })
  await docex.documents.issue(id)
  await theirs.documents.transition(id, { to: 'approved' })
  const credit = await docex.documents.convert(id, { document_type: 'credit_note' })
  assert.notEqual(credit.id, id)
  await docex.attachments.create(id, { filename: 'a.txt', content: 'Twelve shelves' })
  for (const client of [docex, theirs]) {
    await client.documents.get(id)
    await client.documents.export(id)
    await client.documents.receipt(id, 2)
    await client.documents.history(id)
  }
  const events: Event[] = await docex.events.list().toArray()
  for (const event of [...events, ...events.toReversed()]) await receipts.event(event)
})

test('what is kept is plain: the newest event, the revision, and what was told', async () => {
  const store = new MemoryReceiptStore()
  const docex = clientWith(new Receipts(store))
  const { id } = await docex.documents.create(draft)
  const { revision } = await docex.documents.issue(id)
  const [event] = (await docex.events.list({ document: id, limit: 1 })).data
  const { event: line, ...rest } = store.get(id) as Required<KeptReceipt>
  assert.equal(line.seq, 2)
  assert.match(`${line.stream} ${line.hash}`, /^[0-9a-f]{64} [0-9a-f]{64}$/)
  const { sequence, created_at } = event!
  assert.deepEqual(rest, { revision, told: { id: event!.id, sequence, revision, created_at } })
})
