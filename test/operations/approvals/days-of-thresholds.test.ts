/** clients 4, contract 11: the day of which a threshold counts the sum is the organization's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thresholdsText } from '../../../src/core/approvals/thresholds.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../support/approvals/keys-that-ask.ts'
import { inDays } from '../../support/dates.ts'
import { aPair, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const askedIn = (reply: Reply) => {
  const details = assertRefused(reply, 'conflict')
  assert.equal(details.reason, 'approval_required', reply.text)
  return details.approval
}

test('a key that has paid more than its sum of today asks before it cancels what others have scheduled, by any clock', async () => {
  for (const [days, dailyVolume] of [
    [0, null],
    [10, null],
    [0, 1_000_000n],
  ] as const) {
    const pair = await aPair(running)
    const { session } = pair.counterparty
    const others = await aKeyThatAsks(running, pair.counterparty, never, { dailyVolume })
    const [first, second] = [
      await anApprovedInvoice(running, pair),
      await anApprovedInvoice(running, pair),
    ]
    const body = { advance_to: inDays(days) }
    if (days > 0) await callApi(running, 'POST', '/v1/sandbox/clock', { key: session, body })
    const later = { scheduled_for: inDays(days + 5) }
    const scheduled = await move(running, others, second.id, 'payment_scheduled', later)
    assert.equal(scheduled.status, 200, scheduled.text)

    const sum = { requires_approval: false, requires_approval_above: thresholdsOf(100_000n) }
    const key = await aKeyThatAsks(running, pair.counterparty, sum)
    const approver = await aMember(running, pair.counterparty, 'approver')
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const { id, digest } = askedIn(await pay(running, key, first.id, { headers }))
    const consent = { key: approver.session, body: { digest } }
    await callApi(running, 'POST', `/v1/approvals/${id}/approve`, consent)
    assert.equal((await pay(running, key, first.id, { headers })).status, 200)
    askedIn(await move(running, key, second.id, 'approved'))
  }
})

const never = { requires_approval: false, requires_approval_above: null }

const thresholdsOf = (usd: bigint): string => thresholdsText(new Map([['USD', usd]]))
