/** What a thread that makes PDFs is given. */
import type { ExportedDocument } from '../core/interop/exported-document.ts'
import type { CarriedProof } from './carried-proof.ts'

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
