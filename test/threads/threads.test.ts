/** A thread that cannot be asked costs the process nothing but the question. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openThreads } from '../../src/threads/threads.ts'

const threads = openThreads<unknown, unknown>({
  program: new URL('../../src/threads/proof-worker.ts', import.meta.url),
  maxMs: 10_000,
  maxMegabytes: 64,
  idleMs: 10_000,
  tookTooLong: () => new Error('took too long'),
})
after(() => threads.stop())

test('a question that cannot be sent fails once, and nobody is left to hear of it again', async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown) => void unheard.push(reason)
  process.on('unhandledRejection', hear)
  await assert.rejects(threads.ask({ kind: () => {} }), { name: 'DataCloneError' })
  // The thread has ended. What waited for it has been told, and what nobody heard is reported now.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', hear)
  assert.deepEqual(unheard, [])
})
