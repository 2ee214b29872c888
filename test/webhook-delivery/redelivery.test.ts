/** What was delivered, and delivering it again (contract 4 and 11). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { purgeExpired } from '../../src/tasks/purge-expired.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'
import {
  respondWith,
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import {
  aDraft,
  exampleLine,
  aPair,
  anInvoice,
  startTestService,
  until,
} from '../support/service.ts'
import { tablesContaining } from '../support/database/plaintext-search.ts'

const running = await startTestService(localReceiverSettings)

const { send, deliveries, listening, drafts } = webhooksClient(running)

describe('delivering again', () => {
  test('redeliver: the same delivery, pending; the same bytes under the same id; six attempts anew', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    await aDraft(running, pair)
    await until('delivered', async () => {
      return (await deliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    const [delivery] = await deliveries(issuer, endpoint.id)
    receiver.respond = respondWith(500)
    const path = `/${endpoint.id}/deliveries/${delivery.id}`
    const { body: again } = await send(issuer, 'POST', `${path}/redeliver`)
    assert.deepEqual(
      [again.id, again.status, again.finished_at, again.attempt_count],
      [delivery.id, 'pending', null, 1],
    )
    await until(
      'it fails for good',
      async () => (await send(issuer, 'GET', path)).body.status === 'failed',
    )
    assert.equal((await send(issuer, 'GET', path)).body.attempt_count, 7)
    assert.equal(new Set(receiver.received.map(({ rawBody }) => rawBody)).size, 1)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['svc-webhook-id'])).size, 1)
  })

  test('contract 7: a redelivery that fails for good counts again; of a ping none does', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    receiver.respond = respondWith(500)
    const count = async () =>
      (await send(issuer, 'GET', `/${endpoint.id}`)).body.consecutive_failures
    const failed = async (id: string) => {
      const path = `/${endpoint.id}/deliveries/${id}`
      await send(issuer, 'POST', `${path}/redeliver`)
      await until('it has failed again', async () => {
        return (await send(issuer, 'GET', path)).body.status === 'failed'
      })
    }
    await aDraft(running, pair)
    await until('it failed for good', async () => (await count()) === 1)
    const [{ id }] = await deliveries(issuer, endpoint.id)
    await failed(id)
    assert.equal(await count(), 2)
    const { body: ping } = await send(issuer, 'POST', `/${endpoint.id}/ping`)
    await failed(ping.delivery_id)
    assert.equal(await count(), 2)
    receiver.respond = respondWith(200)
    await send(issuer, 'POST', `/${endpoint.id}/deliveries/${ping.delivery_id}/redeliver`)
    await until('its success resets the count', async () => (await count()) === 0)
  })

  test('after an erasure: what is delivered again holds no erased text, nor what answers said of it', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    // An endpoint that says what it was told.
    receiver.respond = ({ rawBody }, response) => void response.end(rawBody.slice(0, 4_000))
    const canary = 'CANARY-redelivered'
    const draft = await aDraft(running, pair, {
      notes: `${canary} notes`,
      metadata: { about: canary },
      external_refs: { contact: canary },
      line_items: [{ ...exampleLine, description: `${canary} line`, sku: `${canary} sku` }],
    })
    await until('delivered', async () => {
      return (await deliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    assert(receiver.received[0]!.rawBody.includes(canary))
    const { database, keyring } = running.service.context
    await database.transaction((tx) =>
      eraseContent(tx, decodeId('doc', draft.id)!, keyring.history!),
    )
    assert.deepEqual(await tablesContaining(running.database, canary), [])

    const [{ id }] = await deliveries(issuer, endpoint.id)
    const path = `/${endpoint.id}/deliveries/${id}`
    const again = await send(issuer, 'POST', `${path}/redeliver`)
    assert.equal(again.status, 200, again.text)
    await until('delivered again', () => receiver.received.length === 2)
    const [before, after] = receiver.received
    assert(!after!.rawBody.includes(canary))
    assert.equal(after!.headers['svc-webhook-id'], before!.headers['svc-webhook-id'])
    const { line_items: lines, notes, metadata } = after!.event.data.document
    assert.deepEqual([lines[0].description, notes, metadata], ['[erased]', null, {}])
    assert.equal(lines[0].total, before!.event.data.document.line_items[0].total)
  })

  test('recover: events older than the endpoint, by range and type, each once', async () => {
    const pair = await aPair(running)
    const { issuer } = pair
    const invoice = await anInvoice(running, pair)
    await aDraft(running, pair)
    const receiver = await startReceiver()
    const endpoint = await subscribe(running, issuer, receiver.url)
    const recover = (body: object) => send(issuer, 'POST', `/${endpoint.id}/redeliver`, body)
    const only = await recover({ since: invoice.created_at, types: ['document.status_changed'] })
    assert.deepEqual(only.body, { scheduled: 1, next_since: null })
    await until('it arrives', () => receiver.received.length === 1)
    assert.equal(receiver.received[0]!.event.data.document.status, 'submitted')
    await until('it is recorded', async () => {
      return (await deliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    const range = { since: invoice.created_at, until: invoice.updated_at }
    assert.equal((await recover(range)).body.scheduled, 1, 'the creation of the first')
    assert.equal((await recover({ since: invoice.created_at })).body.scheduled, 1, 'the second')
    await until('all three arrived', () => receiver.received.length === 3)
    const wrong = await recover({ since: invoice.updated_at, until: '2020-01-01T00:00:00Z' })
    assert.equal(assertRefused(wrong, 'invalid_request').errors[0].param, '/until')
  })
})

test('contract 7: Retry-After of 503 is honoured, up to the next slot', async () => {
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '1s,1h,1h,1h,1h' }
  const patient = await startTestService({ ...localReceiverSettings, ...schedule })
  const own = webhooksClient(patient)
  for (const [asked, expectedMs] of [
    ['600', 600_000],
    ['86400', 3_600_000],
  ] as const) {
    const { receiver, pair, endpoint, issuer } = await own.listening()
    receiver.respond = respondWith(503, { 'retry-after': asked })
    await aDraft(patient, pair)
    await until('it is to be tried again', async () => {
      return (await own.deliveries(issuer, endpoint.id, '?status=retrying')).length === 1
    })
    const [{ id }] = await own.deliveries(issuer, endpoint.id)
    const { body } = await own.send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
    const waitMs = Date.parse(body.next_attempt_at) - Date.parse(body.attempts[0].at)
    assert(Math.abs(waitMs - expectedMs) < 30_000, `${waitMs} ms`)
  }
})

describe('history', () => {
  test('the list filters by status, type and time, and pages do not overlap', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    await anInvoice(running, pair)
    await drafts(pair, 3)
    await until('delivered', () => receiver.received.length === 5)
    await until('recorded', async () => {
      return (await deliveries(issuer, endpoint.id, '?status=succeeded')).length === 5
    })
    const all = await deliveries(issuer, endpoint.id)
    const ids = all.map(({ id }: { id: string }) => id)
    const path = `/${endpoint.id}/deliveries?limit=2`
    const walked: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await send(issuer, 'GET', path + cursor)
      walked.push(...body.data.map(({ id }: { id: string }) => id))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.deepEqual(walked, ids)
    assert.equal((await deliveries(issuer, endpoint.id, '?type=document.status_changed')).length, 1)
    assert.equal((await deliveries(issuer, endpoint.id, '?status=failed,skipped')).length, 0)
    const since = all[1].created_at
    const later = await deliveries(issuer, endpoint.id, `?since=${since}`)
    const expected = all.filter((one: { created_at: string }) => one.created_at >= since)
    assert.deepEqual(later, expected)
  })

  test('an answer that is not text is kept as text, at most 4 KiB of it', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    receiver.respond = (_, response) =>
      void response.end(Buffer.concat([Buffer.from([0, 255, 254]), Buffer.alloc(10_000, 'x')]))
    await aDraft(running, pair)
    await until('recorded', async () => {
      return (await deliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
    })
    const [{ id }] = await deliveries(issuer, endpoint.id)
    const { body } = await send(issuer, 'GET', `/${endpoint.id}/deliveries/${id}`)
    assert.equal(body.attempts[0].response_body, `\ufffd\ufffd\ufffd${'x'.repeat(4093)}`)
  })

  test('6.3.7 it is kept 30 days; what is still due is not forgotten before it is sent', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    await drafts(pair, 2)
    await until('both are delivered', async () => {
      return (await deliveries(issuer, endpoint.id, '?status=succeeded')).length === 2
    })
    const webhook = decodeId('whk', endpoint.id)!
    const aged = (interval: string) =>
      running.database.run(sql`
        update webhook_delivery set created_at = now() - ${interval}::interval
        where webhook_id = ${webhook}`)
    receiver.respond = () => {}
    const [{ id }] = await deliveries(issuer, endpoint.id)
    await aged('30 days 1 second')
    await send(issuer, 'POST', `/${endpoint.id}/deliveries/${id}/redeliver`)
    await purgeExpired.run(running.service.context)
    const kept = await deliveries(issuer, endpoint.id)
    assert.deepEqual(
      kept.map((one: { id: string }) => one.id),
      [id],
    )
    await aged('31 days 1 second')
    await purgeExpired.run(running.service.context)
    assert.deepEqual(await deliveries(issuer, endpoint.id), [])
  })

  test('4 deliveries of another endpoint are not found', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    await aDraft(running, pair)
    await until('delivered', () => receiver.received.length === 1)
    const [{ id }] = await deliveries(issuer, endpoint.id)
    const other = await subscribe(running, issuer, receiver.url)
    const reply = await send(issuer, 'GET', `/${other.id}/deliveries/${id}`)
    assert.deepEqual(assertRefused(reply, 'not_found'), { resource: 'delivery', id })
  })

  test('a secret that cannot be opened is our fault: an alarm, and no attempt is used up', async () => {
    const { receiver, pair, endpoint, issuer } = await listening()
    const own = sql`where id = ${decodeId('whk', endpoint.id)!}`
    const spoil = sql`secret_sealed = set_byte(secret_sealed, 20, get_byte(secret_sealed, 20) # 1)`
    await running.database.run(sql`update webhook_endpoints set ${spoil} ${own}`)
    await aDraft(running, pair)
    const alarms = () =>
      running.logLines.filter((line) => {
        return line.includes('webhook_secret_unreadable') && line.includes(endpoint.id)
      }).length
    await until('the operator is told', () => alarms() > 0)
    await until('it is let go of', async () => {
      const [row] = await running.database.rows(sql`
        select 1 from webhook_endpoints ${own} and lease_owner is null and next_due_at > now()`)
      return row !== undefined
    })
    const [delivery] = await deliveries(issuer, endpoint.id)
    assert.deepEqual([delivery.status, delivery.attempt_count], ['pending', 0])
    const { body } = await send(issuer, 'GET', `/${endpoint.id}`)
    assert.deepEqual([body.last_failure_at, body.consecutive_failures], [null, 0])
    assert.equal(receiver.received.length, 0)

    // Mended; what was put back is due.
    await running.database.run(
      sql`update webhook_endpoints set ${spoil}, next_due_at = now() ${own}`,
    )
    await until('delivered', () => receiver.received.length === 1)
    assert.equal(receiver.received[0]!.headers['svc-delivery-attempt'], '1')
  })
})
