/**
 * Makes PDFs off the request path: in a bounded number of threads, in turns of the organizations,
 * each within a deadline. What was made is kept within a number of bytes, by the digest of all that
 * it was made of, so a kept PDF says what a new one would say.
 */
import { hash } from 'node:crypto'
import { refuse } from '../contract/errors.ts'
import { interopLimits } from '../contract/interop-limits.ts'
import { turns } from '../contract/work-classes.ts'
import { FairQueue, type Requester } from '../database/fair-queue.ts'
import { openThreads } from '../threads/threads.ts'
import type { PdfFiles, PdfJob } from './pdf-job.ts'

export interface PdfMaker {
  /** The files are only read for what is not kept. */
  make(requester: Requester, job: PdfJob, files?: () => Promise<PdfFiles>): Promise<Buffer>
  stop(): Promise<void>
}

type PdfLimits = Readonly<
  Record<'pdfMaxMs' | 'pdfCacheMaxBytes' | 'pdfThreadMaxMegabytes' | 'pdfThreadIdleMs', number>
>

export const openPdfMaker = (limits: PdfLimits = interopLimits): PdfMaker => {
  const queue = new FairQueue(turns.pdfs)
  const cache = new ByteCache(limits.pdfCacheMaxBytes)
  const threads = openThreads<{ job: PdfJob; files: PdfFiles }, Uint8Array>({
    program: new URL('./worker.ts', import.meta.url),
    maxMs: limits.pdfMaxMs,
    maxMegabytes: limits.pdfThreadMaxMegabytes,
    idleMs: limits.pdfThreadIdleMs,
    tookTooLong: () =>
      refuse('service_unavailable', 'The PDF was not made in time. Send the same request again.'),
  })
  return {
    make: async (requester, job, files = noFiles) => {
      const digest = hash('sha256', JSON.stringify(job))
      const kept = cache.get(digest)
      if (kept !== undefined) return kept
      return queue.run(requester, async () => {
        const known = cache.get(digest)
        if (known !== undefined) return known
        const made = await threads.ask({ job, files: await files() })
        const bytes = Buffer.from(made.buffer, made.byteOffset, made.byteLength)
        cache.keep(digest, bytes)
        return bytes
      })
    },
    stop: () => threads.stop(),
  }
}

const noFiles = (): Promise<PdfFiles> => Promise.resolve({ logo: undefined })

/** The least recently used entries make room. */
class ByteCache {
  readonly #maxBytes: number
  readonly #kept = new Map<string, Buffer>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: string): Buffer | undefined {
    const bytes = this.#kept.get(key)
    if (bytes !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, bytes)
    }
    return bytes
  }

  keep(key: string, bytes: Buffer): void {
    if (this.#kept.has(key) || bytes.length > this.#maxBytes) return
    this.#kept.set(key, bytes)
    this.#bytes += bytes.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return
      this.#kept.delete(oldest)
      this.#bytes -= length
    }
  }
}
