/** What a form would send as the text "undefined" or "[object Object]" is not uploaded. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { aPair, anInvoice } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { Docex } from '../src/index.ts'
import type { FileInput } from '../src/request.ts'

const running = await startTestService()
const pair = await aPair(running)
const docex = new Docex({ apiKey: pair.issuer.key, baseUrl: running.baseUrl })

test('a program without types uploads no value that has no bytes', async () => {
  const { id } = await anInvoice(running, pair)
  const values: unknown[] = [
    new File(['Twelve shelves'], 'order.txt'),
    Buffer.from('Twelve shelves'),
    'order.txt',
    { filename: 'order.txt' },
    { content: new Blob(['Twelve shelves']) },
    { filename: 'order.txt', content: Readable.from(['Twelve shelves']) },
  ]
  for (const value of values) {
    await assert.rejects(docex.attachments.create(id, value as FileInput), {
      name: 'TypeError',
      message: 'A file is {filename, content}: a Blob, bytes or text.',
    })
  }
  assert.deepEqual(await docex.attachments.list(id).toArray(), [])
})

test('a file has the type of its blob, unless another one is given', async () => {
  const { id } = await anInvoice(running, pair)
  const blob = new Blob(['Twelve shelves'], { type: 'text/plain' })
  const files: [contentType: string | undefined, content: FileInput['content'], told: string][] = [
    [undefined, blob, 'text/plain'],
    ['text/csv', blob, 'text/csv'],
    ['text/csv', new Uint8Array([1, 2]), 'text/csv'],
    ['text/csv', new ArrayBuffer(2), 'text/csv'],
    [undefined, 'Twelve shelves', 'application/octet-stream'],
  ]
  for (const [contentType, content, told] of files) {
    const file = { filename: 'order.txt', content, contentType }
    assert.equal((await docex.attachments.create(id, file)).content_type, told)
  }
})
