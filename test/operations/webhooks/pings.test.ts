/** A ping makes one immediate attempt and answers its outcome (specification 6.3.9). */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { webhooksClient } from '../../support/webhooks/webhooks-client.ts'
import {
  respondWith,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../../support/webhooks/receiver.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { freshIdempotencyKey } from '../../support/api-client.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { until } from '../../support/until.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService(localReceiverSettings)
const { webhooks: stripe } = new Stripe('sk_test_none')

const { send } = webhooksClient(running)

describe('6.3.9 ping', () => {
  test('a ping makes one real attempt, signed like a delivery, and answers its outcome', async () => {
    const receiver = await startReceiver()
    const organization = await anOrganization(running)
    const { id, secret } = await subscribe(running, organization, receiver.url)
    const reply = await send(organization, 'POST', `/${id}/ping`)
    const { delivery_id, response_status, duration_ms, error } = reply.body
    assert.deepEqual([response_status, error], [200, null])
    assert(Number.isInteger(duration_ms))
    const { headers, rawBody, event } = receiver.received[0]!
    stripe.constructEvent(rawBody, headers['svc-signature']!, secret)
    new Webhook(secret).verify(rawBody, headers)
    assert.equal(headers['svc-delivery-id'], delivery_id)
    assert.equal(headers['svc-webhook-id'], event.id)
    const { id: eventId, created_at, ...rest } = event
    assert.match(eventId, /^evt_/)
    assert(!Number.isNaN(Date.parse(created_at)))
    assert.deepEqual(rest, { type: 'ping', api_version: '1.16.0', data: {}, sandbox: true })
    const { body } = await send(organization, 'GET', `/${id}/deliveries/${delivery_id}`)
    assert.deepEqual(
      [body.event_type, body.status, body.attempt_count, body.attempts[0].response_body],
      ['ping', 'succeeded', 1, 'ok'],
    )
  })

  test('console 1.2: an endpoint tells how its deliveries of the last day have fared', async () => {
    const receiver = await startReceiver()
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, receiver.url)
    const lastDay = async () => (await send(organization, 'GET', `/${id}`)).body.last_day
    assert.deepEqual(await lastDay(), { succeeded: 0, failed: 0, attempts: 0, p95_ms: null })
    for (const status of [200, 500, 204]) {
      receiver.respond = respondWith(status, {}, '')
      await send(organization, 'POST', `/${id}/ping`)
    }
    const uuid = decodeId('whk', id)
    const slowest = sql`update webhook_attempt a set duration_ms = 900 from webhook_delivery d
      where d.id = delivery_id and d.webhook_id = ${uuid} and d.status = 'failed'`
    assert.equal(await running.database.run(slowest), 1)
    assert.deepEqual(await lastDay(), { succeeded: 2, failed: 1, attempts: 3, p95_ms: 900 })
    await running.database.run(sql`
      update webhook_delivery set created_at = created_at - interval '25 hours'
      where webhook_id = ${uuid}`)
    assert.equal((await lastDay()).attempts, 0)
  })

  test('at most two pings of an endpoint run at once, and others are not held up', async () => {
    const receiver = await startReceiver()
    const hanging: ServerResponse[] = []
    receiver.respond = (_, response) => void hanging.push(response)
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, receiver.url)
    const { id: other } = await subscribe(running, organization, (await startReceiver()).url)
    const ping = (of: string) => send(organization, 'POST', `/${of}/ping`)
    const pending = [ping(id), ping(id)]
    await until('both have arrived', () => hanging.length === 2)
    const refused = await ping(id)
    const { policy, limit } = assertRefused(refused, 'rate_limited')
    assert.deepEqual([policy, limit, refused.headers.get('retry-after')], ['pings', 2, '1'])
    assert.equal((await ping(other)).body.response_status, 200)
    for (const response of hanging) response.end()
    for (const { body } of await Promise.all(pending)) assert.equal(body.response_status, 200)
    receiver.respond = (_, response) => void response.end()
    assert.equal((await ping(id)).body.response_status, 200)
  })

  test('a failing ping is answered but neither retried nor counted, and is possible while DISABLED', async () => {
    const receiver = await startReceiver()
    receiver.respond = respondWith(500, {}, 'broken')
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, receiver.url)
    await send(organization, 'PATCH', `/${id}`, { status: 'DISABLED' })
    const { body } = await send(organization, 'POST', `/${id}/ping`)
    assert.deepEqual([body.response_status, body.error], [500, 'answered 500'])
    const { body: endpoint } = await send(organization, 'GET', `/${id}`)
    assert.deepEqual([endpoint.consecutive_failures, endpoint.status], [0, 'DISABLED'])
    assert.notEqual(endpoint.last_failure_at, null)
    const { body: delivery } = await send(
      organization,
      'GET',
      `/${id}/deliveries/${body.delivery_id}`,
    )
    assert.deepEqual([delivery.status, delivery.next_attempt_at], ['failed', null])
  })

  test('a ping with the same Idempotency-Key is sent once, and a dry run sends nothing', async () => {
    const receiver = await startReceiver()
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, receiver.url)
    const key = { 'idempotency-key': freshIdempotencyKey() }
    const first = await send(organization, 'POST', `/${id}/ping`, {}, key)
    const again = await send(organization, 'POST', `/${id}/ping`, {}, key)
    assert.equal(again.text, first.text)
    await send(organization, 'POST', `/${id}/ping`, {}, { 'svc-dry-run': 'true' })
    assert.equal(receiver.received.length, 1)
  })

  test('the ping event cannot be subscribed to', async () => {
    const reply = await send(await anOrganization(running), 'POST', '', {
      url: 'https://public.example/',
      events: ['ping'],
    })
    assertProblems(reply, '/events/0 invalid_value')
  })

  test('contract 7: a successful ping resets the count of consecutive failures', async () => {
    const receiver = await startReceiver()
    receiver.respond = respondWith(500)
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, receiver.url)
    const own = sql`where id = ${decodeId('whk', id)!}`
    await running.database.run(sql`update webhook_endpoints set consecutive_failures = 19 ${own}`)
    await send(organization, 'POST', `/${id}/ping`)
    const { body: before } = await send(organization, 'GET', `/${id}`)
    assert.deepEqual(
      [before.consecutive_failures, before.status, before.last_success_at],
      [19, 'ACTIVE', null],
    )
    receiver.respond = respondWith(200)
    await send(organization, 'POST', `/${id}/ping`)
    const { body: after } = await send(organization, 'GET', `/${id}`)
    assert.equal(after.consecutive_failures, 0)
    assert(after.last_success_at >= before.last_failure_at)
  })

  test('contract 7: any 3xx is a failure, and the error of a redirect says that it is not followed', async () => {
    const receiver = await startReceiver()
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, receiver.url)
    const errors: Record<number, string> = {}
    for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
      receiver.respond = respondWith(status, { location: `${receiver.url}/elsewhere` })
      const { body } = await send(organization, 'POST', `/${id}/ping`)
      assert.equal(body.response_status, status)
      errors[status] = body.error
    }
    const redirected = (status: number) => `answered ${status}: redirects are not followed`
    assert.deepEqual(errors, {
      ...Object.fromEntries(
        [301, 302, 303, 307, 308].map((status) => [status, redirected(status)]),
      ),
      ...Object.fromEntries([300, 304, 305].map((status) => [status, `answered ${status}`])),
    })
    assert.equal(receiver.received.length, 8)
  })

  test('a ping whose endpoint is deleted meanwhile leaves no attempt', async () => {
    const receiver = await startReceiver()
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, receiver.url)
    receiver.respond = (_, response) => {
      void send(organization, 'DELETE', `/${id}`).then(() => response.end())
    }
    assertRefused(await send(organization, 'POST', `/${id}/ping`), 'not_found')
    const { headers } = receiver.received[0]!
    const delivery = decodeId('dlv', headers['svc-delivery-id']!)!
    const attempts = sql`select 1 from webhook_attempt where delivery_id = ${delivery}`
    assert.deepEqual(await running.database.rows(attempts), [])
  })
})
