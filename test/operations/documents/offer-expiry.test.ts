/** Offers expire automatically when they are not answered in time (domain 2.4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { addDays, dateAt } from '../../../src/core/dates.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { expireOffers } from '../../../src/tasks/expire-offers.ts'
import { changeDocument } from '../../support/documents/change-document.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { callApi } from '../../support/api-client.ts'
import { aDraft, anInvoice, move } from '../../support/fixtures.ts'
import { sharedBodies } from '../../support/provenance/stored-history.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { storedEvents } from '../../support/webhooks/stored-events.ts'

// Runs without background tasks; each test runs the expiry itself.
const { running, pair, issuer, counterparty, assertConsistent, ...documents } =
  await startTradingPair({ PROCESS_ROLE: 'api' })
const today = dateAt(Date.now(), 0n)
const yesterday = addDays(today, -1)

const expire = () => expireOffers.run(running.service.context)

/** An issued offer whose last day is set directly, so that it may lie in the past. */
const offerUntil = async (document_type: string, day: string, to?: string): Promise<string> => {
  const valid_until = addDays(today, 10)
  const { id } = await anInvoice(running, pair, { document_type, valid_until })
  if (to !== undefined) await move(running, counterparty.key, id, to)
  await changeDocument(running, id, () => ({ valid_until: day }))
  return id
}

const read = (id: string) => documents.read(id, counterparty)

describe('domain 2.4: expiry', () => {
  for (const type of ['quote', 'contract']) {
    for (const state of [undefined, 'acknowledged']) {
      test(`a ${type} that is ${state ?? 'sent'} expires the day after its last day, not on it`, async () => {
        const [past, last] = [
          await offerUntil(type, yesterday, state),
          await offerUntil(type, today, state),
        ]
        await expire()
        const [expired, open] = [await read(past), await read(last)]
        assert.deepEqual([expired.status, expired.phase], ['expired', 'closed'])
        assert.deepEqual(expired.allowed_transitions, [])
        assert.equal(open.status, state ?? 'sent')
        assertRefused(await move(running, counterparty.key, past, 'accepted'), 'conflict')
      })
    }
  }

  for (const type of ['quote', 'contract']) {
    test(`a ${type} cannot be accepted after its last day, even before it has expired`, async () => {
      const [past, last] = [await offerUntil(type, yesterday), await offerUntil(type, today)]
      const { body } = await callApi(running, 'GET', `/v1/documents/${past}/transitions`, {
        key: counterparty.key,
      })
      assert.deepEqual(
        [body.status, body.allowed.map(({ to }: { to: string }) => to)],
        ['sent', ['rejected']],
      )
      assert.deepEqual((await read(past)).allowed_transitions, ['rejected'])
      const all = ['acknowledged', 'accepted', 'rejected']
      assert.deepEqual((await read(last)).allowed_transitions, all)
      for (const to of ['acknowledged', 'accepted']) {
        const refused = await move(running, counterparty.key, past, to)
        const details = assertRefused(refused, 'conflict', 'illegal_transition')
        assert.deepEqual(details['allowed'], ['rejected'])
      }
      assert.equal((await move(running, issuer.key, past, 'cancelled')).status, 200)
      assert.equal((await move(running, counterparty.key, last, 'accepted')).status, 200)
    })
  }

  test('an answered or unissued offer does not expire', async () => {
    const answered = ['accepted', 'rejected']
    const ids = await Promise.all(answered.map((to) => offerUntil('quote', yesterday, to)))
    const draft = await aDraft(running, pair, { document_type: 'quote' })
    await changeDocument(running, draft.id, () => ({ valid_until: yesterday }))
    await expire()
    const states = await Promise.all(ids.map(async (id) => (await read(id)).status))
    assert.deepEqual(states, answered)
    const { body } = await callApi(running, 'GET', `/v1/documents/${draft.id}`, { key: issuer.key })
    assert.equal(body.status, 'draft')
  })

  test('concurrent and repeated runs expire each offer once and notify each side once', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => offerUntil('quote', yesterday)))
    const other = await running.startAnother()
    await Promise.all([expire(), expire(), expireOffers.run(other.service.context)])
    await expire()
    for (const id of ids) {
      const { status, revision } = await read(id)
      assert.deepEqual([status, revision], ['expired', 3])
      const ofOffer = sql`e.document_id = ${decodeId('doc', id)}`
      const events = (await storedEvents(running.database, ofOffer))
        .map(({ payload }) => JSON.parse(payload))
        .filter(({ data }) => data.document.status === 'expired')
      assert.equal(events.length, 2)
      for (const { data, request } of events) {
        assert.deepEqual([data.previous_status, data.cause], ['sent', 'valid_until passed'])
        assert.equal(request, null, 'no request caused the event')
      }
    }
  })

  test('the history records the system as the actor', async () => {
    const id = await offerUntil('quote', yesterday)
    await expire()
    const bodies = await sharedBodies(running.database, sql`e.document_id = ${decodeId('doc', id)}`)
    const { actor, set } = JSON.parse(bodies.at(-1)!)
    assert.deepEqual([actor, set], [{ kind: 'system' }, { status: 'expired' }])
  })

  test('numbers, feeds, list rows and histories agree after expiry', async () => {
    const open = sql`t.status in ('draft', 'sent', 'acknowledged')`
    await changeSealedRows(running.database, 'documents', open, () => ({ valid_until: null }))
    await assertConsistent()
  })
})

