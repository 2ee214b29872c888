/** Specification 5.13 and 6, clause by clause: event types, the envelope and its signature. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { SignatureError } from '../../sdk/src/errors.ts'
import { constructEvent } from '../../sdk/src/webhooks.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aPair, anInvoice, move } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../support/webhooks/receiver.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService(localReceiverSettings)

const v1 = (secret: string, timestamp: string, rawBody: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex')}`

describe('specification 2.4: webhook endpoints', () => {
  test('an endpoint is registered for all events, active and with nothing delivered', async () => {
    const { issuer } = await aPair(running)
    const { secret, ...endpoint } = await subscribe(running, issuer, (await startReceiver()).url)
    assert.match(secret, /^whsec_/)
    assert.deepEqual(
      [endpoint.events, endpoint.status, endpoint.disabled_reason, endpoint.last_success_at],
      [[], 'ACTIVE', null, null],
    )
    assert.deepEqual([endpoint.last_failure_at, endpoint.previous_secret_valid_until], [null, null])
  })
})

describe('specification 6: events and deliveries', () => {
  test('6.1 documents and payments send their events, each projected for its receiver', async () => {
    const pair = await aPair(running)
    const { id } = await aDraft(running, pair)
    await callApi(running, 'PATCH', `/v1/documents/${id}`, {
      key: pair.issuer.key,
      body: { notes: 'edited' },
    })
    await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: pair.issuer.key })
    await move(running, pair.counterparty.key, id, 'approved')
    await callApi(running, 'POST', `/v1/documents/${id}/pay`, { key: pair.counterparty.key })
    const eventsOf = async ({ key }: { key: string }) =>
      (await callApi(running, 'GET', '/v1/events?limit=100', { key })).body.data.toReversed()
    const mine = await eventsOf(pair.issuer)
    assert.deepEqual(
      [...new Set(mine.map(({ type }: { type: string }) => type))],
      ['document.created', 'document.edited', 'document.status_changed', 'payment.settled'],
    )
    const theirs = await eventsOf(pair.counterparty)
    assert.equal(mine.at(-1).data.document.label, 'Invoice')
    assert.equal(theirs.at(-1).data.document.label, 'Bill')
    const settled = mine.find(({ type }: { type: string }) => type === 'payment.settled')
    assert.match(settled.data.settlement_reference, /^sim_/)
  })

  test('6.2 the envelope has id, type, api_version, created_at, the document and sandbox', async () => {
    const pair = await aPair(running)
    const receiver = await startReceiver()
    await subscribe(running, pair.issuer, receiver.url)
    const draft = await aDraft(running, pair)
    await until('the event arrives', async () => receiver.received.length > 0)
    const { event } = receiver.received[0]!
    assert.match(event.id, /^evt_/)
    assert.match(event.api_version, /^\d+\.\d+\.\d+$/)
    assert.match(event.created_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    assert.deepEqual([event.type, event.sandbox], ['document.created', true])
    const { issuable: _, blockers: __, ...document } = draft
    assert.deepEqual(event.data.document, document)
  })

  test('5.13, 6.3.2 and 6.3.3 a delivery is signed over its timestamp and its raw body', async () => {
    const pair = await aPair(running)
    const receiver = await startReceiver()
    const { secret } = await subscribe(running, pair.issuer, receiver.url)
    await aDraft(running, pair)
    await until('the event arrives', async () => receiver.received.length > 0)
    const { headers, rawBody, event } = receiver.received[0]!
    const timestamp = headers['svc-webhook-timestamp']!
    const signature = v1(secret, timestamp, rawBody)
    assert.equal(headers['svc-signature'], `t=${timestamp},${signature}`)
    assert.equal(headers['svc-webhook-signature'], signature)
    assert.equal(headers['svc-webhook-id'], event.id)
  })

  test('6.3.1, 6.3.4 and 6.3.5 a receiver accepts any matching entry, for 300 seconds', async () => {
    const pair = await aPair(running)
    const receiver = await startReceiver()
    const { secret } = await subscribe(running, pair.issuer, receiver.url)
    await aDraft(running, pair)
    await until('the event arrives', async () => receiver.received.length > 0)
    const { rawBody } = receiver.received[0]!
    const signedAt = (seconds: number) => {
      const timestamp = String(Math.floor(Date.now() / 1000) - seconds)
      return `t=${timestamp},v1=${'0'.repeat(64)},${v1(secret, timestamp, rawBody)}`
    }
    assert.equal((await constructEvent(rawBody, signedAt(290), secret)).type, 'document.created')
    await assert.rejects(constructEvent(rawBody, signedAt(310), secret), SignatureError)
    await assert.rejects(constructEvent(`${rawBody} `, signedAt(0), secret), SignatureError)
  })

  test('6.3.8 after rotate_secret both secrets sign, the new one first, until the window ends', async () => {
    const pair = await aPair(running)
    const receiver = await startReceiver()
    const { id, secret: old } = await subscribe(running, pair.issuer, receiver.url)
    const rotated = await callApi(running, 'POST', `/v1/webhooks/${id}/rotate_secret`, {
      key: pair.issuer.session,
    })
    const hours = (Date.parse(rotated.body.previous_secret_valid_until) - Date.now()) / 3_600_000
    assert(hours > 23.9 && hours <= 24, rotated.text)
    await aDraft(running, pair)
    await until('the event arrives', async () => receiver.received.length > 0)
    const { headers, rawBody } = receiver.received[0]!
    const timestamp = headers['svc-webhook-timestamp']!
    const signatures = [rotated.body.secret, old].map((secret) => v1(secret, timestamp, rawBody))
    assert.equal(headers['svc-signature'], `t=${timestamp},${signatures.join(',')}`)
  })

  test('6.1 events narrows the types, and an empty list means all', async () => {
    const pair = await aPair(running)
    const [narrow, all] = [await startReceiver(), await startReceiver()]
    const events = ['document.status_changed']
    await subscribe(running, pair.issuer, narrow.url, { events })
    await subscribe(running, pair.issuer, all.url, { events: [] })
    await anInvoice(running, pair)
    const typesAt = ({ received }: typeof all) => received.map(({ event }) => event.type).toSorted()
    await until('both receive', async () => all.received.length > 1 && narrow.received.length > 0)
    assert.deepEqual(typesAt(all), ['document.created', 'document.status_changed'])
    assert.deepEqual(typesAt(narrow), events)
  })

  test('6.3.9 ping sends a test event that is signed like a real one', async () => {
    const pair = await aPair(running)
    const receiver = await startReceiver()
    const { id, secret } = await subscribe(running, pair.issuer, receiver.url)
    const ping = await callApi(running, 'POST', `/v1/webhooks/${id}/ping`, {
      key: pair.issuer.session,
    })
    assert.equal(ping.body.response_status, 200, ping.text)
    const { headers, rawBody, event } = receiver.received[0]!
    const timestamp = headers['svc-webhook-timestamp']!
    assert.deepEqual([event.type, event.data], ['ping', {}])
    assert.equal(headers['svc-signature'], `t=${timestamp},${v1(secret, timestamp, rawBody)}`)
  })
})
