/** Which endpoints a worker claims, and how many of their deliveries it holds. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { registerEndpoint } from '../../src/changes/webhooks/endpoints.ts'
import { limits } from '../../src/contract/limits.ts'
import { quotaDefinitions } from '../../src/contract/quotas.ts'
import { decodeId } from '../../src/core/ids.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import { newId } from '../../src/database/new-ids.ts'
import { sql } from '../../src/database/sql.ts'
import {
  type LeasedEndpoint,
  claimEndpoints,
  leaseEndpoints,
} from '../../src/store/webhooks/delivery-queue.ts'
import type { DueDelivery } from '../../src/store/webhooks/due-deliveries.ts'
import { HeldQueues } from '../../src/webhook-delivery/held-queues.ts'
import { openSettingsCheck } from '../../src/webhook-delivery/settings-check.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'
import { localReceiverSettings } from '../support/webhooks/receiver.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService({ ...localReceiverSettings, PROCESS_ROLE: 'api' })
const { send, listDeliveries, subscribedPair, createDrafts } = webhooksClient(running)

test('claims rotate over all endpoints, also when some always have due deliveries', async () => {
  const { database, service } = running
  const ids: string[] = []
  while (ids.length < limits.claimEndpointsMax + 10) {
    const pair = await aPair(running)
    for (let i = 0; i < quotaDefinitions.webhook_endpoints.limit; i += 1) {
      const { endpoint } = await registerEndpoint(
        database,
        service.context.keyring.webhookSecrets,
        {
          organization: pair.issuer.uuid,
          mode: 'test',
          url: 'https://gone.example/hooks',
          events: [],
          description: null,
        },
      )
      ids.push(endpoint.id)
    }
    await aDraft(running, pair)
  }
  // Claims without deliveries imitate endpoints that always have more due.
  const claim = (after: string) => claimEndpoints(database, { owner: newId(), full: [], after })
  const seen = new Set<string>()
  let after = ids[20]!
  for (let i = 0; i < 2; i += 1) {
    const claimed = await claim(after)
    assert.equal(claimed.length, limits.claimEndpointsMax)
    for (const { id } of claimed) seen.add(id)
    after = claimed.at(-1)!.id
  }
  assert.deepEqual([...seen].toSorted(), ids.toSorted())
  await database.run(sql`delete from webhook_endpoints`)
})

const aLeasedEndpoint = async (): Promise<LeasedEndpoint> => {
  const { issuer } = await aPair(running)
  const { endpoint } = await registerEndpoint(
    running.database,
    running.service.context.keyring.webhookSecrets,
    {
      organization: issuer.uuid,
      mode: 'test',
      url: 'http://127.0.0.1:1/',
      events: [],
      description: null,
    },
  )
  return { ...endpoint, isAsSealed: true }
}

const dueDeliveries = ({ id }: LeasedEndpoint, count: number): DueDelivery[] =>
  Array.from({ length: count }, () => ({
    id: newId(),
    webhook_id: id,
    event_id: newId(),
    event_type: 'document.created',
    attempt_count: 0,
    attempts_before: 0,
    created_at: '2026-11-22T12:00:00.000Z',
    payload: randomBytes(1_000).toString('hex'),
    waiting: BigInt(count),
  }))

/** Lasts longer than a test, and so do the settings. */
const aLease = () => {
  const inOneMinuteMs = performance.now() + 60_000
  return { leasedUntilMs: inOneMinuteMs, readAtMs: inOneMinuteMs }
}

const heldQueues = (slow: ReadonlySet<string>) =>
  new HeldQueues({
    outbound: openOutbound(),
    secretKeys: running.service.context.keyring.webhookSecrets,
    sandboxReach: 'private',
    isSlow: (id) => slow.has(id),
  })

test('an unproven endpoint has few deliveries queued, and a slow one has one', async () => {
  const endpoint = await aLeasedEndpoint()
  const slow = new Set<string>()
  const held = heldQueues(slow)
  const { max } = held.fetchLimit(endpoint.id)
  assert.equal(max, limits.unprovenQueuedDeliveries)
  const terms = { ...aLease(), fetchLimit: max }
  const queue = held.hold(endpoint, dueDeliveries(endpoint, max), terms)
  assert.deepEqual([queue.waitingCount(), queue.isFull(), queue.mayHaveMore], [16, true, true])

  slow.add(endpoint.id)
  assert.equal(held.hasRoom(), true)
  assert.deepEqual([queue.waitingCount(), queue.isFull(), queue.mayHaveMore], [1, true, true])
  assert.equal(held.fetchLimit(endpoint.id).max, 2, 'the delivery in flight is also due')
  slow.clear()

  await queue.send(queue.dequeue()!)
  assert.equal(held.fetchLimit(endpoint.id).max, limits.claimDeliveriesPerEndpoint)
  held.release(queue)
})

