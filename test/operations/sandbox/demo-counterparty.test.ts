/** The demo counterparty of a sandbox: its scenarios and its moves on request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dateAt } from '../../../src/core/dates.ts'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'
import { limits } from '../../../src/contract/limits.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import {
  type Pair,
  aDraft,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
  exampleLine,
  move,
} from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { documentsClient } from '../../support/documents/trading-pair.ts'

const { running, post, advance, read, assertConsistent } = await startSandboxService()

describe('domain 6: the demo counterparty', () => {
  const aDemoPair = async () => {
    const me = await anOrganization(running)
    return connectPair(running, me, await anOrganization(running, { isDemo: true }))
  }
  const issueAndAdvance = async (pair: Pair, more: object) => {
    const { id } = await anInvoice(running, pair, more as Record<string, unknown>)
    await advance(pair.issuer, 'PT3H')
    return read(id, pair.issuer)
  }
  const table = [
    ['invoice', undefined, 'approved'],
    ['invoice', 'approve_and_pay', 'paid'],
    ['invoice', 'approve_and_schedule', 'payment_scheduled'],
    ['invoice', 'acknowledge_only', 'acknowledged'],
    ['invoice', 'dispute', 'disputed'],
    ['invoice', 'dispute_then_approve', 'approved'],
    ['invoice', 'reject', 'rejected'],
    ['invoice', 'manual', 'submitted'],
    ['quote', undefined, 'accepted'],
    ['purchase_order', 'reject', 'rejected'],
    ['contract', 'acknowledge_only', 'acknowledged'],
    ['delivery_note', undefined, 'acknowledged'],
    ['statement', 'dispute', 'disputed'],
  ] as const
  for (const [document_type, sandbox_scenario, status] of table) {
    test(`the scenario ${sandbox_scenario ?? '(default)'} moves a new ${document_type} to ${status}`, async () => {
      const refs = sandbox_scenario === undefined ? {} : { external_refs: { sandbox_scenario } }
      const document = await issueAndAdvance(await aDemoPair(), { document_type, ...refs })
      assert.equal(document.status, status)
      await assertConsistent()
    })
  }

  test('pay_fails leaves an invoice approved and hides the reason; pay_returned reverses its payment', async () => {
    const pair = await aDemoPair()
    const failing = await issueAndAdvance(pair, {
      external_refs: { sandbox_scenario: 'pay_fails' },
    })
    await advance(pair.issuer, 'PT3S')
    const failed = await read(failing.id, pair.issuer)
    assert.deepEqual([failed.status, failed.payment.failure.code], ['approved', 'payment_failed'])
    const paid = await issueAndAdvance(pair, {
      external_refs: { sandbox_scenario: 'pay_returned' },
    })
    assert.equal(paid.status, 'paid')
    await advance(pair.issuer, 'P3D')
    const returned = await read(paid.id, pair.issuer)
    assert.deepEqual([returned.status, returned.payment.status], ['approved', 'returned'])
    await assertConsistent()
  })

  test('one advance runs each step of a scenario at its due time, with all its effects', async () => {
    const pair = await aDemoPair()
    const issue = async (more: object) => (await anInvoice(running, pair, { ...more })).id
    const named = (sandbox_scenario: string) => issue({ external_refs: { sandbox_scenario } })
    const failing = await named('pay_fails')
    const returned = await named('pay_returned')
    const scheduled = await named('approve_and_schedule')
    const quote = await issue({ document_type: 'quote' })
    const stepMs = 3_600_000
    const paysOn = [Date.now(), Date.now() + 60_000].map((now) =>
      dateAt(now + 3 * stepMs + 7 * 86_400_000, 0n),
    )
    await advance(pair.issuer, 'P60D')
    const now = (id: string) => read(id, pair.issuer)
    const shown = async (id: string) => {
      const { status, payment } = await now(id)
      return [status, payment.status]
    }
    assert.deepEqual(await shown(failing), ['approved', 'failed'])
    assert.deepEqual(await shown(returned), ['approved', 'returned'])
    assert.deepEqual(await shown(scheduled), ['paid', 'settled'])
    assert(paysOn.includes((await now(scheduled)).payment.scheduled_for))
    // The quote was accepted long before its last day.
    assert.equal((await now(quote)).status, 'accepted')
    await assertConsistent()
  })

  test('an advance takes only the steps that are due, in the order in which they are due', async () => {
    const pair = await aDemoPair()
    const paying = { external_refs: { sandbox_scenario: 'approve_and_pay' } }
    const [{ id: first }, { id: twin }] = [
      await anInvoice(running, pair, paying),
      await anInvoice(running, pair, { external_refs: { sandbox_scenario: 'acknowledge_only' } }),
    ]
    await advance(pair.issuer, 'PT30M')
    const { id: second } = await anInvoice(running, pair, paying)
    const statuses = () =>
      Promise.all([first, second].map(async (id) => (await read(id, pair.issuer)).status))
    assert.deepEqual(await statuses(), ['submitted', 'submitted'])
    await advance(pair.issuer, 'PT45M')
    assert.deepEqual(await statuses(), ['acknowledged', 'submitted'])
    assert.equal((await read(twin, pair.issuer)).status, 'acknowledged')
    await advance(pair.issuer, 'PT1H')
    assert.deepEqual(await statuses(), ['approved', 'acknowledged'])
    await advance(pair.issuer, 'P1D')
    assert.deepEqual(await statuses(), ['paid', 'paid'])

    const key = pair.issuer.key
    const { data } = (await callApi(running, 'GET', '/v1/events?limit=100', { key })).body
    const moves = data
      .filter(({ type }: { type: string }) => type === 'document.status_changed')
      .map(({ data: { document } }: { data: { document: { id: string; status: string } } }) =>
        [['first', 'second'][[first, second].indexOf(document.id)], document.status].join(' '),
      )
      .toReversed()
      .filter((move: string) => /^(first|second) (ack|app|paid)/.test(move))
    assert.deepEqual(moves, [
      'first acknowledged',
      'second acknowledged',
      'first approved',
      'second approved',
      'first paid',
      'second paid',
    ])
    await assertConsistent()
  })

  test('an advance that makes too much due answers 503, and the same request continues', async () => {
    const pair = await aDemoPair()
    const stepsEach = 3
    const count = Math.ceil((limits.clockAdvanceWorkMax + 1) / stepsEach)
    const refs = { external_refs: { sandbox_scenario: 'approve_and_pay' } }
    await Promise.all(Array.from({ length: count }, () => anInvoice(running, pair, refs)))
    const { key } = pair.issuer
    const isPaid = async () => {
      const reply = await callApi(running, 'GET', '/v1/documents?status=paid&limit=100', { key })
      const next = reply.body.next_cursor as string | null
      const rest = next === null ? [] : (await pageAfter(next)).body.data
      return reply.body.data.length + rest.length
    }
    const pageAfter = (cursor: string) =>
      callApi(running, 'GET', `/v1/documents?status=paid&limit=100&cursor=${cursor}`, { key })
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const body = { advance_by: 'P1D' }
    const send = () => callApi(running, 'POST', '/v1/sandbox/clock', { key, headers, body })
    const refused = await send()
    assertRefused(refused, 'service_unavailable')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.match(refused.text, /Send the same request again/)
    assert((await isPaid()) < count)
    const done = await send()
    assert.deepEqual([done.status, done.body.offset_seconds], [200, 86_400], done.text)
    assert.equal(await isPaid(), count)
    await assertConsistent()
  })

  test('a scenario that its type does not have is refused with the names that it has', async () => {
    const pair = await aDemoPair()
    const misspelt = { external_refs: { sandbox_scenario: 'aprove_and_pay' } }
    const { id } = await aDraft(running, pair)
    const create = (to: Pair) =>
      callApi(running, 'POST', '/v1/documents', {
        key: to.issuer.key,
        body: {
          connection_id: to.connection,
          document_type: 'invoice',
          line_items: [exampleLine],
          ...misspelt,
        },
      })
    const edited = await callApi(running, 'PATCH', `/v1/documents/${id}`, {
      key: pair.issuer.key,
      body: misspelt,
    })
    for (const refused of [await create(pair), edited]) {
      assertProblems(refused, '/external_refs/sandbox_scenario invalid_value')
      const [{ message, fix }] = refused.body.error.details.errors
      assert.equal(message, '"aprove_and_pay" is not a scenario of an invoice.')
      assert.match(
        fix,
        /^did you mean approve_and_pay\? send one of auto_approve, approve_and_pay, /,
      )
    }
    assert.equal((await read(id, pair.issuer)).revision, 1)
    // Only the demo counterparty reads it.
    assert.equal((await create(await aPair(running))).status, 201)
  })

  test('a move by either side ends the scenario', async () => {
    const pair = await aDemoPair()
    const { id } = await anInvoice(running, pair)
    await move(running, pair.counterparty.key, id, 'disputed')
    await advance(pair.issuer, 'P1D')
    assert.equal((await read(id, pair.issuer)).status, 'disputed')
  })

  test('without a clock advance, a scenario takes its steps in real time', async () => {
    const quick = await startTestService({ SANDBOX_STEP_MS: '50ms' })
    const player = await anOrganization(quick, { isDemo: true })
    const pair = await connectPair(quick, await anOrganization(quick), player)
    const { id } = await anInvoice(quick, pair)
    const isApproved = async () =>
      (await documentsClient(quick).read(id, pair.issuer)).status === 'approved'
    await until('the scenario has ended', isApproved)
  })

  test('the demo counterparty issues and moves documents on request', async () => {
    const pair = await aDemoPair()
    const headers = { 'svc-dry-run': 'true' }
    const tried = await callApi(running, 'POST', '/v1/sandbox/demo/documents', {
      key: pair.issuer.key,
      body: { document_type: 'invoice' },
      headers,
    })
    const { number, issuer_number } = tried.body
    assert.deepEqual(
      [number, issuer_number],
      [null, null],
      'contract 11: a dry run numbers nothing',
    )
    const created = await post(pair.issuer.key, '/demo/documents', { document_type: 'invoice' })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(
      [created.body.label, created.body.status, created.body.direction],
      ['Bill', 'submitted', 'received'],
    )
    const moved = await post(pair.issuer.key, '/demo/transitions', {
      document_id: created.body.id,
      to: 'cancelled',
    })
    assert.equal(moved.body.status, 'cancelled')
    const stranger = await aPair(running)
    const { id } = await anInvoice(running, stranger)
    const refused = await post(stranger.issuer.key, '/demo/transitions', {
      document_id: id,
      to: 'approved',
    })
    assert.equal(refused.status, 409)
    await assertConsistent()
  })
})
