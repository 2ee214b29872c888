/** Contract 7: a slow or dead endpoint delays neither other endpoints nor the API. */
import assert from 'node:assert/strict'
import { type Socket, createServer } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import {
  listen,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { stuckTestAfterMs, until } from '../support/until.ts'

const running = await startTestService({
  ...localReceiverSettings,
  WEBHOOK_RETRY_SCHEDULE: '1s,1s,1s,1s,1s',
})

/** Accepts connections and never responds. */
const startHanging = async () => {
  const held = new Set<Socket>()
  const port = await listen(createServer((socket) => void held.add(socket.resume())))
  const closedCount = () => [...held].filter(({ readableEnded }) => readableEnded).length
  return { url: `http://127.0.0.1:${port}/`, held, closedCount }
}

test('contract 7: ten endpoints that hang delay neither other deliveries of any organization nor the API', async (t) => {
  // However long all of this takes on a busy machine, they hang until its end.
  t.mock.property(limits, 'outboundTimeoutMs', (2 * stuckTestAfterMs) as never)
  // An endpoint that is known to be slow has one of them at a time.
  t.mock.property(limits, 'slowResponseMs', (2 * stuckTestAfterMs) as never)
  const hanging = await startHanging()
  const quick = await startReceiver()
  const [noisy, healthy] = [await aPair(running), await aPair(running)]
  const arrives = async (pair: typeof noisy) => {
    const count = quick.received.length
    await aDraft(running, pair)
    await until('the event arrives', () => quick.received.length > count)
  }
  await subscribe(running, healthy.issuer, quick.url)
  const dead = 'http://127.0.0.1:1/'
  for (let i = 0; i < 9; i += 1) {
    await subscribe(running, noisy.issuer, i === 0 ? dead : hanging.url)
  }
  for (let i = 0; i < 12; i += 1) await aDraft(running, noisy)
  await until('eight deliveries to each endpoint hang', () => hanging.held.size >= 8 * 8)

  await arrives(healthy)
  await subscribe(running, noisy.issuer, quick.url)
  await arrives(noisy)
  // None of them has been given up, so nothing could have waited for its end.
  assert.equal(hanging.closedCount(), 0)
  for (const socket of hanging.held) socket.destroy()
})
