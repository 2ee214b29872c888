/** Payments settle on real days, also in a sandbox whose clock is ahead: statistics have them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays } from '../../../src/core/dates.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { anOrganization, connectPair } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'

const { running, advance } = await startSandboxService()
const seller = await anOrganization(running)
const buyer = await anOrganization(running, { isDemo: true })
const pair = await connectPair(running, seller, buyer)

const statistics = async (query: string) => {
  const reply = await callApi(running, 'GET', `/v1/statistics?${query}`, { key: seller.key })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

interface Point {
  group: string
  count: number
  days_to_pay: { median: number; p90: number } | null
}

const groupOf = ({ points }: { points: Point[] }, group: string): Point =>
  points.find((point) => point.group === group)!

const payOne = async (): Promise<void> => {
  const { id } = await anApprovedInvoice(running, pair)
  assert.equal((await pay(running, buyer.key, id)).status, 200)
}

test('what has settled is counted by default, however far the clock is ahead', async () => {
  await payOne()
  assert.deepEqual(groupOf(await statistics('metric=connections'), 'collected').days_to_pay, {
    median: 0,
    p90: 0,
  })
  const { from } = await statistics('metric=cash_flow')
  assert.equal(from, inDays(-84))
  await advance(seller, 'P120D')
  await payOne()
  for (const [metric, group] of [
    ['cash_flow', 'in'],
    ['connections', 'collected'],
  ] as const) {
    const body = await statistics(`metric=${metric}`)
    assert.deepEqual([body.from, body.to], [inDays(-84), inDays(120)])
    assert.equal(groupOf(body, group).count, 2)
  }
  // The range that is asked for is as long as ever, and no default has more than 120 periods.
  const day = inDays(120)
  assert.equal((await statistics(`metric=cash_flow&to=${day}`)).from, addDays(day, -84))
  assert.equal((await statistics('metric=cash_flow&interval=day')).from, addDays(day, -119))
})

test('days between a date by the clock of the sandbox and a real day are not told', async () => {
  const { days_to_pay } = groupOf(await statistics('metric=connections'), 'collected')
  assert.equal(days_to_pay, null)
})
