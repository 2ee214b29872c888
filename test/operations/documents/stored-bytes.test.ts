/**
 * What an event or a response says is stored once: the document keeps the content, and the event
 * and the response only what is their own. Clients notice nothing of it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { purgeExpired } from '../../../src/tasks/purge-expired.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aDraft, aPair, exampleLine } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database } = running
const pair = await aPair(running)
const { issuer, counterparty } = pair

const write = (method: string, path: string, body: object, key = freshIdempotencyKey()) =>
  callApi(running, method, `/v1/documents${path}`, {
    key: issuer.key,
    body,
    headers: { 'idempotency-key': key },
  })

/** The text of every event of the issuer, oldest first. */
const eventTexts = async (): Promise<string[]> => {
  const { body } = await callApi(running, 'GET', '/v1/events?limit=100', { key: issuer.key })
  const ids = (body.data as { id: string }[]).map(({ id }) => id).toReversed()
  const events = ids.map((id) => callApi(running, 'GET', `/v1/events/${id}`, { key: issuer.key }))
  return (await Promise.all(events)).map(({ text }) => text)
}

test('the events, responses and history of an invoice take a fraction of what they say', async () => {
  const line_items = Array.from({ length: 5 }, () => exampleLine)
  const { id } = await anApprovedInvoice(running, pair, { line_items })
  const paid = await pay(running, counterparty.key, id)
  assert.equal(paid.body.status, 'paid', paid.text)
  const [events] = await database.rows<{ count: bigint; bytes: bigint }>(
    sql`select count(*), sum(pg_column_size(e.*)) as bytes from events e`,
  )
  assert.equal(events!.count, 10n)
  assert(events!.bytes < 6_500n, `the events of one invoice take ${events!.bytes} bytes`)
  const [responses] = await database.rows<{ count: bigint; bytes: bigint }>(
    sql`select count(*), sum(pg_column_size(i.*)) as bytes from idempotency i`,
  )
  assert.equal(responses!.count, 4n)
  assert(responses!.bytes < 2_400n, `its four responses take ${responses!.bytes} bytes`)
  const [history] = await database.rows<{ count: bigint; bytes: bigint }>(
    sql`select count(*), sum(pg_column_size(p.*)) as bytes from prov_event p
      where document_id = ${decodeId('doc', id)!}`,
  )
  assert.equal(history!.count, 4n)
  assert(history!.bytes < 3_200n, `its history takes ${history!.bytes} bytes`)
})

test('events and responses keep every byte while the draft is edited, re-dated and issued', async () => {
  const keys = Array.from({ length: 3 }, freshIdempotencyKey)
  const draft = {
    connection_id: pair.connection,
    document_type: 'quote',
    line_items: [exampleLine],
  }
  const created = await write('POST', '', draft, keys[0])
  const path = `/${created.body.id}`
  const edits = [{ notes: 'First' }, { notes: 'Second', line_items: [exampleLine, exampleLine] }]
  const edited = [
    await write('PATCH', path, edits[0]!, keys[1]),
    await write('PATCH', path, edits[1]!, keys[2]),
  ]
  const shownNotes = (await eventTexts())
    .slice(-3)
    .map((text) => JSON.parse(text).data.document.notes)
  assert.deepEqual(shownNotes, [null, 'First', 'Second'])
  const before = await eventTexts()
  const clock = await callApi(running, 'POST', '/v1/sandbox/clock', {
    key: issuer.key,
    body: { advance_by: 'P1D' },
  })
  assert.equal(clock.status, 200, clock.text)
  const issued = await write('POST', `${path}/issue`, {})
  assert.notEqual(issued.body.document_date, created.body.document_date, 'issuing moved the date')
  const after = await eventTexts()
  assert.deepEqual(after.slice(0, before.length), before)
  assert.equal(JSON.parse(after.at(-1)!).data.document.document_date, issued.body.document_date)
  assert.equal((await write('POST', '', draft, keys[0])).text, created.text)
  for (const [i, { text }] of edited.entries()) {
    assert.equal((await write('PATCH', path, edits[i]!, keys[i + 1])).text, text)
  }
})

test('former contents of a draft are purged once no event or response can show them', async () => {
  const { id } = await aDraft(running, pair)
  await write('PATCH', `/${id}`, { notes: 'Edited' })
  const count = async () => (await database.rows(sql`select 1 from replaced_contents`)).length
  await purgeExpired.run(running.service.context)
  assert((await count()) > 0, 'kept as long as an event shows it')
  await database.run(sql`
    update replaced_contents
    set replaced_at = now() - ${`${limits.replacedContentDays} days 1 second`}::interval`)
  await purgeExpired.run(running.service.context)
  assert.equal(await count(), 0)
})
