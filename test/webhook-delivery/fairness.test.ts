/** Contract 7: a slow or dead endpoint never delays the others, and never the API. */
import assert from 'node:assert/strict'
import { type Socket, createServer } from 'node:net'
import { test } from 'node:test'
import {
  listen,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'
import { aDraft, aPair, startTestService, until } from '../support/service.ts'

const running = await startTestService({
  ...localReceiverSettings,
  WEBHOOK_RETRY_SCHEDULE: '1s,1s,1s,1s,1s',
})

/** Takes connections and never says a word. */
const startHanging = async (): Promise<{ url: string; held: Set<Socket> }> => {
  const held = new Set<Socket>()
  const port = await listen(createServer((socket) => void held.add(socket)))
  return { url: `http://127.0.0.1:${port}/`, held }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

test('deliveries of others, of the same organization and the API go on beside ten that hang', async (t) => {
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
      const answeredAt = performance.now()
      await until('it arrives', () => quick.received.length > count)
      calls.push(answeredAt - startedAt)
      delays.push(performance.now() - answeredAt)
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
  await until('they hang, eight each', () => hanging.held.size >= 8 * 8)
  await measure(healthy, 20)
  const [during, callsDuring] = [median(delays.splice(0)), median(calls.splice(0))]
  await subscribe(running, noisy.issuer, quick.url)
  await measure(noisy, 10)
  const same = median(delays.splice(0))
  t.diagnostic(
    `median delay before ${before.toFixed(1)} ms, beside ten that hang ${during.toFixed(1)} ms,` +
      ` same organization ${same.toFixed(1)} ms; API ${callsBefore.toFixed(1)} → ${callsDuring.toFixed(1)} ms`,
  )
  for (const delay of [during, same])
    assert(delay < before + 1_000, 'nobody waits for those that hang')
  assert(callsDuring < callsBefore + 1_000)
})
