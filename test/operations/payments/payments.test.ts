/** Paying a document: POST /pay and transitions that execute, schedule or cancel a payment. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { aKey, anInvoice, move } from '../../support/fixtures.ts'
import { until } from '../../support/until.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { storedEnvelopes } from '../../support/webhooks/stored-events.ts'

const { running, pair, issuer, counterparty, assertConsistent, ...documents } =
  await startTradingPair()
const read = (id: string, key = counterparty.key) => documents.read(id, { key })

describe('domain 4.2: POST /pay', () => {
  test('pay settles the whole balance immediately and shows each side its view of the payment', async () => {
    const { id, total } = await anApprovedInvoice(running, pair)
    const paid = await pay(running, counterparty.key, id)
    assert.equal(paid.status, 200, paid.text)
    const { payment, ...document } = paid.body
    assert.deepEqual(
      [document.status, document.balance_due, document.amount_paid, document.payable],
      ['paid', 0, total, false],
    )
    assert.deepEqual(
      [payment.status, payment.amount, payment.direction, payment.method, payment.rail],
      ['settled', total, 'outgoing', 'ach', 'simulator'],
    )
    assert.match(payment.source_account_id, /^acct_/)
    assert.equal(payment.destination_account_id, null)
    assert.equal(payment.initiated_by.key_id, counterparty.keyId)
    const seen = (await read(id, issuer.key)).payment
    assert.deepEqual([seen.id, seen.direction], [payment.id, 'incoming'])
    assert.equal(seen.source_account_id, null)
    assert.match(seen.destination_account_id, /^acct_/)
    assert.equal('key_id' in seen.initiated_by, false)
    await assertConsistent()
  })

  test('paying again with any Idempotency-Key answers the same payment', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const first = await pay(running, counterparty.key, id)
    const again = await pay(running, counterparty.key, id)
    assert.equal(again.status, 200)
    assert.equal(again.text, first.text)
    const listed = await callApi(running, 'GET', `/v1/payments?document=${id}`, {
      key: counterparty.key,
    })
    assert.equal(listed.body.data.length, 1)
  })

  test('a document that cannot be paid answers 409 not_payable with the legal transitions', async () => {
    const { id } = await anInvoice(running, pair)
    const early = await pay(running, counterparty.key, id)
    assert.deepEqual([early.status, early.body.error.details.reason], [409, 'not_payable'])
    assert(early.body.error.details.allowed.includes('approved'))
    const approved = await anApprovedInvoice(running, pair)
    const wrongSide = await pay(running, issuer.key, approved.id)
    assert.deepEqual(
      [wrongSide.body.error.details.reason, wrongSide.body.error.details.allowed],
      ['not_payable', ['disputed']],
    )
  })

  test('the payment method must support the currency', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const refused = await pay(running, counterparty.key, id, { body: { payment_method: 'sepa' } })
    assert.deepEqual(
      [refused.status, refused.body.error.details.errors[0].param],
      [400, '/payment_method'],
    )
    const paid = await pay(running, counterparty.key, id, { body: { payment_method: 'wire' } })
    assert.equal(paid.body.payment.method, 'wire')
  })

  test('the source account must be the payer’s own, active and of the currency', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const accounts = (key: string) =>
      callApi(running, 'GET', '/v1/treasury/accounts', { key }).then(({ body }) => body.data)
    const mine = await accounts(counterparty.key)
    const theirs = await accounts(issuer.key)
    const payFrom = (source_account_id: string) =>
      pay(running, counterparty.key, id, { body: { source_account_id } })
    const fundingIn = (
      all: { currency: string; purpose: string; id: string }[],
      currency: string,
    ) => all.find((account) => account.currency === currency && account.purpose === 'funding')!.id
    assert.equal((await payFrom(fundingIn(theirs, 'USD'))).status, 404)
    assert.equal((await payFrom('nonsense')).status, 400)
    assert.equal((await payFrom(fundingIn(mine, 'EUR'))).status, 400)
    const paid = await payFrom(fundingIn(mine, 'USD'))
    assert.equal(paid.body.payment.source_account_id, fundingIn(mine, 'USD'))
    await assertConsistent()
  })

  test('a payment without sufficient funds fails, and the document is payable again', async () => {
    const line = { description: 'Mill', quantity: 1, unit_price: 5_000_000, tax_rate: 0 }
    const { id } = await anApprovedInvoice(running, pair, { line_items: [line] })
    const pending = await pay(running, counterparty.key, id)
    assert.deepEqual([pending.status, pending.body.status], [200, 'payment_scheduled'])
    await until('the payment failed', async () => (await read(id)).status === 'approved')
    const { payment, payable } = await read(id)
    assert.deepEqual(
      [payment.status, payment.failure.code, payable],
      ['failed', 'insufficient_funds', true],
    )
    const seen = (await read(id, issuer.key)).payment
    assert.equal(seen.failure.code, 'payment_failed')
    const retried = await pay(running, counterparty.key, id, {
      body: { source_account_id: 'acct_test_ok' },
    })
    assert.equal(retried.body.status, 'paid')
    assert.notEqual(retried.body.payment.id, payment.id)
    await assertConsistent()
  })
})

describe('specification 3: transitions that execute a payment', () => {
  test('a transition to paid settles immediately', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const { body } = await move(running, counterparty.key, id, 'paid')
    assert.deepEqual([body.status, body.balance_due, body.payment.status], ['paid', 0, 'settled'])
  })

  test('a transition to payment_scheduled answers that status, and the document is paid soon after', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const { body } = await move(running, counterparty.key, id, 'payment_scheduled')
    assert.deepEqual(
      [body.status, body.balance_due, body.payment.status],
      ['payment_scheduled', 0, 'settled'],
    )
    await until('it is paid', async () => (await read(id)).status === 'paid')
    const events = await storedEnvelopes(running.database, issuer.uuid)
    assert.deepEqual(
      events
        .filter(({ data }) => data.document.id === id)
        .slice(-3)
        .map(({ type, data }) => [type, data.cause]),
      [
        ['payment.settled', undefined],
        ['document.status_changed', undefined],
        ['document.status_changed', 'settled'],
      ],
    )
    await assertConsistent()
  })

  test('a scheduled payment can be cancelled, rescheduled and brought forward', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const in30 = inDays(30)
    const schedule = () =>
      move(running, counterparty.key, id, 'payment_scheduled', { scheduled_for: in30 })
    const { body } = await schedule()
    assert.deepEqual(
      [body.status, body.balance_due, body.payment.status, body.payment.scheduled_for],
      ['payment_scheduled', 1080, 'scheduled', in30],
    )
    assert.deepEqual(body.allowed_transitions, ['approved', 'paid'])
    const cancelled = await move(running, counterparty.key, id, 'approved')
    assert.deepEqual(
      [cancelled.body.status, cancelled.body.payment.status, cancelled.body.payable],
      ['approved', 'cancelled', true],
    )
    const again = await schedule()
    const paid = await move(running, counterparty.key, id, 'paid')
    assert.equal(paid.body.payment.id, again.body.payment.id)
    assert.deepEqual([paid.body.status, paid.body.payment.status], ['paid', 'settled'])
    await assertConsistent()
  })

  test('a past date, a date too far ahead and a later date with {to: paid} are refused', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    for (const [to, days] of [
      ['payment_scheduled', -2],
      ['payment_scheduled', 367],
      ['paid', 3],
    ] as const) {
      const reply = await move(running, counterparty.key, id, to, { scheduled_for: inDays(days) })
      assert.deepEqual(
        [reply.status, reply.body.error.details.errors[0].param],
        [400, '/scheduled_for'],
      )
    }
    const last = { scheduled_for: inDays(365) }
    const scheduled = await move(running, counterparty.key, id, 'payment_scheduled', last)
    assert.equal(scheduled.body.payment?.status, 'scheduled', scheduled.text)
    const today = await anApprovedInvoice(running, pair)
    const atOnce = { scheduled_for: inDays(0) }
    const { body } = await move(running, counterparty.key, today.id, 'payment_scheduled', atOnce)
    assert.equal(body.payment?.status, 'settled')
  })

  test('while a payment is processing, transitions answer 409 payment_in_progress and /pay answers it', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const body = { source_account_id: 'acct_test_async' }
    const pending = await pay(running, counterparty.key, id, { body })
    assert.deepEqual(
      [pending.body.status, pending.body.payment.status],
      ['payment_scheduled', 'processing'],
    )
    assert.equal(pending.body.payment.source_account_id, 'acct_test_async')
    const refused = await move(running, counterparty.key, id, 'paid')
    assert.deepEqual(
      [refused.status, refused.body.error.details.reason, refused.body.error.details.allowed],
      [409, 'payment_in_progress', []],
    )
    const again = await pay(running, counterparty.key, id)
    assert.deepEqual([again.status, again.body.payment.id], [200, pending.body.payment.id])
    await assertConsistent()
  })

  test('a key without payments:write neither sees nor makes the transitions that pay', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const { secret } = await aKey(running, counterparty, ['documents:read', 'documents:write'])
    assert.deepEqual((await read(id, secret)).allowed_transitions, ['disputed'])
    const refused = await move(running, secret, id, 'paid')
    assert.equal(refused.body.error.code, 'insufficient_scope')
    await move(running, counterparty.key, id, 'payment_scheduled', { scheduled_for: inDays(9) })
    const cancelling = await move(running, secret, id, 'approved')
    assert.equal(cancelling.body.error.code, 'insufficient_scope')
  })

  test('a dry run pays nothing', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const reply = await pay(running, counterparty.key, id, { headers: { 'svc-dry-run': 'true' } })
    assert.equal(reply.body.status, 'paid')
    assert.equal((await read(id)).status, 'approved')
    await assertConsistent()
  })
})

test('domain 4.7: both sides get payment.settled, each in its projection', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  const { body } = await pay(running, counterparty.key, id, {
    headers: { 'idempotency-key': freshIdempotencyKey() },
  })
  for (const [organization, direction, number] of [
    [issuer, 'incoming', body.issuer_number],
    [counterparty, 'outgoing', body.number],
  ] as const) {
    // Payments of the tests before may settle meanwhile.
    const envelopes = await storedEnvelopes(running.database, organization.uuid)
    const [settled, changed] = envelopes.filter(({ data }) => data.document.id === id).slice(-2)
    assert.equal(changed.type, 'document.status_changed')
    assert.equal(changed.data.previous_status, 'approved')
    assert.equal(settled.type, 'payment.settled')
    assert.equal(settled.data.document.number, number)
    assert.equal(settled.data.payment.direction, direction)
    assert.equal(settled.data.settlement_reference, body.payment.settlement_reference)
  }
})

test('domain 4.3: a payment that fails days later releases the volume reserved on its own day', async () => {
  const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
  const { secret, keyId } = await aKey(running, counterparty, scopes, { dailyVolume: 108_000n })
  const { id } = await anApprovedInvoice(running, pair)
  const { body } = await pay(running, secret, id, {
    body: { source_account_id: 'acct_test_stuck' },
  })
  const uuid = decodeId('pay', body.payment.id)!
  await runAndSeal(
    running.database,
    'limit_usage',
    sql`
    update limit_usage set day = day - 10 where root_key_id = ${decodeId('key', keyId)!}`,
  )
  await runAndSeal(
    running.database,
    'payments',
    sql`
    update payments set limit_day = limit_day - 10 where id = ${uuid}`,
  )
  // The id of the row is derived from its key, currency and day.
  await runAndSeal(
    running.database,
    'limit_usage',
    sql`
    update limit_usage u set id = md5(root_key_id || ' ' || currency || ' ' || day)::uuid
    where root_key_id = ${decodeId('key', keyId)!}`,
  )
  const path = `/v1/sandbox/payments/${body.payment.id}/simulate`
  const failed = await callApi(running, 'POST', path, {
    key: counterparty.key,
    body: { outcome: 'fail' },
  })
  assert.equal(failed.status, 200, failed.text)
  const [usage] = await running.database.rows<{ used: bigint }>(
    sql`select used from limit_usage where root_key_id = ${decodeId('key', keyId)!}`,
  )
  assert.equal(usage!.used, 0n)
  await assertConsistent()
})
