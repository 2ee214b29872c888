/** Runs in a thread of its own: makes one PDF after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type DrawnPicture, PictureRefused } from '../core/pictures/drawn-picture.ts'
import { drawnPicture } from '../core/pictures/picture.ts'
import { documentPdf } from './document-pdf.ts'
import type { PdfFiles, PdfJob } from './pdf-job.ts'

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
