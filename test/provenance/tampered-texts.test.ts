/**
 * Provenance 8: events and stored responses are answered, sent and replayed as the service wrote
 * them, or not at all, whichever of the rows behind their texts somebody has changed.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { columns } from '../../src/database/columns.ts'
import { type TextTable, textTables } from '../../src/database/row-seals.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { aDraft, exampleLine } from '../support/fixtures.ts'
import { otherValueOf } from '../support/provenance/other-values.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { assertWithheld } from '../support/provenance/withheld-answers.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../support/webhooks/receiver.ts'

const { running, pair, issuer, connection } = await startTradingPair(localReceiverSettings)
const { database } = running
const receiver = await startReceiver()
const endpoint = await subscribe(running, issuer, receiver.url)

const call = (method: string, path: string, body?: object, key = issuer.key) =>
  callApi(running, method, path, { key, body })

type Reply = Awaited<ReturnType<typeof call>>

const withTampering = (table: string, statement: string, check: () => Promise<void>) =>
  whileTampered(database, table, statement, check)

const deliveriesPath = `/v1/webhooks/${endpoint.id}/deliveries`
const deliveries = async (): Promise<{ id: string; event_id: string; status: string }[]> =>
  (await call('GET', deliveriesPath, undefined, issuer.session)).body.data

/** A draft that was edited, so that its first event shows a replaced content. */
const draft = await aDraft(running, pair)
const edited = await call('PATCH', `/v1/documents/${draft.id}`, { notes: 'Edited' })
assert.equal(edited.status, 200, edited.text)
const document = decodeId('doc', draft.id)!
const key = 'key-of-a-create'
const create = () =>
  callApi(running, 'POST', '/v1/documents', {
    key: issuer.key,
    body: { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] },
    headers: { 'idempotency-key': key },
  })
const created = await create()
assert.equal(created.status, 201, created.text)
const feed = () => call('GET', '/v1/events?limit=100')
const before = (await feed()).text
await until('each event is delivered, before any is changed', async () => {
  const delivered = (await deliveries()).filter(({ status }) => status === 'succeeded')
  return delivered.length === JSON.parse(before).data.length
})
const [first] = (await feed()).body.data.filter(
  ({ data }: { data: { document: { id: string } } }) => data.document.id === draft.id,
)

const uses: Readonly<Record<TextTable, Readonly<Record<string, () => Promise<Reply>>>>> = {
  events: { 'the feed': feed, 'one event': () => call('GET', `/v1/events/${first.id}`) },
  idempotency: {
    'the replay': create,
    'the state of the key': () => call('GET', `/v1/idempotency/${key}`),
  },
}

// A superuser is not held up by it.
await database.script('alter table idempotency drop constraint a_changed_document_has_a_revision')

/** A row with another one of them is not found: it is another row. */
const lookedUpBy: readonly string[] = ['events.organization_id', 'idempotency.key_mac']

for (const table of textTables) {
  describe(`provenance 8: ${table}`, () => {
    for (const [name, type] of Object.entries(columns[table])) {
      if (lookedUpBy.includes(`${table}.${name}`)) continue
      test(`a change of ${name} is never believed`, async () => {
        const value = otherValueOf(table, name, type.replace('?', ''))
        await withTampering(table, `update ${table} set ${name} = ${value}`, async () => {
          for (const [use, run] of Object.entries(uses[table])) {
            const reply = await run()
            // Under another id, an event is not found.
            if (use === 'one event' && name === 'id') assert.equal(reply.status, 404)
            else assertWithheld(reply, use)
          }
        })
        for (const run of Object.values(uses[table])) assert((await run()).status < 300)
      })
    }
  })
}

test('provenance 8: an event keeps saying what the document said then', async () => {
  const replaced = `where document_id = '${document}'`
  for (const [table, statement] of [
    ['replaced_contents', `delete from replaced_contents ${replaced}`],
    ['replaced_contents', `update replaced_contents set content = replace(content, '1', '2')`],
    ['documents', `update documents set content = replace(content, 'Edited', 'edited')`],
    ['documents', `update documents set issuer_number = issuer_number || '1'`],
  ] as const) {
    await withTampering(table, statement, async () => assertWithheld(await feed(), statement))
  }
  assert.equal((await feed()).text, before)
})

test('provenance 8: an event that was changed is not delivered, and the others are', async () => {
  const [broken, intact] = await deliveries()
  assert(broken !== undefined && intact !== undefined)
  const event = decodeId('evt', broken.event_id)!
  const received = receiver.received.length
  const change = `update events set payload = set_byte(payload, 9, get_byte(payload, 9) # 1)
    where id = '${event}'`
  await withTampering('events', change, async () => {
    for (const { id } of [broken, intact]) {
      const reply = await call('POST', `${deliveriesPath}/${id}/redeliver`, {}, issuer.session)
      assert(reply.status < 300, reply.text)
    }
    await until('both have ended', async () =>
      (await deliveries()).every(({ status }) => status !== 'pending'),
    )
  })
  const state = async ({ id }: { id: string }) =>
    (await call('GET', `${deliveriesPath}/${id}`, undefined, issuer.session)).body
  const { status, last_error } = await state(broken)
  assert.deepEqual([status, last_error], ['failed', 'integrity_failure'])
  assert.equal((await state(intact)).status, 'succeeded')
  assert.deepEqual(
    receiver.received.slice(received).map((delivery) => delivery.event.id),
    [intact.event_id],
  )
})

test('provenance 8: a delivery whose own text is no ping is not sent', async () => {
  const reply = await call('POST', `/v1/webhooks/${endpoint.id}/ping`, {}, issuer.session)
  assert.equal(reply.status, 200, reply.text)
  const path = `/v1/webhooks/${endpoint.id}/deliveries`
  const [ping] = (await call('GET', `${path}?type=ping`, undefined, issuer.session)).body.data
  const received = receiver.received.length
  const falsified = `update webhook_delivery
    set payload = replace(payload, '"data":{}', '"data":{"a":1}') where payload is not null`
  await withTampering('webhook_delivery', falsified, async () => {
    await call('POST', `${path}/${ping.id}/redeliver`, {}, issuer.session)
    await until('it has ended', async () => {
      const one = await call('GET', `${path}/${ping.id}`, undefined, issuer.session)
      assert.equal(one.body.body, null, 'nor shown')
      return one.body.status === 'failed' && one.body.last_error === 'integrity_failure'
    })
  })
  assert.equal(receiver.received.length, received)
})
