/** The CPU time of exports and imports of a document with 200 lines, without HTTP and storage. */
import { importedFile } from '../src/core/interop/imported-file.ts'
import { ublInvoice } from '../src/core/interop/ubl-invoice.ts'
import { documentPdf } from '../src/pdf/document-pdf.ts'
import { randomDocuments } from '../test/support/interop/random-documents.ts'
import type { Compare } from './bench-server.ts'

const lineCount = 200
const repeats = 10

/** Milliseconds of one run, after some that compile the code. */
const costOf = (work: () => unknown) => async (): Promise<number> => {
  for (let run = 0; run < repeats; run += 1) await work()
  const before = process.cpuUsage()
  for (let run = 0; run < repeats; run += 1) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / repeats
}

export const compareInterop = async (compare: Compare): Promise<void> => {
  const document = randomDocuments(1_000, 1).find(
    ({ type, content }) => type === 'invoice' && content.line_items.length === lineCount,
  )!
  const ubl = Buffer.from(ublInvoice(document))
  const carried = { xml: undefined, proof: undefined, logo: undefined }
  await compare(
    'render.pdf',
    'ms',
    costOf(() => documentPdf(document, carried)),
    async () => 500,
  )
  await compare(
    'render.ubl',
    'ms',
    costOf(() => ublInvoice(document)),
    async () => 20,
  )
  await compare(
    'import.ubl',
    'ms',
    costOf(() => importedFile(ubl)),
    async () => 50,
  )
}
