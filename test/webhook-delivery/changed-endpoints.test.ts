/**
 * What the API has acknowledged about an endpoint holds for every attempt that begins later, also
 * when another process has taken the endpoint's deliveries before.
 */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { constructEvent } from '../../sdk/src/webhooks.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import {
  type ReceivedDelivery,
  localReceiverSettings,
  startReceiver,
} from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'

const running = await startTestService({ ...localReceiverSettings, PROCESS_ROLE: 'api' })
const { send, listDeliveries, subscribedPair, createDrafts } = webhooksClient(running)
await running.startAnother({ PROCESS_ROLE: 'worker' })

const inFlightMax = limits.concurrentDeliveriesPerEndpointMax

/** An endpoint with as many attempts in flight as may be, and as many deliveries behind them. */
const aBusyEndpoint = async () => {
  const { receiver, pair, endpoint, issuer } = await subscribedPair()
  const open: ServerResponse[] = []
  receiver.respond = (_, response) => void open.push(response)
  await createDrafts(pair, 2 * inFlightMax)
  await until('the endpoint is busy', () => open.length === inFlightMax)
  return {
    receiver,
    endpoint,
    change: async (method: string, path = '', body?: unknown) => {
      const {
        status,
        text,
        body: changed,
      } = await send(issuer, method, `/${endpoint.id}${path}`, body)
      assert.equal(status, 200, text)
      return changed
    },
    deliveries: () => listDeliveries(issuer, endpoint.id, '?limit=100'),
    /** Lets the attempts in flight end, and all that follow. */
    respond: () => {
      receiver.respond = (_, response) => void response.end('ok')
      for (const response of open) response.end('ok')
    },
    /** The deliveries whose attempts began after those that were in flight. */
    later: () => receiver.received.slice(inFlightMax),
  }
}

const isSignedWith = async ({ rawBody, headers }: ReceivedDelivery, secret: string) => {
  const signature = headers['svc-signature']!
  return constructEvent(rawBody, signature, secret).then(
    () => true,
    () => false,
  )
}

test('6.3.8 every attempt that begins after a rotation is signed with the new secret', async () => {
  const { change, respond, later, deliveries } = await aBusyEndpoint()
  const { secret } = await change('POST', '/rotate_secret')
  respond()
  await until('all have arrived', () => later().length === inFlightMax)
  for (const delivery of later()) assert(await isSignedWith(delivery, secret))
  assert.equal((await deliveries()).length, 2 * inFlightMax)
})

test('6.3.1 every attempt that begins after a change of the url goes to the new one', async () => {
  const { change, respond, receiver } = await aBusyEndpoint()
  const moved = await startReceiver()
  await change('PATCH', '', { url: moved.url })
  respond()
  await until('the rest has arrived', () => moved.received.length === inFlightMax)
  assert.equal(receiver.received.length, inFlightMax)
})

test('a disabled endpoint gets no attempt that begins later', async () => {
  const { change, respond, later, deliveries } = await aBusyEndpoint()
  await change('PATCH', '', { status: 'DISABLED' })
  respond()
  await until('nothing is pending', async () =>
    (await deliveries()).every(({ status }: { status: string }) => status !== 'pending'),
  )
  assert.equal(later().length, 0)
})

test('a deleted endpoint gets no attempt that begins later', async () => {
  const { change, respond, later } = await aBusyEndpoint()
  const other = await aBusyEndpoint()
  await change('DELETE')
  respond()
  other.respond()
  await until('a later delivery of another has arrived', () => other.later().length > 0)
  assert.equal(later().length, 0)
})
