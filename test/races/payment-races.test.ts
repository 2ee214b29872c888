/**
 * Concurrent payments over two services on one database: one payment per document and limits exact
 * to the cent, while an auditor checks the whole ledger repeatedly. `LONG=1` runs more rounds.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { revokeKey, rotateKey } from '../../src/changes/identity/keys.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { assertLedger, auditLedgerDuring } from '../support/payments/ledger-auditor.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { inDays } from '../support/dates.ts'
import { type TestOrganization, type Pair, aKey, aPair, move } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { together } from '../support/together.ts'

const one = await startTestService()
const two = await one.startAnother()
const services = [one, two] as const
const isLong = process.env['LONG'] === '1'

/** Creates approved invoices of the pair, of 1080.00 each unless overridden. */
const approvedInvoices = (pair: Pair, count: number, more = {}): Promise<string[]> =>
  together(count, async () => (await anApprovedInvoice(one, pair, more)).id)

const statuses = (replies: readonly Reply[]) =>
  replies.map(({ status, body }) => body.error?.details?.reason ?? body.error?.code ?? status)

describe('reliability I4: one payment per document', () => {
  const rounds = isLong ? 500 : 8
  test(`64 concurrent requests on one document make one payment, in each of ${rounds} rounds`, async (t) => {
    const pair = await aPair(one)
    const race = async () => {
      for (let round = 0; round < rounds; round += 1) {
        const [id] = await approvedInvoices(pair, 1)
        const replies = await together(64, (i) => {
          const service = services[i % 2]!
          if (i % 8 === 7) return move(service, pair.counterparty.key, id!, 'paid')
          return pay(service, pair.counterparty.key, id!)
        })
        const paid = replies.filter(({ status }) => status === 200)
        assert(paid.length > 0, statuses(replies).join())
        assert.equal(new Set(paid.map(({ body }) => body.payment.id)).size, 1)
        for (const { body } of paid) assert.deepEqual([body.status, body.revision], ['paid', 4])
        // The others were refused because the document is paid, or because the service is busy.
        const others = replies.filter(({ status }) => status !== 200)
        const refusals = new Set(statuses(others))
        assert(
          refusals.isSubsetOf(new Set(['illegal_transition', 'service_unavailable'])),
          [...refusals].join(),
        )
        const list = await callApi(one, 'GET', `/v1/payments?document=${id}`, {
          key: pair.issuer.key,
        })
        assert.deepEqual(
          list.body.data.map((payment: { status: string }) => payment.status),
          ['settled'],
        )
      }
    }
    t.diagnostic(
      `${rounds} rounds, ${await auditLedgerDuring(one.databaseUrl, race())} snapshots audited`,
    )
    await assertServiceConsistent(one)
  })

  test('the database refuses a second active payment of a document', async () => {
    const pair = await aPair(one)
    const [id] = await approvedInvoices(pair, 1)
    await pay(one, pair.counterparty.key, id!, { body: { source_account_id: 'acct_test_stuck' } })
    const uuid = decodeId('doc', id!)!
    await assert.rejects(
      one.database.run(sql`
        insert into payments select (jsonb_populate_record(p, jsonb_build_object(
          'id', gen_random_uuid(), 'payer_position', 1000000, 'payee_position', 1000000))).*
        from payments p where document_id = ${uuid}`),
      /payments_one_active_per_document/,
    )
  })
})

