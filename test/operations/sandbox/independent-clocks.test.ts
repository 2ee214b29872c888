/** The clock of a practice pair moves nobody else, and each rule follows one party's clock. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import {
  type Pair,
  type TestOrganization,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  move,
} from '../../support/fixtures.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'

const { running, post, advance, read, assertConsistent } = await startSandboxService()

const offsetOf = async ({ key }: TestOrganization): Promise<number> =>
  (await callApi(running, 'GET', '/v1/sandbox/clock', { key })).body.offset_seconds

const swapped = (pair: Pair): Pair => ({
  ...pair,
  issuer: pair.counterparty,
  counterparty: pair.issuer,
})

/** A scheduled payment of the pair's counterparty, in 5 days. */
const aScheduledPayment = async (pair: Pair): Promise<string> => {
  const { id } = await anApprovedInvoice(running, pair)
  const scheduled_for = inDays(5)
  const reply = await move(running, pair.counterparty.key, id, 'payment_scheduled', {
    scheduled_for,
  })
  assert.equal(reply.status, 200, reply.text)
  return id as string
}

const aQuote = async (pair: Pair): Promise<string> =>
  (await anInvoice(running, pair, { document_type: 'quote' })).id

/** What an organization may do with a document: read, listed, and as its transitions. */
const allowedFor = async (id: string, { key }: TestOrganization) => {
  const get = async (path: string) => (await callApi(running, 'GET', path, { key })).body
  const listed = (await get('/v1/documents')).data.find((row: { id: string }) => row.id === id)
  const { allowed } = await get(`/v1/documents/${id}/transitions`)
  return [
    (await get(`/v1/documents/${id}`)).allowed_transitions,
    listed.allowed_transitions,
    allowed.map(({ to }: { to: string }) => to),
  ]
}

describe('domain 6: a clock belongs to a practice pair', () => {
  test('a partner that moves its clock pays, expires and dates nothing of another organization', async () => {
    const pair = await aPair(running)
    const { issuer: me, counterparty: partner } = pair
    const toThirdParty = await connectPair(running, await anOrganization(running), me)
    const payments = [await aScheduledPayment(toThirdParty), await aScheduledPayment(swapped(pair))]
    const quotes = [await aQuote(pair), await aQuote(swapped(toThirdParty))]
    const { id: owed } = await anApprovedInvoice(running, swapped(pair))

    assert.equal((await advance(partner, 'P60D')).offset_seconds, 60 * 86_400)
    assert.equal(await offsetOf(me), 0)
    assert.equal(await offsetOf(toThirdParty.issuer), 0)
    for (const id of payments) {
      const { status, payment } = await read(id, me)
      assert.deepEqual([status, payment.status], ['payment_scheduled', 'scheduled'])
    }
    for (const id of quotes) assert.equal((await read(id, me)).status, 'sent')
    // Each side sees whether the bill is overdue by its own clock.
    assert.deepEqual(
      [(await read(owed, me)).overdue, (await read(owed, partner)).overdue],
      [false, true],
    )
    await assertConsistent()
  })

  test('a practice pair shares one clock, which neither side’s other partners follow', async () => {
    const me = await anOrganization(running)
    const demo = await anOrganization(running, { isDemo: true })
    await connectPair(running, me, demo)
    const partners = await Promise.all(
      [me, demo].map((side) =>
        anOrganization(running).then((partner) => connectPair(running, side, partner)),
      ),
    )
    await Promise.all([me, demo, me, demo].map((side) => advance(side, 'PT12H')))
    assert.deepEqual([await offsetOf(me), await offsetOf(demo)], [2 * 86_400, 2 * 86_400])
    for (const { counterparty } of partners) {
      assert.equal(await offsetOf(counterparty), 0)
      await advance(counterparty, 'P9D')
    }
    assert.deepEqual([await offsetOf(me), await offsetOf(demo)], [2 * 86_400, 2 * 86_400])
  })

  test('nobody commands the demo counterparty of another organization', async () => {
    const demo = await anOrganization(running, { isDemo: true })
    await connectPair(running, await anOrganization(running), demo)
    const pair = await connectPair(running, await anOrganization(running), demo)
    const manual = { external_refs: { sandbox_scenario: 'manual' } }
    const { id } = await anInvoice(running, pair, manual)
    const issued = await post(pair.issuer.key, '/demo/documents', { document_type: 'invoice' })
    assert.equal(issued.body.error.details.reason, 'connection_not_active')
    const moved = await post(pair.issuer.key, '/demo/transitions', {
      document_id: id,
      to: 'approved',
    })
    assert.equal(moved.status, 409, moved.text)
    assert.equal((await read(id, pair.issuer)).status, 'submitted')
  })
})

describe('domain 6: whose clock rules what', () => {
  test('the payer’s clock executes a scheduled payment, the payee’s does not', async () => {
    const pair = await aPair(running)
    const id = await aScheduledPayment(pair)
    await advance(pair.issuer, 'P9D')
    assert.equal((await read(id, pair.issuer)).payment.status, 'scheduled')
    await advance(pair.counterparty, 'P9D')
    assert.equal((await read(id, pair.issuer)).payment.status, 'settled')
    await assertConsistent()
  })

  test('an offer lasts by its issuer’s clock, also for a viewer whose clock is ahead', async () => {
    const pair = await aPair(running)
    const id = await aQuote(pair)
    await advance(pair.counterparty, 'P60D')
    const before = await allowedFor(id, pair.counterparty)
    for (const allowed of before) assert(allowed.includes('accepted'), JSON.stringify(before))
    // A move to another open state shows the same in its response and in its event.
    const { body } = await move(running, pair.counterparty.key, id, 'acknowledged')
    assert(body.allowed_transitions.includes('accepted'))
    const events = await callApi(running, 'GET', `/v1/events?document=${id}`, {
      key: pair.counterparty.key,
    })
    assert(events.body.data[0].data.document.allowed_transitions.includes('accepted'))
    const accepted = await move(running, pair.counterparty.key, id, 'accepted')
    assert.equal(accepted.status, 200, accepted.text)

    const other = await aQuote(pair)
    await advance(pair.issuer, 'P60D')
    assert.equal((await read(other, pair.counterparty)).status, 'expired')
    await assertConsistent()
  })
})
