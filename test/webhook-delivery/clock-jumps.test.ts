/** When a clock jumps back, deliveries leave at once and in order, and no time goes back. */
import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { sealRows } from '../../src/database/sealed-rows.ts'
import type { Rows } from '../../src/database/rows.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { updateRows } from '../../src/database/table-writes.ts'
import {
  type ShownDocument,
  eventText,
  shownDocument,
} from '../../src/store/documents/stored-texts.ts'
import { callApi } from '../support/api-client.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings } from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'

const api = await startTestService({ ...localReceiverSettings, PROCESS_ROLE: 'api' })
const startWorker = () => api.startAnother({ PROCESS_ROLE: 'all' })
const { send, listDeliveries, subscribedPair, createDrafts } = webhooksClient(api)

/** All that the database holds is ahead, as after a jump of its clock back by so much. */
const jumpBack = async (organization: string, hours: number): Promise<void> => {
  const columns = {
    organization_counters: ['changed_at'],
    webhook_endpoints: ['last_success_at', 'next_due_at', 'lease_until'],
    webhook_delivery: ['created_at', 'due_at', 'finished_at'],
  }
  for (const [table, names] of Object.entries(columns)) {
    const set = names.map((name) => `${name} = ${name} + interval '${hours} hours'`).join(', ')
    await api.database.run(
      sql`update ${raw(table)} set ${raw(set)} where organization_id = ${organization}`,
    )
  }
  await sealRows(api.database, 'organization_counters')
  await moveEvents(organization, hours)
  await api.database.run(sql`
    update webhook_attempt a set at = a.at + ${raw(`interval '${hours} hours'`)}
    from webhook_delivery d where d.id = a.delivery_id and d.organization_id = ${organization}`)
}

/** As if they had been written under the later clock. */
const moveEvents = async (organization: string, hours: number): Promise<void> => {
  const rows = await api.database.rows<Rows['events'] & ShownDocument>(sql`
    select e.*, ${shownDocument('e')} from events e join documents d on d.id = e.document_id
    where e.organization_id = ${organization}`)
  const events = rows.map((row) => {
    const created_at = new Date(Date.parse(row.created_at) + hours * 3_600_000).toISOString()
    const text = eventText(row)
    return { ...row, created_at, text, payload: Buffer.from(`\0${text}`) }
  })
  const key = ['organization_id', 'id']
  await updateRows(api.database, 'events', { key, set: ['created_at', 'payload'], rows: events })
}

type Subscribed = Awaited<ReturnType<typeof subscribedPair>>

/** The times of each delivery, oldest event first: created, attempts, finished. */
const timesOf = async ({ issuer, endpoint }: Subscribed): Promise<string[][]> => {
  const feed: { id: string }[] = (
    await callApi(api, 'GET', '/v1/events?limit=100', { key: issuer.key })
  ).body.data.toReversed()
  const deliveries: { id: string; event_id: string }[] = await listDeliveries(
    issuer,
    endpoint.id,
    '?limit=100',
  )
  return Promise.all(
    feed.map(async (event) => {
      const { id } = deliveries.find(({ event_id }) => event_id === event.id)!
      const { body } = await send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
      const attempts = body.attempts.map(({ at }: { at: string }) => at)
      return [body.created_at, ...attempts, body.finished_at]
    }),
  )
}

const assertSorted = (times: readonly string[], what: string) =>
  assert.deepEqual(times, times.toSorted(), what)

const assertTimesNeverGoBack = async (subscribed: Subscribed) => {
  const times = await timesOf(subscribed)
  for (const own of times) assertSorted(own, 'the times of one delivery')
  assertSorted(
    times.map(([, first]) => first!),
    'the first attempts, in feed order',
  )
  assertSorted(
    times.map(([created]) => created!),
    'the creation of deliveries, in feed order',
  )
}

describe('contract 7: first attempts across clock jumps', () => {
  test('after a jump of the database clock, what waits leaves at once and in order', async () => {
    const subscribed = await subscribedPair()
    const { receiver, pair, issuer, endpoint } = subscribed
    const held: (() => void)[] = []
    receiver.respond = (_, response) => void held.push(() => response.end('ok'))
    const inFlight = limits.concurrentDeliveriesPerEndpointMax
    const waiting = inFlight + 4
    // Before there is a worker: what is held would not wait for them on a busy machine.
    await createDrafts(pair, waiting)
    const first = await startWorker()
    await until('the endpoint is full', () => held.length === inFlight)
    const isFannedOut = async () => (await listDeliveries(issuer, endpoint.id)).length === waiting
    await until('every delivery exists', isFannedOut)
    const stopping = first.service.stop()
    receiver.respond = (_, response) => void response.end('ok')
    for (const respond of held) respond()
    await stopping
    assert.equal(receiver.received.length, inFlight)

    await jumpBack(issuer.uuid, 25)
    await createDrafts(pair, 3)
    await startWorker()
    await until('all are delivered', () => receiver.received.length === waiting + 3)
    const areRecorded = async () =>
      (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === waiting + 3
    await until('all are recorded', areRecorded)
    await assertTimesNeverGoBack(subscribed)

    // The lease of a worker that died before the jump does not outlive it.
    const later = sql`now() + interval '25 hours'`
    await api.database.run(sql`
      update webhook_endpoints set lease_owner = gen_random_uuid(), lease_until = ${later}
      where organization_id = ${issuer.uuid}`)
    await createDrafts(pair, 1)
    await until('the endpoint is leased again', () => receiver.received.length === waiting + 4)
  })

  test('a redelivery after a jump comes after the first attempt', async () => {
    const subscribed = await subscribedPair()
    const { receiver, pair, issuer, endpoint } = subscribed
    await startWorker()
    await createDrafts(pair, 1)
    const isRecorded = async (count: number) => {
      const [delivery] = await listDeliveries(issuer, endpoint.id)
      return delivery?.status === 'succeeded' && delivery.attempt_count === count
    }
    await until('it is delivered', () => isRecorded(1))
    await jumpBack(issuer.uuid, 25)
    const [{ id }] = await listDeliveries(issuer, endpoint.id)
    await send(issuer, 'POST', `/${endpoint.id}/deliveries/${id}/redeliver`)
    await until('it is delivered again', () => isRecorded(2))
    assert.equal(receiver.received.length, 2)
    await assertTimesNeverGoBack(subscribed)
  })

  test('after a jump of the process’s clock, times are still those of the database', async () => {
    const subscribed = await subscribedPair()
    const { pair, issuer, endpoint } = subscribed
    await startWorker()
    const deliver = async (count: number) => {
      await createDrafts(pair, 1)
      const isRecorded = async () =>
        (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === count
      await until('it is recorded', isRecorded)
    }
    await deliver(1)
    const realNow = Date.now.bind(Date)
    for (const [i, hours] of [25, -25].entries()) {
      const clock = mock.method(Date, 'now', () => realNow() + hours * 3_600_000)
      try {
        await deliver(i + 2)
      } finally {
        clock.mock.restore()
      }
    }
    await deliver(4)
    await assertTimesNeverGoBack(subscribed)
    const hour = 3_600_000
    for (const time of (await timesOf(subscribed)).flat()) {
      assert(Math.abs(Date.parse(time) - realNow()) < hour, time)
    }
  })
})
