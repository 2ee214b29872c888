/** Edits of an endpoint concern the events that are committed after them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aDraft } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings } from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'

const running = await startTestService({ ...localReceiverSettings, PROCESS_ROLE: 'api' })
const { send, subscribedPair } = webhooksClient(running)

test('6.1 an event is delivered if it was subscribed to when it was committed', async () => {
  const { receiver, pair, endpoint, issuer } = await subscribedPair({
    events: ['document.created'],
  })
  const before = await aDraft(running, pair)
  await send(issuer, 'PATCH', `/${endpoint.id}`, { events: ['document.edited'] })
  await aDraft(running, pair)
  await send(issuer, 'PATCH', `/${endpoint.id}`, { events: [] })
  await running.startAnother({ PROCESS_ROLE: 'worker' })
  await until('the first event has arrived', () => receiver.received.length > 0)
  const after = await aDraft(running, pair)
  await until('the last event has arrived', () => receiver.received.length > 1)
  assert.deepEqual(
    receiver.received.map(({ event }) => event.data.document.id),
    [before.id, after.id],
  )
})
