/** Sums of documents and payments (contract 12, console 1.9). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addDays } from '../../../src/core/dates.ts'
import { forEachDocument, forEachPayment } from '../../../src/store/statistics.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { aDraft, aKey, aPair, anInvoice, anOrganization } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { connectProcessors } from '../../support/payments/payable-documents.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

const statistics = (key: string, query: string): Promise<Reply> =>
  callApi(running, 'GET', `/v1/statistics?${query}`, { key })

describe('contract 12: statistics', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  await connectProcessors(running, pair)
  const open = await anInvoice(running, pair)
  await aDraft(running, pair)

  test('what is owed is receivable for one side and payable for the other; a draft is neither', async () => {
    for (const [{ key }, group] of [
      [issuer, 'receivable'],
      [counterparty, 'payable'],
    ] as const) {
      const { points, is_complete } = (await statistics(key, 'metric=ageing')).body
      const { currency, total: amount } = open
      assert.deepEqual(points, [
        { start: null, group, bucket: 'current', currency, amount, count: 1, days_to_pay: null },
      ])
      assert.equal(is_complete, true)
    }
  })

  test('a paid bill leaves what is owed, and is in the cash flow of both sides', async () => {
    const paid = await anApprovedInvoice(running, pair)
    assert.equal((await pay(running, counterparty.key, paid.id)).status, 200)
    const { points } = (await statistics(counterparty.key, 'metric=ageing')).body
    assert.deepEqual(
      points.map(({ count }: { count: number }) => count),
      [1],
    )
    const { currency, total: amount } = paid
    const expected = { bucket: null, currency, amount, count: 1, days_to_pay: null }
    for (const [{ key }, group] of [
      [issuer, 'in'],
      [counterparty, 'out'],
    ] as const) {
      const { body } = await statistics(key, 'metric=cash_flow&interval=day')
      assert.deepEqual(body.points, [{ start: body.to, group, ...expected }])
    }
  })

  test('a day of the cash flow is the sum of what the list shows as settled on it', async () => {
    const { points, to } = (await statistics(issuer.key, 'metric=cash_flow&interval=day')).body
    const listed = async (query: string) => {
      const path = `/v1/payments?status=settled&direction=incoming&${query}`
      return (await callApi(running, 'GET', path, { key: issuer.key })).body.data
    }
    for (const { start, currency, amount, count } of points) {
      const day = `settled_from=${start}&settled_to=${start}`
      const rows = await listed(`${day}&currency=${currency}`)
      const cents = rows.reduce(
        (sum: number, row: { amount: number }) => sum + Math.round(row.amount * 100),
        0,
      )
      assert.deepEqual([cents, rows.length], [Math.round(amount * 100), count])
    }
    assert.equal((await listed(`settled_from=${addDays(to, 1)}`)).length, 0)
    assert.equal((await listed(`settled_to=${addDays(to, -1)}`)).length, 0)
    assert.equal((await listed('currency=GBP')).length, 0)
  })

  test('documents are counted by period, side and status', async () => {
    const { points } = (await statistics(issuer.key, 'metric=documents&interval=month')).body
    const counts = points.map(({ group, bucket, count }: Record<string, unknown>) => [
      group,
      bucket,
      count,
    ])
    assert.deepEqual(counts, [
      ['issued', 'draft', 1],
      ['issued', 'paid', 1],
      ['issued', 'submitted', 1],
    ])
  })

  test('the cash flow needs payments:read as well', async () => {
    const { secret } = await aKey(running, issuer, ['documents:read'])
    const details = assertRefused(
      await statistics(secret, 'metric=cash_flow'),
      'insufficient_scope',
    )
    assert.deepEqual(details.required_scopes, ['documents:read', 'payments:read'])
  })

  test('specification 5.6: for an unverified organization, the projection is not available', async () => {
    const { key } = await anOrganization(running, { verified: false })
    const details = assertRefused(
      await statistics(key, 'metric=projection'),
      'capability_unavailable',
    )
    assert.deepEqual(details, { capability: 'treasury', reason: 'organization_unverified' })
    const { secret } = await aKey(running, issuer, ['documents:read'])
    assertRefused(await statistics(secret, 'metric=projection'), 'insufficient_scope')
  })

  test('contract 2: without the family payments, the cash flow is not enabled, before any scope', async () => {
    const withoutPayments = await running.startAnother({ FAMILIES: 'documents' })
    const { secret: key } = await aKey(running, issuer, ['documents:read'])
    const at = (metric: string) =>
      callApi(withoutPayments, 'GET', `/v1/statistics?metric=${metric}`, { key })
    assert.deepEqual(assertRefused(await at('cash_flow'), 'not_enabled'), { family: 'payments' })
    assert.equal((await at('ageing')).status, 200)
  })

  test('sums are incomplete when there are more records than are added up', async () => {
    const viewer = { id: issuer.uuid, resetPosition: 0n }
    const { database } = running
    for (const [scanMaxRows, isComplete] of [
      [2, false],
      [3, true],
    ] as const) {
      let count = 0
      const request = { viewer, scanMaxRows }
      assert.equal(await forEachDocument(database, request, () => (count += 1)), isComplete)
      assert.equal(count, scanMaxRows)
    }
    const incoming = { organization: issuer.uuid, direction: 'incoming' } as const
    for (const [scanMaxRows, isComplete] of [
      [0, false],
      [1, true],
    ] as const) {
      const request = { ...incoming, scanMaxRows }
      assert.equal(await forEachPayment(database, request, () => {}), isComplete)
    }
  })

  test('a range of more than 120 periods, or one that ends before it begins, is refused', async () => {
    for (const range of ['from=2020-01-01&to=2026-01-01', 'from=2026-02-01&to=2026-01-01']) {
      const reply = await statistics(issuer.key, `metric=documents&${range}`)
      assert.equal(assertRefused(reply, 'invalid_request').errors[0].code, 'out_of_range')
    }
  })

  test('the refusal of a range is about a day that was sent, and says which would do', async () => {
    const refused = async (query: string) => {
      const { errors } = assertRefused(await statistics(issuer.key, query), 'invalid_request')
      return `${errors[0].param}: ${errors[0].message} (${errors[0].fix})`
    }
    const { to: today } = (await statistics(issuer.key, 'metric=ageing')).body
    const [yesterday, tomorrow] = [addDays(today, -1), addDays(today, 1)]
    assert.equal(
      await refused(`metric=projection&to=${yesterday}`),
      `to: A projection begins today, ${today}. (send ${today} or a later day)`,
    )
    assert.equal(
      await refused(`metric=cash_flow&from=${tomorrow}`),
      `from: The range would end today, ${today}, before it begins. (send a from up to ${today}, or a later to)`,
    )
    assert.equal(
      await refused(`metric=projection&to=${addDays(today, 900)}`),
      'to: The range has more than 120 periods of a week. (send a longer interval or a shorter range)',
    )
    assert.equal(
      await refused('metric=documents&interval=month&from=2000-01-01&to=2026-01-01'),
      'from: The range has more than 120 periods of a month. (send a shorter range)',
    )
  })

  test('a range without a beginning begins on the first day of the calendar at the earliest', async () => {
    const { status, body } = await statistics(issuer.key, 'metric=documents&to=0001-01-05')
    assert.deepEqual([status, body.from, body.points], [200, '0001-01-01', []])
  })

  test('domain 6: after a reset, its own side begins at nothing, and the other is owed nothing', async () => {
    const other = await aPair(running)
    await anInvoice(running, other)
    await aDraft(running, other)
    const reset = await callApi(running, 'POST', '/v1/sandbox/reset', { key: other.issuer.key })
    assert(reset.status < 300, reset.text)
    for (const [{ key }, metric, count] of [
      [other.issuer, 'ageing', 0],
      [other.issuer, 'documents', 0],
      [other.counterparty, 'ageing', 0],
      [other.counterparty, 'documents', 1],
    ] as const) {
      const { status, body } = await statistics(key, `metric=${metric}`)
      assert.equal(status, 200)
      assert.equal(body.points.length, count, metric)
    }
  })
})
