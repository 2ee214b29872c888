/** Runs in a thread of its own: makes one PDF after the other. */
import { parentPort } from 'node:worker_threads'
import type { ExportedDocument } from '../core/interop/exported-document.ts'
import type { CarriedProof } from './carried-proof.ts'
import { documentPdf } from './document-pdf.ts'

export interface PdfJob {
  document: ExportedDocument
  /** The same as a Cross Industry Invoice, which the PDF then carries. */
  xml: string | undefined
  proof: CarriedProof | undefined
}

const make = async ({ document, ...carried }: PdfJob): Promise<void> => {
  const bytes = new Uint8Array(await documentPdf(document, carried))
  parentPort!.postMessage(bytes, [bytes.buffer])
}

/** A failure ends the thread, which its owner notices. */
parentPort!.on('message', (job: PdfJob) => void make(job))
