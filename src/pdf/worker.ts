/** Runs in a thread of its own: makes one PDF after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { ExportedDocument } from '../core/interop/exported-document.ts'
import { type DrawnPicture, PictureRefused } from '../core/pictures/drawn-picture.ts'
import { drawnPicture } from '../core/pictures/picture.ts'
import type { CarriedProof } from './carried-proof.ts'
import { documentPdf } from './document-pdf.ts'

export interface PdfJob {
  document: ExportedDocument
  /** The same as a Cross Industry Invoice, which the PDF then carries. */
  xml: string | undefined
  proof: CarriedProof | undefined
  /** SHA-256 of the issuer's logo in hex. */
  logo: string | undefined
}

/** What a job names by digests, which are part of what a PDF is kept by. */
export interface PdfFiles {
  logo: Uint8Array | undefined
}

const make = async ({ document, xml, proof }: PdfJob, { logo }: PdfFiles): Promise<void> => {
  const carried = { xml, proof, logo: logo && drawnLogo(Buffer.from(logo)) }
  const bytes = new Uint8Array(await documentPdf(document, carried))
  parentPort!.postMessage(bytes, [bytes.buffer])
}

/** A logo that was chosen before logos were checked may be no picture, and is left out. */
const drawnLogo = (bytes: Buffer): DrawnPicture | undefined => {
  try {
    return drawnPicture(bytes)
  } catch (error) {
    if (error instanceof PictureRefused) return undefined
    throw error
  }
}

// Whatever answers requests is served first. On Linux alone, 0 means this thread, not the process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

/** A failure ends the thread, which its owner notices. */
parentPort!.on('message', ({ job, files }: { job: PdfJob; files: PdfFiles }) => {
  void make(job, files)
})
