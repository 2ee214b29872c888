/** Deliveries of events, their retries, and the disabling of endpoints (specification 6.3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'
import {
  respondWith,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, anInvoice, move } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService(localReceiverSettings)
const { webhooks: stripe } = new Stripe('sk_test_none')

const { send, listDeliveries, subscribedPair, createDrafts } = webhooksClient(running)

describe('delivery of events', () => {
  test('6.1 each side gets its own projection, with sequences in order and without a gap', async () => {
    const { receiver, pair } = await subscribedPair()
    const other = await startReceiver()
    await subscribe(running, pair.counterparty, other.url)
    const invoice = await anInvoice(running, pair)
    await move(running, pair.counterparty.key, invoice.id, 'approved')
    await until(
      'both received three events',
      () => receiver.received.length === 3 && other.received.length === 3,
    )
    const summaryOf = (received: typeof receiver.received) =>
      received
        .map(({ event }) => [event.sequence, event.type, event.data.document.label])
        .toSorted(([a], [b]) => a - b)
    assert.deepEqual(summaryOf(receiver.received), [
      [1, 'document.created', 'Invoice'],
      [2, 'document.status_changed', 'Invoice'],
      [3, 'document.status_changed', 'Invoice'],
    ])
    assert.deepEqual(summaryOf(other.received), [
      [1, 'document.created', 'Bill'],
      [2, 'document.status_changed', 'Bill'],
      [3, 'document.status_changed', 'Bill'],
    ])
    const cause = other.received.find(({ event }) => event.sequence === 3)!.event.request
    assert.match(cause.key_prefix, /^rk_test_/, 'the counterparty made that call')
    assert(other.received.every(({ event }) => event.sequence === 3 || event.request === null))
  })

  test('the body is the event of the feed byte for byte, with the signatures of both header families', async () => {
    const { receiver, pair, endpoint } = await subscribedPair()
    await aDraft(running, pair)
    await until('the event is delivered', () => receiver.received.length === 1)
    const { rawBody, headers, event } = receiver.received[0]!
    const { text } = await callApi(running, 'GET', `/v1/events/${event.id}`, {
      key: pair.issuer.key,
    })
    assert.equal(rawBody, text)
    stripe.constructEvent(rawBody, headers['svc-signature']!, endpoint.secret)
    new Webhook(endpoint.secret).verify(rawBody, headers)
    assert.deepEqual(
      [headers['svc-webhook-id'], headers['webhook-id'], headers['svc-delivery-attempt']],
      [event.id, event.id, '1'],
    )
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['webhook-timestamp'], headers['svc-webhook-timestamp'])
  })

  test('6.1 `events` selects the types; an empty list selects all', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair({
      events: ['document.edited'],
    })
    const draft = await aDraft(running, pair)
    const path = `/v1/documents/${draft.id}`
    await callApi(running, 'PATCH', path, { key: issuer.key, body: { notes: 'x' } })
    await until('the edit arrives', () => receiver.received.length === 1)
    assert.equal(receiver.received[0]!.event.type, 'document.edited')
    await send(issuer, 'PATCH', `/${endpoint.id}`, { events: [] })
    await aDraft(running, pair)
    await until('the creation arrives', () => receiver.received.length === 2)
    const types = (await listDeliveries(issuer, endpoint.id)).map(
      (one: { event_type: string }) => one.event_type,
    )
    assert.deepEqual(types, ['document.created', 'document.edited'])
  })

  test('contract 7: a dry run or a refusal causes no delivery', async () => {
    const { receiver, pair, issuer } = await subscribedPair()
    const draft = await aDraft(running, pair)
    await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
      key: issuer.key,
      body: { notes: 'x' },
      headers: { 'svc-dry-run': 'true' },
    })
    await move(running, issuer.key, draft.id, 'approved')
    await aDraft(running, pair)
    await until('the second draft arrives', () => receiver.received.length === 2)
    assert.deepEqual(
      receiver.received.map(({ event }) => event.type),
      ['document.created', 'document.created'],
    )
  })

  test('contract 7: at most 8 deliveries are in flight, and they start in commit order', async () => {
    const { receiver, pair } = await subscribedPair()
    let [inFlight, maxInFlight] = [0, 0]
    const waiting: (() => void)[] = []
    receiver.respond = (_, response) => {
      inFlight += 1
      maxInFlight = Math.max(maxInFlight, inFlight)
      waiting.push(() => {
        inFlight -= 1
        response.end()
      })
    }
    await createDrafts(pair, 20)
    await until('eight are in flight', () => waiting.length === 8)
    const numbers = () => receiver.received.map(({ event }) => event.data.document.number)
    const expected = Array.from({ length: 20 }, (_, i) => `INV-${String(i + 1).padStart(6, '0')}`)
    assert.deepEqual(numbers().toSorted(), expected.slice(0, 8))
    for (let i = 0; i < 20; i += 1) {
      waiting[i]!()
      const next = Math.min(20, 9 + i)
      await until('the next one starts', () => receiver.received.length >= next)
    }
    assert.deepEqual(numbers().slice(8), expected.slice(8), 'the others start in order')
    assert.equal(maxInFlight, 8)
  })
})

describe('6.3.6 retries', () => {
  test('a failed delivery is retried with the same id and bytes until it succeeds', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    receiver.respond = (delivery, response) => {
      const attempt = Number(delivery.headers['svc-delivery-attempt'])
      const headers = { 'x-attempt': String(attempt), 'set-cookie': 'secret=1' }
      respondWith(attempt < 3 ? 503 : 200, headers, `attempt ${attempt}`)(delivery, response)
    }
    await aDraft(running, pair)
    await until('three attempts', () => receiver.received.length === 3)
    const [one, two, three] = receiver.received
    assert.equal(one!.rawBody, three!.rawBody)
    for (const name of ['svc-webhook-id', 'svc-delivery-id']) {
      assert.equal(new Set(receiver.received.map(({ headers }) => headers[name])).size, 1)
    }
    assert.deepEqual([two!.headers['svc-delivery-attempt'], three!.event.sequence], ['2', 1])
    const [{ id }] = await listDeliveries(issuer, endpoint.id)
    await until('the success is recorded', async () => {
      const { body } = await send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
      return body.status === 'succeeded'
    })
    const { body } = await send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
    assert.deepEqual(
      [body.attempt_count, body.last_response_status, body.last_error],
      [3, 200, null],
    )
    assert.deepEqual(
      body.attempts.map(({ number, response_status, error, response_body }: never) => [
        number,
        response_status,
        error,
        response_body,
      ]),
      [
        [1, 503, 'answered 503', 'attempt 1'],
        [2, 503, 'answered 503', 'attempt 2'],
        [3, 200, null, 'attempt 3'],
      ],
    )
    const [first, , last] = body.attempts
    assert.equal(first.response_headers['x-attempt'], '1')
    assert.equal(first.response_headers['set-cookie'], undefined)
    assert.equal(last.response_headers, null, 'only a failure needs to be understood')
    assert.equal(body.body, one!.rawBody, 'the body is shown to the byte')
    for (const [i, { request_headers: shown }] of body.attempts.entries()) {
      const { host: _, connection, 'content-length': __, ...sent } = receiver.received[i]!.headers
      assert.deepEqual([shown, connection], [sent, 'keep-alive'], 'with the signatures of then')
    }
    for (const { timings, duration_ms } of body.attempts) {
      assert.deepEqual([timings.dns_ms, timings.tls_ms], [null, null], 'an address, and http')
      assert(timings.first_byte_ms <= duration_ms)
    }
    const { body: updated } = await send(issuer, 'GET', `/${endpoint.id}`)
    assert.equal(updated.consecutive_failures, 0)
    assert(updated.last_success_at !== null && updated.last_failure_at !== null)
  })

  test('the sixth failure is terminal; 410 and redirects count as failures', async () => {
    for (const status of [410, 302, 404]) {
      const { receiver, pair, endpoint, issuer } = await subscribedPair()
      receiver.respond = respondWith(status, { location: 'http://127.0.0.1:1/' })
      await aDraft(running, pair)
      await until('the delivery has failed', async () => {
        const [delivery] = await listDeliveries(issuer, endpoint.id, '?status=failed')
        return delivery !== undefined
      })
      const [delivery] = await listDeliveries(issuer, endpoint.id)
      assert.deepEqual([delivery.attempt_count, receiver.received.length], [6, 6])
      assert.deepEqual([delivery.next_attempt_at, delivery.last_response_status], [null, status])
      assert.notEqual(delivery.finished_at, null)
    }
  })
})

describe('6.3.7 twenty consecutive terminal failures', () => {
  test('exactly twenty disable the endpoint; later events are skipped; enabling resets the count', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    receiver.respond = respondWith(500)
    const read = async () => (await send(issuer, 'GET', `/${endpoint.id}`)).body
    await createDrafts(pair, 19)
    await until('nineteen failed', async () => (await read()).consecutive_failures === 19)
    assert.equal((await read()).status, 'ACTIVE')
    await createDrafts(pair, 1)
    await until('the endpoint is disabled', async () => (await read()).status === 'DISABLED')
    const disabled = await read()
    assert.equal(disabled.consecutive_failures, 20)
    assert.match(disabled.disabled_reason, /^20 deliveries in a row .*answered 500/)

    const before = receiver.received.length
    await createDrafts(pair, 3)
    await until('three deliveries are skipped', async () => {
      const skipped = await listDeliveries(issuer, endpoint.id, '?status=skipped')
      return skipped.length === 3
    })
    assert.equal(receiver.received.length, before, 'nothing is sent')
    const [skipped] = await listDeliveries(issuer, endpoint.id, '?status=skipped')
    const path = `/${endpoint.id}/deliveries/${skipped.id}/redeliver`
    assertRefused(await send(issuer, 'POST', path), 'conflict', 'endpoint_disabled')
    const range = { since: endpoint.created_at }
    const recover = await send(issuer, 'POST', `/${endpoint.id}/redeliver`, range)
    assertRefused(recover, 'conflict', 'endpoint_disabled')

    receiver.respond = respondWith(200)
    await send(issuer, 'PATCH', `/${endpoint.id}`, { status: 'ACTIVE' })
    assert.deepEqual(
      [(await read()).status, (await read()).consecutive_failures, (await read()).disabled_reason],
      ['ACTIVE', 0, null],
    )
    const { body } = await send(issuer, 'POST', `/${endpoint.id}/redeliver`, range)
    assert.deepEqual(body, { scheduled: 23, next_since: null })
    await until('all are delivered', async () => {
      const { data } = (await send(issuer, 'GET', `/${endpoint.id}/deliveries?limit=100`)).body
      return data.every((one: { status: string }) => one.status === 'succeeded')
    })
    const ids = receiver.received.slice(before).map(({ event }) => event.id)
    assert.deepEqual([ids.length, new Set(ids).size], [23, 23])
  })

  test('a success resets the count', async () => {
    const { receiver, pair, endpoint, issuer } = await subscribedPair()
    receiver.respond = respondWith(500)
    const count = async () =>
      (await send(issuer, 'GET', `/${endpoint.id}`)).body.consecutive_failures
    await createDrafts(pair, 3)
    await until('three failed', async () => (await count()) === 3)
    receiver.respond = respondWith(200)
    await createDrafts(pair, 1)
    await until('the count is reset', async () => (await count()) === 0)
  })
})
