/** Several workers on one database, and workers that are stopped, stalled or have a wrong clock. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { recordAttempts } from '../../src/store/webhooks/attempt-results.ts'
import {
  respondWith,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, exampleLine, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { aDeliveryPath } from '../support/webhooks/endpoints.ts'

const running = await startTestService({ ...localReceiverSettings, PROCESS_ROLE: 'api' })
const asWorker = { PROCESS_ROLE: 'worker' }

const isAllRecorded = async (): Promise<boolean> => {
  const [open] = await running.database.rows<{ open: bigint; leased: bigint }>(sql`
    select (select count(*) from webhook_delivery where due_at is not null) as open,
      (select count(*) from webhook_endpoints where lease_owner is not null) as leased`)
  return open!.open === 0n && open!.leased === 0n
}

test('four workers share the endpoints: each event arrives once, and every lease is released', async () => {
  const receiver = await startReceiver()
  const pairs = []
  for (let i = 0; i < 5; i += 1) {
    const pair = await aPair(running)
    await subscribe(running, pair.issuer, receiver.url)
    pairs.push(pair)
  }
  for (let i = 0; i < 4; i += 1) await running.startAnother(asWorker)
  await Promise.all(
    pairs.map(async (pair) => {
      for (let i = 0; i < 30; i += 1) await aDraft(running, pair)
    }),
  )
  await until('all events arrived', () => receiver.received.length >= 150)
  await until('all is recorded', isAllRecorded)
  const ids = new Set(receiver.received.map(({ event }) => event.id))
  assert.deepEqual([receiver.received.length, ids.size], [150, 150])
})

test('a stopped worker completes and records its attempts, and another worker continues', async () => {
  const receiver = await startReceiver()
  const pair = await aPair(running)
  await subscribe(running, pair.issuer, receiver.url)
  const worker = await running.startAnother(asWorker)
  receiver.respond = (_, response) => void setTimeout(() => response.end(), 50)
  for (let i = 0; i < 25; i += 1) await aDraft(running, pair)
  await until('some deliveries have arrived', () => receiver.received.length >= 4)
  await worker.service.stop()
  await running.startAnother(asWorker)
  await until('all arrived', () => receiver.received.length >= 25)
  await until('all is recorded', isAllRecorded)
  assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 25)
  assert.equal(receiver.received.length, 25, 'no event was sent twice')
})

test('an attempt is recorded once, even if two workers record it', async () => {
  const pair = await aPair(running)
  const path = await aDeliveryPath(running, pair.issuer)
  const [, webhook, , delivery] = path.split('/').slice(2) as [string, string, string, string]
  const redeliverPath = `${path}/redeliver`
  await callApi(running, 'POST', redeliverPath, { key: pair.issuer.session })
  const attempt = {
    delivery_id: decodeId('dlv', delivery)!,
    webhook_id: decodeId('whk', webhook)!,
    attempts_before: 1,
    number: 2,
    at: new Date().toISOString(),
    response_status: 500,
    duration_ms: 5,
    error: 'answered 500',
    response_body: null,
    response_headers: null,
    timings: null,
    signatures: null,
    status: 'retrying' as const,
    retry_ms: 60_000,
  }
  await recordAttempts(running.database, [attempt])
  // Imitates a stalled worker, whose attempt another worker has already recorded.
  await recordAttempts(running.database, [{ ...attempt, status: 'succeeded', retry_ms: null }])
  const { body } = await callApi(running, 'GET', path, { key: pair.issuer.session })
  assert.deepEqual([body.status, body.attempt_count, body.attempts.length], ['retrying', 2, 2])
  await recordAttempts(running.database, [
    { ...attempt, number: 3, status: 'failed', retry_ms: null },
  ])
})

test('large bodies are delivered a few at a time, also to a slow receiver', async () => {
  await running.startAnother(asWorker)
  const receiver = await startReceiver()
  const pair = await aPair(running)
  await subscribe(running, pair.issuer, receiver.url)
  receiver.respond = (_, response) => void setTimeout(() => response.end(), 100)
  const line_items = Array.from({ length: 200 }, () => ({
    ...exampleLine,
    description: 'x'.repeat(1_000),
  }))
  for (let i = 0; i < 6; i += 1) await aDraft(running, pair, { line_items })
  await until('all arrived', () => receiver.received.length >= 6)
  await until('all is recorded', isAllRecorded)
  const ids = new Set(receiver.received.map(({ event }) => event.id))
  assert.deepEqual([receiver.received.length, ids.size], [6, 6])
  assert(receiver.received[0]!.rawBody.length > 200_000)
})

test('reliability F8: a clock that is wrong by a day affects neither retries nor leases', async () => {
  const receiver = await startReceiver()
  const pair = await aPair(running)
  const endpoint = await subscribe(running, pair.issuer, receiver.url)
  await running.startAnother(asWorker)
  const realNow = Date.now.bind(Date)
  for (const hours of [25, -25]) {
    const clock = mock.method(Date, 'now', () => realNow() + hours * 3_600_000)
    try {
      receiver.received.length = 0
      receiver.respond = (delivery, response) => {
        const isFirst = delivery.headers['svc-delivery-attempt'] === '1'
        respondWith(isFirst ? 500 : 200)(delivery, response)
      }
      await aDraft(running, pair)
      await until('the delivery is retried', () => receiver.received.length === 2)
      await until('all is recorded', isAllRecorded)
    } finally {
      clock.mock.restore()
    }
  }
  const path = `/v1/webhooks/${endpoint.id}/deliveries?status=succeeded`
  const { body } = await callApi(running, 'GET', path, { key: pair.issuer.session })
  assert.deepEqual(
    body.data.map((one: { attempt_count: number }) => one.attempt_count),
    [2, 2],
  )
  const day = 86_400_000
  assert(Math.abs(Date.parse(body.data[0].finished_at) - realNow()) < day / 24)
})
