/** The watch for a database that was rolled back reads nothing once it has stopped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '../../src/context.ts'
import { openRollbackWatch } from '../../src/startup/rollback-watch.ts'

test('it stops when the look that is under way has ended', async () => {
  const read = Promise.withResolvers<undefined>()
  const context = {
    database: { read: { row: () => read.promise } },
    notary: {
      log: async () => ({}),
      cachedCheckpoint: async () => ({ size: 0, isPublished: true }),
      hasRoom: async () => true,
    },
  } as unknown as Context
  const watch = openRollbackWatch(() => context)
  const firstLook = watch.start()
  let hasStopped = false
  const stopped = watch.stop().then(() => (hasStopped = true))
  await new Promise(setImmediate)
  assert(!hasStopped)
  read.resolve(undefined)
  await Promise.all([firstLook, stopped])
})
