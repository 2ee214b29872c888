/** What a worker holds to send next is sent as it is when its attempt begins. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings } from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'

const running = await startTestService(localReceiverSettings)
const { subscribedPair, listDeliveries } = webhooksClient(running)

/** An endpoint with as many attempts under way as it may have, and four more events that wait. */
const aBlockedEndpoint = async () => {
  const subscribed = await subscribedPair()
  const { receiver, pair, issuer, endpoint } = subscribed
  const responses: ServerResponse[] = []
  receiver.respond = (_, response) => void responses.push(response)
  const inFlightMax = limits.concurrentDeliveriesPerEndpointMax
  let last
  for (let i = 0; i < inFlightMax + 4; i += 1)
    last = await aDraft(running, pair, { notes: 'CANARY' })
  await until('all attempts are under way', () => responses.length === inFlightMax)
  await until('the worker has read the others', async () => {
    return (await listDeliveries(issuer, endpoint.id)).length === inFlightMax + 4
  })
  const unblock = () => {
    receiver.respond = (_, response) => void response.end()
    for (const response of responses) response.end()
  }
  const later = () => receiver.received.slice(inFlightMax)
  return { ...subscribed, last, unblock, later }
}

for (const [when, isLeasedAgain] of [
  ['sends the next one', false],
  ['asks for more', true],
] as const) {
  test(`a worker that ${when} sends nothing that was erased meanwhile`, async () => {
    const { pair, last, unblock, later } = await aBlockedEndpoint()
    const id = decodeId('doc', last.id)!
    const { context } = running.service
    await context.database.transaction((tx) => eraseContent(tx, id, context))
    if (isLeasedAgain) {
      await aDraft(running, pair)
      await until('the endpoint is leased again', async () => {
        const leased = await running.database.rows(sql`
          select 1 from webhook_endpoints
          where organization_id = ${pair.issuer.uuid} and lease_owner is not null`)
        return leased.length === 1
      })
    }
    await delay(limits.endpointChangeWaitMs)
    unblock()
    const count = isLeasedAgain ? 5 : 4
    await until('the others are sent', () => later().length === count)
    const erased = later().find(({ event }) => event.data.document.id === last.id)!
    assert.equal(erased.event.data.document.notes, null)
  })
}

test('a delivery that waits in a worker while its sandbox is reset is not sent', async () => {
  const { issuer, unblock, later } = await aBlockedEndpoint()
  const { session: key } = issuer
  const reset = await callApi(running, 'POST', '/v1/sandbox/reset', { key, body: {} })
  assert.equal(reset.status, 200, reset.text)
  unblock()
  await delay(2 * limits.workerPollMs)
  assert.deepEqual(later(), [])
})
