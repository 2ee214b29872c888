/**
 * Threads for work that would keep the thread that serves requests busy for too long. Started when
 * they are needed, and ended when they have had nothing to do for a while. Whoever asks bounds how
 * many work at the same time.
 */
import { Worker } from 'node:worker_threads'

export interface ThreadOptions {
  /** It answers each message with one, and a failure ends it. */
  program: URL
  maxMs: number
  maxMegabytes: number
  idleMs: number
  tookTooLong(): Error
}

export interface Threads<Question, Answer> {
  ask(question: Question): Promise<Answer>
  stop(): Promise<void>
}

export const openThreads = <Question, Answer>(
  options: ThreadOptions,
): Threads<Question, Answer> => {
  const threads = new ThreadPool(options)
  return { ask: (question) => threads.ask(question) as Promise<Answer>, stop: () => threads.stop() }
}

class ThreadPool {
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #all = new Set<Worker>()
  readonly #options: ThreadOptions

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  async ask(question: unknown): Promise<unknown> {
    const worker = this.#take()
    try {
      const answer = await answerOf(worker, question, this.#options)
      this.#giveBack(worker)
      return answer
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
    const worker = new Worker(this.#options.program, {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.maxMegabytes },
    })
    worker.unref()
    // Without a listener, an error between two questions would end the process.
    worker.on('error', () => void this.#end(worker))
    this.#all.add(worker)
    return worker
  }

  #giveBack(worker: Worker): void {
    if (!this.#all.has(worker)) return
    const timer = setTimeout(() => void this.#end(worker), this.#options.idleMs)
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

const answerOf = (
  worker: Worker,
  question: unknown,
  { maxMs, tookTooLong }: ThreadOptions,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      clearTimeout(deadline)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      then()
    }
    const onMessage = (answer: unknown) => settle(() => resolve(answer))
    const onError = (error: Error) => settle(() => reject(error))
    const onExit = () => settle(() => reject(new Error('the thread ended')))
    const deadline = setTimeout(() => settle(() => reject(tookTooLong())), maxMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(question)
  })
