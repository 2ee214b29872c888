/** Contract 7: a slow or dead endpoint delays neither other endpoints nor the API. */
import assert from 'node:assert/strict'
import { type Socket, createServer } from 'node:net'
import { test } from 'node:test'
import {
  listen,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { median } from '../support/median.ts'
import { until } from '../support/until.ts'

const running = await startTestService({
  ...localReceiverSettings,
  WEBHOOK_RETRY_SCHEDULE: '1s,1s,1s,1s,1s',
})

/** Accepts connections and never responds. */
const startHanging = async (): Promise<{ url: string; held: Set<Socket> }> => {
  const held = new Set<Socket>()
  const port = await listen(createServer((socket) => void held.add(socket)))
  return { url: `http://127.0.0.1:${port}/`, held }
}

test('contract 7: ten endpoints that hang delay neither other deliveries of any organization nor the API', async (t) => {
  const hanging = await startHanging()
  const quick = await startReceiver()
  const [noisy, healthy] = [await aPair(running), await aPair(running)]
  const delays: number[] = []
  const calls: number[] = []
  const measure = async (pair: typeof noisy, rounds: number) => {
    for (let i = 0; i < rounds; i += 1) {
      const count = quick.received.length
      const startedAt = performance.now()
      await aDraft(running, pair)
      const respondedAt = performance.now()
      await until('the event arrives', () => quick.received.length > count)
      calls.push(respondedAt - startedAt)
      delays.push(performance.now() - respondedAt)
    }
  }
  await subscribe(running, healthy.issuer, quick.url)
  await measure(healthy, 20)
  const [before, callsBefore] = [median(delays.splice(0)), median(calls.splice(0))]

  const dead = 'http://127.0.0.1:1/'
  for (let i = 0; i < 9; i += 1) {
    await subscribe(running, noisy.issuer, i === 0 ? dead : hanging.url)
  }
  for (let i = 0; i < 12; i += 1) await aDraft(running, noisy)
  await until('eight deliveries to each endpoint hang', () => hanging.held.size >= 8 * 8)
  await measure(healthy, 20)
  const [during, callsDuring] = [median(delays.splice(0)), median(calls.splice(0))]
  await subscribe(running, noisy.issuer, quick.url)
  await measure(noisy, 10)
  const same = median(delays.splice(0))
  t.diagnostic(
    `median delay before ${before.toFixed(1)} ms, with ten that hang ${during.toFixed(1)} ms,` +
      ` same organization ${same.toFixed(1)} ms; API ${callsBefore.toFixed(1)} → ${callsDuring.toFixed(1)} ms`,
  )
  for (const delay of [during, same])
    assert(delay < before + 1_000, 'no delivery waits for those that hang')
  assert(callsDuring < callsBefore + 1_000)
})
