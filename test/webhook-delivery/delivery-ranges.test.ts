/** Contract 11: since and until of a list of deliveries take a date or a timestamp, inclusive. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../support/http/error-responses.ts'
import { localReceiverSettings } from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService(localReceiverSettings)
const { send, listDeliveries, subscribedPair, createDrafts } = webhooksClient(running)

const { pair, endpoint, issuer } = await subscribedPair()
for (let drafts = 1; drafts <= 3; drafts += 1) {
  await createDrafts(pair, 1)
  await until('the delivery is listed', async () => {
    return (await listDeliveries(issuer, endpoint.id)).length === drafts
  })
}
const [third, second, first] = await listDeliveries(issuer, endpoint.id)
const day = second.created_at.slice(0, 10)
const dayBefore = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

for (const [query, expected] of [
  [`since=${second.created_at}`, [third, second]],
  [`until=${second.created_at}`, [second, first]],
  [`since=${second.created_at}&until=${second.created_at}`, [second]],
  [`since=${day}&until=${third.created_at.slice(0, 10)}`, [third, second, first]],
  [`until=${dayBefore}`, []],
] as const) {
  test(`deliveries with ${query.replaceAll(/\d{4}-[^&]*/g, 'a time')}`, async () => {
    const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id)
    assert.deepEqual(ids(await listDeliveries(issuer, endpoint.id, `?${query}`)), ids(expected))
  })
}

test('a time that is none is refused', async () => {
  for (const param of ['since', 'until']) {
    const reply = await send(issuer, 'GET', `/${endpoint.id}/deliveries?${param}=yesterday`)
    assert.equal(assertRefused(reply, 'invalid_request').errors[0].param, param)
  }
})
