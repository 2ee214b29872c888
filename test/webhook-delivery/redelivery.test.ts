/** The history of deliveries, and redelivery (contract 4 and 11). */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'
import {
  respondWith,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { aDraft, aPair, anInvoice } from '../support/fixtures.ts'
import { allPages } from '../support/http/all-pages.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService(localReceiverSettings)

const { send, listDeliveries, subscribedPair, createDrafts } = webhooksClient(running)

describe('redelivery', () => {
  test('redeliver resets the delivery to pending with the same id and bytes and six more attempts', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    await aDraft(running, pair)
    await until('delivered', async () => {
      return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    const [delivery] = await listDeliveries(issuer, endpoint.id)
    receiver.respond = respondWith(500)
    const path = `/${endpoint.id}/deliveries/${delivery.id}`
    const { body: again } = await send(issuer, 'POST', `${path}/redeliver`)
    assert.deepEqual(
      [again.id, again.status, again.finished_at, again.attempt_count],
      [delivery.id, 'pending', null, 1],
    )
    await until(
      'the delivery has failed',
      async () => (await send(issuer, 'GET', path)).body.status === 'failed',
    )
    assert.equal((await send(issuer, 'GET', path)).body.attempt_count, 7)
    assert.equal(new Set(receiver.received.map(({ rawBody }) => rawBody)).size, 1)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['svc-webhook-id'])).size, 1)
  })

  test('a redelivery asked for during the last attempt begins after it, with six more attempts', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    let last: ServerResponse | undefined
    receiver.respond = (delivery, response) => {
      if (receiver.received.length === 6) last = response
      else respondWith(500)(delivery, response)
    }
    await aDraft(running, pair)
    await until('the sixth attempt is under way', () => last !== undefined)
    const [delivery] = await listDeliveries(issuer, endpoint.id)
    const path = `/${endpoint.id}/deliveries/${delivery.id}`
    const { body: again } = await send(issuer, 'POST', `${path}/redeliver`)
    assert.equal(again.status, 'pending')
    last!.writeHead(500).end()
    await until('the delivery has failed', async () => {
      return (await send(issuer, 'GET', path)).body.status === 'failed'
    })
    assert.equal((await send(issuer, 'GET', path)).body.attempt_count, 12)
  })

  test('contract 7: a redelivery that fails counts again, but not the redelivery of a ping', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    receiver.respond = respondWith(500)
    const count = async () =>
      (await send(issuer, 'GET', `/${endpoint.id}`)).body.consecutive_failures
    const redeliverUntilFailed = async (id: string) => {
      const path = `/${endpoint.id}/deliveries/${id}`
      await send(issuer, 'POST', `${path}/redeliver`)
      await until('the redelivery has failed', async () => {
        return (await send(issuer, 'GET', path)).body.status === 'failed'
      })
    }
    await aDraft(running, pair)
    await until('the delivery has failed', async () => (await count()) === 1)
    const [{ id }] = await listDeliveries(issuer, endpoint.id)
    await redeliverUntilFailed(id)
    assert.equal(await count(), 2)
    const { body: ping } = await send(issuer, 'POST', `/${endpoint.id}/ping`)
    await redeliverUntilFailed(ping.delivery_id)
    assert.equal(await count(), 2)
    receiver.respond = respondWith(200)
    await send(issuer, 'POST', `/${endpoint.id}/deliveries/${ping.delivery_id}/redeliver`)
    await until('the success resets the count', async () => (await count()) === 0)
  })

  test('recover delivers older events by range and type, each once', async () => {
    const pair = await aPair(running)
    const { issuer } = pair
    const invoice = await anInvoice(running, pair)
    await aDraft(running, pair)
    const receiver = await startReceiver()
    const endpoint = await subscribe(running, issuer, receiver.url)
    const recover = (body: object) => send(issuer, 'POST', `/${endpoint.id}/redeliver`, body)
    const byType = await recover({ since: invoice.created_at, types: ['document.status_changed'] })
    assert.deepEqual(byType.body, { scheduled: 1, next_since: null })
    await until('the event arrives', () => receiver.received.length === 1)
    assert.equal(receiver.received[0]!.event.data.document.status, 'submitted')
    await until('the success is recorded', async () => {
      return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    const range = { since: invoice.created_at, until: invoice.updated_at }
    assert.equal((await recover(range)).body.scheduled, 1, 'the creation of the invoice')
    assert.equal(
      (await recover({ since: invoice.created_at })).body.scheduled,
      1,
      'the creation of the draft',
    )
    await until('all three arrived', () => receiver.received.length === 3)
    const wrong = await recover({ since: invoice.updated_at, until: '2020-01-01T00:00:00Z' })
    assert.equal(assertRefused(wrong, 'invalid_request').errors[0].param, '/until')
  })
})

test('contract 7: Retry-After of a 503 is honoured, up to the next slot of the schedule', async () => {
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '1s,1h,1h,1h,1h' }
  const slowRetries = await startTestService({ ...localReceiverSettings, ...schedule })
  const client = webhooksClient(slowRetries)
  for (const [retryAfter, expectedMs] of [
    ['600', 600_000],
    ['86400', 3_600_000],
  ] as const) {
    const { receiver, pair, endpoint, issuer } = await client.subscribedPair()
    receiver.respond = respondWith(503, { 'retry-after': retryAfter })
    await aDraft(slowRetries, pair)
    await until('a retry is scheduled', async () => {
      return (await client.listDeliveries(issuer, endpoint.id, '?status=retrying')).length === 1
    })
    const [{ id }] = await client.listDeliveries(issuer, endpoint.id)
    const { body } = await client.send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
    const waitMs = Date.parse(body.next_attempt_at) - Date.parse(body.attempts[0].at)
    assert(Math.abs(waitMs - expectedMs) < 30_000, `${waitMs} ms`)
  }
})

