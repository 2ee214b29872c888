/** Domain 7: PDFs are made in threads, within a deadline, and kept within a number of bytes. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, test } from 'node:test'
import { interopLimits } from '../../src/contract/interop-limits.ts'
import { openPdfMaker } from '../../src/pdf/pdf-maker.ts'
import type { PdfJob } from '../../src/pdf/pdf-job.ts'
import { readPdf } from '../support/documents/pdf-reader.ts'
import { randomDocuments } from '../support/interop/random-documents.ts'
import { plainPng } from '../support/pictures/png.ts'

const requester = { organization: 'one' }

const aMaker = (limits: Partial<Record<keyof typeof interopLimits, number>> = {}) => {
  const maker = openPdfMaker({ ...interopLimits, ...limits })
  after(() => maker.stop())
  return (job: PdfJob) => maker.make(requester, job)
}

const jobs = randomDocuments(3, 7).map((document): PdfJob => ({
  document,
  xml: undefined,
  proof: undefined,
  logo: undefined,
}))
const [first, second, third] = jobs as [PdfJob, PdfJob, PdfJob]

test('what was made is kept, and made again in the same bytes when it no longer is', async () => {
  const make = aMaker()
  const pdf = await make(first)
  assert.equal(await make({ ...first }), pdf)
  const scarce = aMaker({ pdfCacheMaxBytes: pdf.length + 1 })
  const again = await scarce(first)
  assert(again.equals(pdf))
  for (const job of [second, third]) await scarce(job)
  const anew = await scarce(first)
  assert.notEqual(anew, again)
  assert(anew.equals(again))
})

test('files are read for what is not kept, and a logo that is no picture is left out', async () => {
  const maker = openPdfMaker()
  after(() => maker.stop())
  let reads = 0
  const withLogo = (logo: Buffer) =>
    maker.make(requester, { ...first, logo: hash('sha256', logo) }, async () => {
      reads += 1
      return { logo }
    })
  const picture = plainPng(3, 3, [1, 2, 3])
  const shown = await withLogo(picture)
  assert.equal(await withLogo(picture), shown)
  assert.equal(reads, 1)
  assert(shown.includes('/Subtype /Image'))
  const without = await withLogo(Buffer.from('picture'))
  assert(without.equals(await maker.make(requester, first)))
})

test('a short section, such as the proof, stays on one page wherever the table ends', async () => {
  const make = aMaker()
  const digest = hash('sha256', 'proof')
  const proof = { name: 'doc.3.svc-proof.json', text: '{}', seq: 3, digest }
  const [item] = first.document.content.line_items
  const pageCounts = new Set<number>()
  for (let count = 10; count <= 22; count += 2) {
    const line_items = Array.from({ length: count }, () => ({ ...item!, description: 'Yarn' }))
    const content = { ...first.document.content, line_items }
    const { pages } = readPdf(
      await make({ ...first, document: { ...first.document, content }, proof }),
    )
    pageCounts.add(pages.length)
    const page = pages.find((text) => text.includes(digest))!
    for (const part of ['Proof', 'verify_bundle.py']) assert(page.includes(part), page)
  }
  assert.deepEqual([...pageCounts], [1, 2])
})

test('a document that is larger than the cache is made, and nothing else is dropped for it', async () => {
  const make = aMaker({ pdfCacheMaxBytes: 100 })
  const pdf = await make(first)
  assert.notEqual(await make(first), pdf)
})

test('what takes too long is refused with 503, and the next one is made', async () => {
  await assert.rejects(aMaker({ pdfMaxMs: 1 })(first), {
    code: 'service_unavailable',
    message: /not made in time/,
  })
  const make = aMaker()
  assert.equal((await make(first)).subarray(0, 5).toString(), '%PDF-')
})

test('a thread that fails ends, and the next one makes the next PDF', async () => {
  const make = aMaker()
  const broken = { ...first, document: { ...first.document, content: null } } as unknown as PdfJob
  await assert.rejects(make(broken), /content|null/)
  assert.equal((await make(first)).subarray(0, 5).toString(), '%PDF-')
})

test('a thread that needs too much memory ends, and takes nothing with it', async () => {
  const make = aMaker({ pdfThreadMaxMegabytes: 24 })
  const [line] = first.document.content.line_items
  const content = {
    ...first.document.content,
    line_items: Array.from({ length: 60_000 }, () => line!),
  }
  await assert.rejects(make({ ...first, document: { ...first.document, content } }), /memory/)
  const pdf = await aMaker()(first)
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
})