test('deliveries returned to the queue are due at once, also those that were never sent', async () => {
  const endpoint = await aLeasedEndpoint()
  const held = heldQueues(new Set())
  const terms = { ...aLease(), fetchLimit: 16 }
  const queue = held.hold(endpoint, dueDeliveries(endpoint, 1), { ...terms, fetchLimit: 1 })
  queue.dequeue()
  assert.equal(queue.mayHaveMore, true)
  held.returnToQueue(queue)
  assert.deepEqual([queue.mayHaveMore, queue.nextDueMs()], [false, 0])
  held.release(queue)

  const due = dueDeliveries(endpoint, 2)
  held.returnToQueue(held.hold(endpoint, due, terms))
  assert.equal(
    held.hold(endpoint, due, terms).waitingCount(),
    2,
    'the endpoint can be claimed again',
  )
})

test('a worker whose queues are full claims no other endpoints', async () => {
  const endpoint = await aLeasedEndpoint()
  const held = heldQueues(new Set())
  const [due] = dueDeliveries(endpoint, 1)
  const payload = 'x'.repeat(limits.queuedMaxBytes)
  const terms = { ...aLease(), fetchLimit: 16 }
  const queue = held.hold(endpoint, [{ ...due!, payload }], terms)
  assert.equal(held.hasRoom(), false)
  queue.dequeue()
  assert.equal(held.hasRoom(), true)
})

const checkedQueues = (owner: string) => {
  const held = heldQueues(new Set())
  const check = openSettingsCheck(running.service.context, { owner, held, onStale: () => {} })
  return { held, check }
}

test('settings are compared while statements of tasks run', async () => {
  const owner = newId()
  const endpoint = await aLeasedEndpoint()
  await leaseEndpoints(running.database, owner, [endpoint.id])
  const { held, check } = checkedQueues(owner)
  const terms = { ...aLease(), readAtMs: 0, fetchLimit: 16 }
  const queue = held.hold(endpoint, dueDeliveries(endpoint, 1), terms)
  const task = running.service.context.database.background.run(sql`select pg_sleep(1)`)
  const ended: string[] = []
  await Promise.all([
    task.then(() => ended.push('task')),
    check(queue).then(() => ended.push('check')),
  ])
  assert.deepEqual([ended, queue.isStale], [['check', 'task'], false])
})

test('a lost endpoint with nothing but attempts in flight asks for no renewal', async () => {
  const [lost, other] = [await aLeasedEndpoint(), await aLeasedEndpoint()]
  const { held, check } = checkedQueues(newId())
  const terms = { ...aLease(), fetchLimit: 16 }
  const queue = held.hold(lost, dueDeliveries(lost, 1), terms)
  queue.dequeue()
  queue.inFlight = 1
  await check(held.hold(other, dueDeliveries(other, 1), { ...terms, readAtMs: 0 }))
  const isStale = held.all().map((each) => each.isStale)
  assert.deepEqual(isStale, [false, true])
})

test('deliveries in flight when their endpoint is disabled are skipped, and can be delivered later', async () => {
  const worker = await running.startAnother({ PROCESS_ROLE: 'worker' })
  const { receiver, pair, endpoint, issuer } = await subscribedPair()
  const held: (() => void)[] = []
  receiver.respond = (_, response) => void held.push(() => response.end())
  await createDrafts(pair, 12)
  await until('eight are in flight and four wait', async () => {
    return held.length === 8 && (await listDeliveries(issuer, endpoint.id)).length === 12
  })
  const leasedUntil = async () => {
    const [row] = await running.database.rows<{ lease_until: string }>(sql`
      select lease_until from webhook_endpoints where id = ${decodeId('whk', endpoint.id)!}`)
    return row!.lease_until
  }
  await send(issuer, 'PATCH', `/${endpoint.id}`, { status: 'DISABLED' })
  const before = await leasedUntil()
  // If the lease was renewed before it was read, it is not renewed again.
  const noticedByMs = Date.now() + limits.workerLeaseMs
  await until('the worker has noticed, since it renewed the lease', async () => {
    return Date.now() > noticedByMs || (await leasedUntil()) > before
  })
  for (const end of held) end()
  await until('the waiting deliveries are skipped', async () => {
    return (await listDeliveries(issuer, endpoint.id, '?status=skipped')).length === 4
  })
  await send(issuer, 'PATCH', `/${endpoint.id}`, { status: 'ACTIVE' })
  receiver.respond = (_, response) => void response.end()
  const since = endpoint.created_at
  const { body } = await callApi(running, 'POST', `/v1/webhooks/${endpoint.id}/redeliver`, {
    key: issuer.session,
    body: { since },
  })
  assert.equal(body.scheduled, 4)
  await until('all have arrived', async () => {
    return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 12
  })
  assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 12)
  await worker.service.stop()
})