describe('history of deliveries', () => {
  test('the list filters by status, type and time, and pages do not overlap', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    await anInvoice(running, pair)
    await createDrafts(pair, 3)
    await until('delivered', () => receiver.received.length === 5)
    await until('recorded', async () => {
      return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 5
    })
    const all = await listDeliveries(issuer, endpoint.id)
    const ids = all.map(({ id }: { id: string }) => id)
    const path = `/v1/webhooks/${endpoint.id}/deliveries?limit=2`
    const paged = await allPages(running, issuer.session, path)
    assert.deepEqual(
      paged.map(({ id }) => id),
      ids,
    )
    assert.equal(
      (await listDeliveries(issuer, endpoint.id, '?type=document.status_changed')).length,
      1,
    )
    assert.equal((await listDeliveries(issuer, endpoint.id, '?status=failed,skipped')).length, 0)
    const since = all[1].created_at
    const later = await listDeliveries(issuer, endpoint.id, `?since=${since}`)
    const expected = all.filter((one: { created_at: string }) => one.created_at >= since)
    assert.deepEqual(later, expected)
  })

  test('a response body that is not text is stored as text, with at most 4 KiB', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    receiver.respond = (_, response) =>
      void response.end(Buffer.concat([Buffer.from([0, 255, 254]), Buffer.alloc(10_000, 'x')]))
    await aDraft(running, pair)
    await until('recorded', async () => {
      return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    const [{ id }] = await listDeliveries(issuer, endpoint.id)
    const { body } = await send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
    assert.equal(body.attempts[0].response_body, `\ufffd\ufffd\ufffd${'x'.repeat(4093)}`)
  })

  test('a delivery that was made again and again shows its last hundred attempts', async () => {
    const { pair, endpoint, issuer } = await subscribedPair()
    await aDraft(running, pair)
    await until('delivered', async () => {
      return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    const [{ id }] = await listDeliveries(issuer, endpoint.id)
    await running.database.run(sql`
      insert into webhook_attempt (delivery_id, number, at, response_status, duration_ms)
      select ${decodeId('dlv', id)!}, number, now(), 200, 1 from generate_series(2, 250) number`)
    const { body } = await send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
    const numbers = body.attempts.map(({ number }: { number: number }) => number)
    assert.deepEqual(
      numbers,
      Array.from({ length: 100 }, (_, i) => 151 + i),
    )
  })

  test('6.3.7 deliveries are listed for 30 days, and those that are due for another one', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    await createDrafts(pair, 2)
    await until('both are delivered', async () => {
      return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 2
    })
    const webhook = decodeId('whk', endpoint.id)!
    const aged = (interval: string) =>
      running.database.run(sql`
        update webhook_delivery set created_at = now() - ${interval}::interval
        where webhook_id = ${webhook}`)
    receiver.respond = () => {}
    const [{ id }] = await listDeliveries(issuer, endpoint.id)
    await send(issuer, 'POST', `/${endpoint.id}/deliveries/${id}/redeliver`)
    await aged('30 days 1 second')
    const remaining = await listDeliveries(issuer, endpoint.id)
    assert.deepEqual(
      remaining.map((one: { id: string }) => one.id),
      [id],
    )
    await aged('31 days 1 second')
    assert.deepEqual(await listDeliveries(issuer, endpoint.id), [])
  })

  test('4 deliveries of another endpoint are not found', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    await aDraft(running, pair)
    await until('delivered', () => receiver.received.length === 1)
    const [{ id }] = await listDeliveries(issuer, endpoint.id)
    const other = await subscribe(running, issuer, receiver.url)
    const reply = await send(issuer, 'GET', `/${other.id}/deliveries/${id}`)
    assert.deepEqual(assertRefused(reply, 'not_found'), { resource: 'delivery', id })
  })

  test('a secret that cannot be decrypted raises an alarm and uses up no attempt', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    const ofEndpoint = sql`where id = ${decodeId('whk', endpoint.id)!}`
    const flipBit = sql`secret_sealed = set_byte(secret_sealed, 20, get_byte(secret_sealed, 20) # 1)`
    await runAndSeal(
      running.database,
      'webhook_endpoints',
      sql`update webhook_endpoints set ${flipBit} ${ofEndpoint}`,
    )
    await aDraft(running, pair)
    const alarms = () =>
      running.logLines.filter((line) => {
        return line.includes('webhook_secret_unreadable') && line.includes(endpoint.id)
      }).length
    await until('an alarm is logged', () => alarms() > 0)
    await until('the endpoint is released', async () => {
      const [row] = await running.database.rows(sql`
        select 1 from webhook_endpoints ${ofEndpoint} and lease_owner is null and next_due_at > now()`)
      return row !== undefined
    })
    const [delivery] = await listDeliveries(issuer, endpoint.id)
    assert.deepEqual([delivery.status, delivery.attempt_count], ['pending', 0])
    const { body } = await send(issuer, 'GET', `/${endpoint.id}`)
    assert.deepEqual([body.last_failure_at, body.consecutive_failures], [null, 0])
    assert.equal(receiver.received.length, 0)

    // Restores the secret, and makes the returned delivery due.
    await runAndSeal(
      running.database,
      'webhook_endpoints',
      sql`update webhook_endpoints set ${flipBit}, next_due_at = now() ${ofEndpoint}`,
    )
    await until('delivered', () => receiver.received.length === 1)
    assert.equal(receiver.received[0]!.headers['svc-delivery-attempt'], '1')
  })
})
