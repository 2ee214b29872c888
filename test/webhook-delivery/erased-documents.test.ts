/** Erased text is neither sent nor kept of what endpoints respond. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { tablesContaining } from '../support/database/plaintext-search.ts'
import { aDraft, exampleLine } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'

const running = await startTestService(localReceiverSettings)
const { send, listDeliveries, subscribedPair } = webhooksClient(running)

const erase = (document: string): Promise<unknown> =>
  running.service.context.database.transaction((tx) =>
    eraseContent(tx, decodeId('doc', document)!, running.service.context),
  )

test('after an erasure, neither redeliveries nor stored responses contain erased text', async () => {
  const { receiver, pair, endpoint, issuer } = await subscribedPair()
  // The endpoint echoes what it received.
  receiver.respond = ({ rawBody }, response) => void response.end(rawBody.slice(0, 4_000))
  const canary = 'CANARY-redelivered'
  const failing = await startReceiver()
  failing.respond = (_, response) => void response.writeHead(500, { 'x-echo': canary }).end()
  const { id: other } = await subscribe(running, issuer, failing.url)
  const draft = await aDraft(running, pair, {
    notes: `${canary} notes`,
    metadata: { about: canary },
    external_refs: { contact: canary },
    line_items: [{ ...exampleLine, description: `${canary} line`, sku: `${canary} sku` }],
  })
  await until('delivered', async () => {
    return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
  })
  await until('failed', async () => {
    return (await listDeliveries(issuer, other, '?status=failed')).length === 1
  })
  assert(receiver.received[0]!.rawBody.includes(canary))
  await erase(draft.id)
  assert.deepEqual(await tablesContaining(running.database, canary), [])

  const [{ id }] = await listDeliveries(issuer, endpoint.id)
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

test('no response is kept of an attempt that was under way during the erasure', async () => {
  const { receiver, pair, endpoint, issuer } = await subscribedPair()
  const held = Promise.withResolvers<ServerResponse>()
  receiver.respond = (_, response) => held.resolve(response)
  const canary = 'CANARY-under-way'
  const draft = await aDraft(running, pair, { notes: canary })
  const response = await held.promise
  await erase(draft.id)
  response.writeHead(200, { 'x-echo': canary }).end(canary)
  await until('it is recorded', async () => {
    return (await listDeliveries(issuer, endpoint.id, '?status=succeeded')).length === 1
  })
  assert.deepEqual(await tablesContaining(running.database, canary), [])
})
