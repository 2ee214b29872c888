/** The projected balance of an organization (contract 12, console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { aKey, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { inDays } from '../../support/dates.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { connectProcessors } from '../../support/payments/payable-documents.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

const projection = (key: string, more = ''): Promise<Reply> =>
  callApi(running, 'GET', `/v1/statistics?metric=projection${more}`, { key })

describe('contract 12: the projection', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  await connectProcessors(running, pair)
  const due = await anInvoice(running, pair, { due_date: inDays(20) })
  const undated = await anInvoice(running, pair, { payment_terms: null })
  const scheduled = await anApprovedInvoice(running, pair, { due_date: inDays(9) })
  const on = { scheduled_for: inDays(30) }
  assert.equal(
    (await move(running, counterparty.key, scheduled.id, 'payment_scheduled', on)).status,
    200,
  )

  for (const [{ key }, way, sign] of [
    [issuer, 'in', 1],
    [counterparty, 'out', -1],
  ] as const) {
    test(`what is owed moves the balance of the side that it goes ${way} of`, async () => {
      const { from, to, points, is_complete } = (await projection(key, '&interval=day')).body
      assert.deepEqual([from, is_complete], [inDays(0), true])
      const ofDay = (group: string, start: string | null, currency = 'USD') =>
        points.find(
          (point: Record<string, unknown>) =>
            point['group'] === group && point['start'] === start && point['currency'] === currency,
        )?.amount
      assert.equal(ofDay(`due_${way}`, inDays(20)), due.total)
      assert.equal(ofDay(`due_${way}`, null), undated.total)
      assert.equal(ofDay(`scheduled_${way}`, inDays(30)), scheduled.total)
      const balances = (await callApi(running, 'GET', '/v1/treasury/balances', { key })).body.data
      const cents = (amount: number) => Math.round(amount * 100)
      const now = balances
        .filter(({ currency }: { currency: string }) => currency === 'USD')
        .reduce((sum: number, one: { available: number }) => sum + cents(one.available), 0)
      assert.equal(cents(ofDay('balance', null)), now)
      assert.equal(cents(ofDay('balance', inDays(19))), now)
      assert.equal(cents(ofDay('balance', inDays(20))), now + sign * cents(due.total))
      const later = now + sign * (cents(due.total) + cents(scheduled.total))
      assert.equal(cents(ofDay('balance', inDays(30))), later)
      assert.equal(cents(ofDay('balance', to)), later)
      assert.equal(ofDay('balance', to, 'EUR'), ofDay('balance', null, 'EUR'))
    })
  }

  test('it has eight weeks of which the first is the current one, and begins today', async () => {
    const { body } = await projection(issuer.key)
    const starts = new Set(body.points.map(({ start }: { start: string | null }) => start))
    assert.equal(starts.size, 1 + 8)
    assert.equal(new Date(body.to).getUTCDay(), 0)
    assertProblems(await projection(issuer.key, `&from=${inDays(0)}`), 'from invalid_value')
    assertProblems(await projection(issuer.key, `&to=${inDays(-1)}`), 'to out_of_range')
  })

  test('it needs treasury:read as well, and the family', async () => {
    const { secret } = await aKey(running, issuer, ['documents:read', 'payments:read'])
    const details = assertRefused(await projection(secret), 'insufficient_scope')
    assert.deepEqual(details.required_scopes, ['documents:read', 'treasury:read'])
    const without = await running.startAnother({ FAMILIES: 'documents,payments' })
    const path = '/v1/statistics?metric=projection'
    const reply = await callApi(without, 'GET', path, { key: issuer.key })
    assert.deepEqual(assertRefused(reply, 'not_enabled'), { family: 'treasury' })
  })
})