describe('domain 4.3: payment_limits', () => {
  const payer = async (limits: { maxPerPayment?: bigint; dailyVolume?: bigint }) => {
    const pair = await aPair(one)
    const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
    const { secret, keyId } = await aKey(one, pair.counterparty, scopes, limits)
    return { pair, secret, keyId }
  }

  test('a daily volume for k payments lets exactly k of 50 concurrent payments pass', async () => {
    const k = 17
    const { pair, secret } = await payer({ dailyVolume: BigInt(k) * 108_000n })
    const ids = await approvedInvoices(pair, 50)
    const replies = await together(50, (i) => pay(services[i % 2]!, secret, ids[i]!))
    const passed = replies.filter(({ status }) => status === 200)
    assert.equal(passed.length, k, statuses(replies).join())
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      const { code, details } = reply.body.error
      assert.deepEqual(
        [code, details.limit, details.max, details.attempted, details.currency],
        ['payment_limit_exceeded', 'daily_volume', k * 1080, 1080, 'USD'],
      )
      assert.equal(details.used % 1080, 0)
      assert.match(details.resets_at, /T00:00:00.000Z$/)
    }
    await assertLedger(one.database)
  })

  test('the limit per payment is checked first, and a refused payment uses no volume', async () => {
    const { pair, secret } = await payer({ maxPerPayment: 107_999n, dailyVolume: 1n })
    const [id] = await approvedInvoices(pair, 1)
    const { body } = await pay(one, secret, id!)
    assert.deepEqual(body.error.details, {
      limit: 'max_per_payment',
      max: 1079.99,
      used: null,
      attempted: 1080,
      currency: 'USD',
      resets_at: null,
    })
    const fits = await payer({ maxPerPayment: 108_000n })
    const [other] = await approvedInvoices(fits.pair, 1)
    assert.equal((await pay(one, fits.secret, other!)).status, 200)
  })

  test('retries and replays of a payment count once; each currency and day counts separately', async () => {
    const { pair, secret } = await payer({ dailyVolume: 108_000n })
    const [id, next, euros, later] = [
      ...(await approvedInvoices(pair, 2)),
      ...(await approvedInvoices(pair, 1, { currency: 'EUR' })),
      ...(await approvedInvoices(pair, 1)),
    ]
    for (let i = 0; i < 3; i += 1) assert.equal((await pay(one, secret, id!)).status, 200)
    assert.equal((await pay(one, secret, next!)).body.error.code, 'payment_limit_exceeded')
    assert.equal((await pay(one, secret, euros!)).status, 200)
    const scheduled_for = inDays(3)
    const scheduled = await move(one, secret, later!, 'payment_scheduled', { scheduled_for })
    assert.equal(scheduled.status, 200, scheduled.text)
    const early = await move(one, secret, later!, 'paid')
    assert.equal(early.body.error.code, 'payment_limit_exceeded')
    await assertLedger(one.database)
  })

  test('a failed payment releases the volume that it reserved', async () => {
    const { pair, secret } = await payer({ dailyVolume: 108_000n })
    const [id] = await approvedInvoices(pair, 1)
    const failing = { body: { source_account_id: 'acct_test_account_closed' } }
    assert.equal((await pay(one, secret, id!, failing)).status, 200)
    await callApi(one, 'POST', '/v1/sandbox/clock', {
      key: pair.counterparty.key,
      body: { advance_by: 'PT5S' },
    })
    const paid = await pay(one, secret, id!)
    assert.equal(paid.body.status, 'paid', paid.text)
    await assertLedger(one.database)
  })

  test('the daily volume follows the clock of the organization', async () => {
    const { pair, secret } = await payer({ dailyVolume: 108_000n })
    const ids = await approvedInvoices(pair, 2)
    assert.equal((await pay(one, secret, ids[0]!)).status, 200)
    assert.equal((await pay(one, secret, ids[1]!)).status, 403)
    await callApi(one, 'POST', '/v1/sandbox/clock', {
      key: pair.counterparty.key,
      body: { advance_by: 'P1D' },
    })
    assert.equal((await pay(one, secret, ids[1]!)).status, 200)
  })

  test('a rotated key and its successor share one daily volume, also concurrently', async () => {
    const { pair, secret, keyId } = await payer({ dailyVolume: 5n * 108_000n })
    const ids = await approvedInvoices(pair, 20)
    await pay(one, secret, ids[0]!)
    const id = decodeId('key', keyId)!
    const by = { userId: pair.counterparty.userId, graceMs: 60_000 }
    const { secret: fresh } = await rotateKey(one.database, pair.counterparty.uuid, id, by)
    const replies = await together(19, (i) =>
      pay(services[i % 2]!, i % 3 === 0 ? secret : fresh, ids[i + 1]!),
    )
    assert.equal(replies.filter(({ status }) => status === 200).length, 4)
    await assertLedger(one.database)
  })

  test('a key that is revoked while its payment waits gets the refusal of every revoked key', async () => {
    const { pair, secret, keyId } = await payer({ dailyVolume: 100_000_000n })
    const [id] = await approvedInvoices(pair, 1)
    const { paying } = await inTransaction(one.database, async (tx) => {
      await revokeKey(tx, pair.counterparty.uuid, decodeId('key', keyId)!)
      const waiting = pay(one, secret, id!)
      await until('the payment waits for the key', async () => {
        const waits = await two.database.rows(sql`
          select 1 from pg_stat_activity where datname = current_database()
          and application_name like 'docex lane%' and wait_event_type = 'Lock'`)
        return waits.length > 0
      })
      return { paying: waiting }
    })
    const refused = await paying
    assert.equal(refused.status, 401, refused.text)
    assert.equal(refused.body.error.code, 'unauthorized')
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
  })

  test('I12: no payment of a limited key commits after the response to its revocation', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { pair, secret, keyId } = await payer({ dailyVolume: 100_000_000n })
      const ids = await approvedInvoices(pair, 12)
      const paying = together(12, async (i) => {
        // The payments start one after the other, so the revocation falls among them.
        for (let turn = 0; turn < i * 4; turn += 1) await new Promise(setImmediate)
        return pay(services[i % 2]!, secret, ids[i]!)
      })
      const revoked = await callApi(one, 'POST', `/v1/keys/${keyId}/revoke`, {
        key: pair.counterparty.session,
        body: {},
      })
      assert.equal(revoked.status, 200)
      const [atRevocation] = await one.database.rows<{ n: bigint }>(sql`
        select count(*) as n from payments where payer_id = ${pair.counterparty.uuid}`)
      await paying
      const [after] = await one.database.rows<{ n: bigint }>(sql`
        select count(*) as n from payments where payer_id = ${pair.counterparty.uuid}`)
      assert.equal(after!.n, atRevocation!.n)
    }
  })
})

test('200 concurrent payments from one account are exact to the cent', async (t) => {
  const pair = await aPair(one)
  const ids = await approvedInvoices(pair, 200, {
    line_items: [{ description: 'x', quantity: 1, unit_price: 6000, tax_rate: 0 }],
  })
  const all = together(200, (i) => pay(services[i % 2]!, pair.counterparty.key, ids[i]!))
  t.diagnostic(`${await auditLedgerDuring(one.databaseUrl, all)} snapshots audited`)
  const replies = await all
  const settled = replies.filter(({ body }) => body.payment?.status === 'settled')
  // 1,000,000.00 covers 166 payments of 6,000.00; the others fail for lack of funds.
  assert.equal(settled.length, 166, statuses(replies).join())
  const balances = await balancesOf(pair.counterparty)
  assert.equal(balances, 4_000)
})

const balancesOf = async ({ key }: TestOrganization): Promise<number> => {
  const accounts = (await callApi(one, 'GET', '/v1/treasury/accounts', { key })).body.data
  const { id } = accounts.find(
    (account: { currency: string; is_default: boolean }) =>
      account.currency === 'USD' && account.is_default,
  )
  const { body } = await callApi(one, 'GET', `/v1/treasury/balances?account=${id}`, { key })
  return body.data[0].available
}
