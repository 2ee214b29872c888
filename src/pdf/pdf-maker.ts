/**
 * Makes PDFs off the request path: in a bounded number of threads, in turns of the organizations,
 * each within a deadline. What was made is kept within a number of bytes, by the digest of all that
 * it was made of, so a kept PDF says what a new one would say.
 */
import { hash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { refuse } from '../contract/errors.ts'
import { interopLimits } from '../contract/interop-limits.ts'
import { turns } from '../contract/work-classes.ts'
import { FairQueue, type Requester } from '../database/fair-queue.ts'
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
  const threads = new Threads(limits)
  return {
    make: async (requester, job, files = noFiles) => {
      const digest = hash('sha256', JSON.stringify(job))
      const kept = cache.get(digest)
      if (kept !== undefined) return kept
      return queue.run(requester, async () => {
        const bytes = cache.get(digest) ?? (await threads.make(job, await files()))
        cache.keep(digest, bytes)
        return bytes
      })
    },
    stop: () => threads.stop(),
  }
}

const noFiles = (): Promise<PdfFiles> => Promise.resolve({ logo: undefined })

/** Started when they are needed, and ended when they have had nothing to do for a while. */
class Threads {
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #all = new Set<Worker>()
  readonly #limits: PdfLimits

  constructor(limits: PdfLimits) {
    this.#limits = limits
  }

  async make(job: PdfJob, files: PdfFiles): Promise<Buffer> {
    const worker = this.#take()
    try {
      const bytes = await answerOf(worker, { job, files }, this.#limits.pdfMaxMs)
      this.#giveBack(worker)
      return bytes
    } catch (error) {
      await this.#end(worker)
      throw error
    }
  }

  #take(): Worker {
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(worker)
      return worker
    }
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.pdfThreadMaxMegabytes },
    })
    worker.unref()
    // Without a listener, an error between two jobs would end the process.
    worker.on('error', () => void this.#end(worker))
    this.#all.add(worker)
    return worker
  }

  #giveBack(worker: Worker): void {
    if (!this.#all.has(worker)) return
    const timer = setTimeout(() => void this.#end(worker), this.#limits.pdfThreadIdleMs)
    this.#idle.set(worker, timer.unref())
  }

  async #end(worker: Worker): Promise<void> {
    clearTimeout(this.#idle.get(worker))
    this.#idle.delete(worker)
    this.#all.delete(worker)
    await worker.terminate()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => this.#end(worker)))
  }
}

const answerOf = (worker: Worker, message: object, maxMs: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      clearTimeout(deadline)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      then()
    }
    const onMessage = (bytes: Uint8Array<ArrayBuffer>) =>
      settle(() => resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
    const onError = (error: Error) => settle(() => reject(error))
    const onExit = () => settle(() => reject(new Error('the thread of a PDF ended')))
    const deadline = setTimeout(() => settle(() => reject(tookTooLong())), maxMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(message)
  })

const tookTooLong = (): Error =>
  refuse('service_unavailable', 'The PDF was not made in time. Send the same request again.')

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
