/** A scheduled payment that its payer brings forward (domain 2.1, 4.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { type Pair, aKey, aPair } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { connectTestProcessor } from '../../support/payments/connect-test-processor.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { livePayments } from '../../support/payments/live-payments.ts'
import { startTestService } from '../../support/test-service.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())

const move = (pair: Pair, id: string, body: object) =>
  callApi(running, 'POST', `/v1/documents/${id}/transition`, { key: pair.counterparty.key, body })

/** Returns the id of its document. */
const aScheduledPayment = async (pair: Pair): Promise<string> => {
  const { id } = await anApprovedInvoice(running, pair)
  const reply = await move(pair, id, { to: 'payment_scheduled', scheduled_for: inDays(5) })
  assert.equal(reply.status, 200, reply.text)
  return id
}

const read = async ({ counterparty: { key } }: Pair, path: string) =>
  (await callApi(running, 'GET', `/v1/${path}`, { key })).body

describe('domain 4.2: bringing a scheduled payment forward', () => {
  test('it leaves the account and takes the method that the request names', async () => {
    const pair = await aPair(running)
    const accounts: Record<'id' | 'currency' | 'purpose', string>[] = (
      await read(pair, 'treasury/accounts')
    ).data
    const funding = accounts.find(
      ({ currency, purpose }) => currency === 'USD' && purpose === 'funding',
    )!.id
    const balance = async () => (await read(pair, `treasury/balances?account=${funding}`)).data[0]
    const before = (await balance()).posted
    const body = { source_account_id: funding, payment_method: 'wire' }
    const { key } = pair.counterparty
    const paid = await pay(running, key, await aScheduledPayment(pair), { body })
    const { payment } = paid.body
    assert.deepEqual([payment.source_account_id, payment.method], [funding, 'wire'])
    assert.equal((await balance()).posted, before - payment.amount)
    const moved = await move(pair, await aScheduledPayment(pair), { to: 'paid', ...body })
    assert.equal(moved.body.payment.source_account_id, funding)
    assert.equal((await balance()).posted, before - 2 * payment.amount)
  })

  test('what the request does not name stays as it was scheduled', async () => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair)
    const ways = { source_account_id: 'acct_test_async', payment_method: 'book' }
    await move(pair, id, { to: 'payment_scheduled', scheduled_for: inDays(5), ...ways })
    const { payment } = (await pay(running, pair.counterparty.key, id)).body
    assert.deepEqual([payment.source_account_id, payment.method], Object.values(ways))
    assert.equal(payment.status, 'processing')
    const options = { key: pair.counterparty.key, body: { advance_by: 'PT1M' } }
    await callApi(running, 'POST', '/v1/sandbox/clock', options)
    const { status } = (await read(pair, `documents/${id}`)).payment
    assert.equal(status, 'settled', 'its days count from now, and not from when it was scheduled')
  })

  test('domain 4.3: it counts on the day on which it is paid, for the key that pays it', async () => {
    const pair = await aPair(running)
    const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
    const limits = { dailyVolume: 108_000n }
    const { secret, keyId } = await aKey(running, pair.counterparty, scopes, limits)
    const [first, second] = [await anApprovedInvoice(running, pair), await aScheduledPayment(pair)]
    const third = (await anApprovedInvoice(running, pair)).id
    const schedule = (id: string) => {
      const body = { to: 'payment_scheduled', scheduled_for: inDays(5) }
      const path = `/v1/documents/${id}/transition`
      return callApi(running, 'POST', path, { key: secret, body })
    }
    assert.equal((await schedule(first.id)).status, 200)
    assert.equal((await schedule(third)).status, 403, 'the volume of that day is used')
    const stuck = { body: { source_account_id: 'acct_test_stuck' } }
    const { payment } = (await pay(running, secret, first.id, stuck)).body
    assert.equal((await schedule(third)).status, 200, 'the day has its volume back')
    assert.equal((await pay(running, secret, second)).status, 403, 'that of today is used')
    const path = `/v1/sandbox/payments/${payment.id}/simulate`
    const options = { key: pair.counterparty.key, body: { outcome: 'fail' } }
    await callApi(running, 'POST', path, options)
    const paid = await pay(running, secret, second)
    assert.equal(paid.body.payment?.initiated_by.key_id, keyId, paid.text)
  })

  test('what a new payment refuses is refused, and the payment stays scheduled', async () => {
    const pair = await aPair(running)
    const id = await aScheduledPayment(pair)
    const refused = [
      { source_account_id: 'acct_test_nope' },
      { payment_method: 'sepa' },
      { scheduled_for: inDays(9) },
      { scheduled_for: '2020-01-01' },
    ]
    for (const body of refused) {
      const { status, body: reply } = await move(pair, id, { to: 'paid', ...body })
      assert.equal(status, 400)
      assert.equal(reply.error.details.errors[0].param, `/${Object.keys(body)[0]}`)
    }
    assert.equal((await read(pair, `documents/${id}`)).payment.status, 'scheduled')
  })

  test('in live it needs the processor, as a new payment does', async () => {
    const pair = await livePayments(running, fakeStripe).aProcessorPair()
    const id = await aScheduledPayment(pair)
    await connectTestProcessor(running, pair.counterparty, 'counterparty', '{"EUR":"pm_eur"}')
    const { status, body } = await pay(running, pair.counterparty.key, id)
    assert.deepEqual([status, body.error?.code], [403, 'capability_unavailable'])
    assert.deepEqual(body.error.details.blockers, ['payer_processor'])
    assert.equal((await read(pair, `documents/${id}`)).payment.status, 'scheduled')
  })
})