describe('domain 1: valid_until', () => {
  const quote = (more: object) =>
    callApi(running, 'POST', '/v1/documents', {
      key: issuer.key,
      body: {
        connection_id: pair.connection,
        document_type: 'quote',
        line_items: [{ description: 'x', quantity: 1, unit_price: 1, tax_rate: 0 }],
        ...more,
      },
    })
  const edit = (id: string, body: object) =>
    callApi(running, 'PATCH', `/v1/documents/${id}`, { key: issuer.key, body })

  test('without valid_until, a quote is valid for 30 days from its date and a contract indefinitely', async () => {
    const document_date = '2026-01-31'
    const validUntil = async (more: object) =>
      (await quote({ document_date, ...more })).body.valid_until
    assert.equal(await validUntil({}), '2026-03-02')
    assert.equal(await validUntil({ valid_until: null }), '2026-03-02')
    assert.equal(await validUntil({ valid_until: '2026-02-01' }), '2026-02-01')
    assert.equal(await validUntil({ document_type: 'contract' }), null)
  })

  test('an explicit valid_until is kept, a derived one follows the document date, and null derives it', async () => {
    const { id } = (await quote({ document_date: '2026-01-01' })).body
    const moved = await edit(id, { document_date: '2026-02-01' })
    assert.equal(moved.body.valid_until, '2026-03-03')
    await edit(id, { valid_until: '2026-06-01' })
    const edited = await edit(id, { document_date: '2026-03-01' })
    assert.equal(edited.body.valid_until, '2026-06-01')
    assertProblems(await edit(id, { document_date: '2026-07-01' }), '/document_date out_of_range')
    assert.equal((await edit(id, { valid_until: null })).body.valid_until, '2026-03-31')
  })

  test('an offer cannot be issued after its last day, but can be with a new one', async () => {
    const issue = (id: string) =>
      callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
    const past = { document_date: '2020-01-01', valid_until: yesterday }
    const { id } = (await quote(past)).body
    assertRefused(await issue(id), 'conflict', 'terms_date_past')
    const derived = (await quote({ document_date: '2020-01-01' })).body.id
    assertRefused(await issue(derived), 'conflict', 'terms_date_past')
    await edit(id, { valid_until: today })
    assert.equal((await issue(id)).body.status, 'sent')
  })

  test('a default document date becomes the date of issue, and valid_until follows it', async () => {
    const { id } = (await quote({})).body
    await changeDocument(running, id, ({ content }) => ({
      document_date: '2026-01-01',
      valid_until: '2026-01-31',
      content: content.replaceAll(today, '2026-01-01'),
    }))
    const issued = await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
    assert.deepEqual(
      [issued.body.document_date, issued.body.valid_until],
      [today, addDays(today, 30)],
    )
  })
})
