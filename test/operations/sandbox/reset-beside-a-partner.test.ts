/** A reset depends on no partner: not on its locks, not on its payments, not on its clock. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { type Pair, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'
import { startTestService } from '../../support/test-service.ts'
import { openTestConnection } from '../../support/database/test-connection.ts'

const running = await startTestService({ SANDBOX_STEP_MS: '1h', PROCESS_ROLE: 'api' })
const { get, rows } = sandboxClient(running)

const reset = ({ key }: Pair['issuer']) =>
  callApi(running, 'POST', '/v1/sandbox/reset', { key, body: {} })

/** Holds locks in a transaction of its own while `work` runs. */
const whileLocked = async (locks: readonly ReturnType<typeof sql>[], work: () => Promise<void>) => {
  const holder = await openTestConnection(running.databaseUrl, 'docex test locks')
  try {
    await holder.run(sql`begin`)
    for (const lock of locks) await holder.run(lock)
    await work()
  } finally {
    await holder.close()
  }
}

/** The partner is the counterparty and pays; the issuer is the sandbox that is reset. */
describe('domain 6: a reset depends on no partner', () => {
  test('a reset waits for no row of a partner', async () => {
    const pair = await aPair(running)
    const { id } = await anInvoice(running, pair)
    const partner = pair.counterparty.uuid
    const locks = [
      sql`select 1 from ledger_account where organization_id = ${partner} for update`,
      sql`select 1 from organization_counters where organization_id = ${partner} for update`,
      sql`select 1 from organizations where id = ${partner} for no key update`,
    ]
    await whileLocked(locks, async () => {
      const { status, text } = await reset(pair.issuer)
      assert.equal(status, 200, text)
    })
    const seen = (await get(pair.counterparty.key, `/v1/documents/${id}`)).body
    assert.deepEqual([seen.status, seen.allowed_transitions], ['submitted', []])
    await assertServiceConsistent(running)
  })

  test('a partner that pays without pause does not stop a reset', async () => {
    for (let round = 0; round < 3; round += 1) {
      const pair = await aPair(running)
      const ids: string[] = []
      for (let i = 0; i < 8; i += 1) ids.push((await anApprovedInvoice(running, pair)).id)
      const stuck = { body: { source_account_id: 'acct_test_stuck' } }
      let isOver = false
      const payments = ids.map(async (id) => {
        while (!isOver) {
          const { status, body } = await pay(running, pair.counterparty.key, id, stuck)
          if (status === 200) continue
          assert.equal(body.error.details.reason, 'connection_not_active')
          return
        }
      })
      const { status, text } = await reset(pair.issuer)
      isOver = true
      await Promise.all(payments)
      assert.equal(status, 200, text)
      assert.deepEqual(await rows(pair.issuer.key, '/v1/documents'), [])
      const balances = await rows(pair.issuer.key, '/v1/treasury/balances')
      assert(balances.every(({ pending_in, pending_out }) => pending_in === 0 && pending_out === 0))
      await assertServiceConsistent(running)
    }
  })

  test('the partner learns how its payments ended, on documents that are frozen', async () => {
    const pair = await aPair(running)
    const { key } = pair.counterparty
    const paying = (await anApprovedInvoice(running, pair)).id as string
    const scheduled = (await anApprovedInvoice(running, pair)).id as string
    await pay(running, key, paying, { body: { source_account_id: 'acct_test_stuck' } })
    const scheduled_for = inDays(9)
    await move(running, key, scheduled, 'payment_scheduled', { scheduled_for })
    assert.equal((await reset(pair.issuer)).status, 200)
    for (const [id, status] of [
      [paying, 'failed'],
      [scheduled, 'cancelled'],
    ]) {
      const { body } = await get(key, `/v1/documents/${id}`)
      assert.deepEqual([body.status, body.payment.status], ['approved', status])
      assert.deepEqual([body.payable, body.allowed_transitions], [false, []])
      const [event] = (await get(key, `/v1/events?document=${id}`)).body.data
      assert.deepEqual(event.data.document, body)
      assert.equal((await get(key, `/v1/documents/${id}/history`)).status, 200)
    }
    assert.deepEqual(await rows(pair.issuer.key, '/v1/events'), [])
    const balances = await rows(key, '/v1/treasury/balances')
    assert(balances.every(({ pending_out }) => pending_out === 0))
    await assertServiceConsistent(running)
  })

  test('what has settled in place is paid, although its document had not moved yet', async () => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair)
    const { key } = pair.counterparty
    const path = `/v1/documents/${id}/transition`
    const scheduled = await callApi(running, 'POST', path, {
      key,
      body: { to: 'payment_scheduled', source_account_id: 'acct_test_return' },
    })
    assert.deepEqual(
      [scheduled.body.status, scheduled.body.payment.status],
      ['payment_scheduled', 'settled'],
    )
    const { status, text } = await reset(pair.issuer)
    assert.equal(status, 200, text)
    const seen = (await get(key, `/v1/documents/${id}`)).body
    assert.deepEqual([seen.status, seen.payment.status], ['paid', 'settled'])
    await assertServiceConsistent(running)
  })

  test('a reset that stops halfway leaves a consistent state, and the next one completes it', async () => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair)
    await pay(running, pair.counterparty.key, id, {
      body: { source_account_id: 'acct_test_stuck' },
    })
    const partner = pair.counterparty.uuid
    const lock = sql`select 1 from organization_counters where organization_id = ${partner} for update`
    await whileLocked([lock], async () => {
      assert.equal((await reset(pair.issuer)).body.error.code, 'service_unavailable')
      // The payment is still in progress, but nobody can add to it.
      const { body } = await get(pair.counterparty.key, `/v1/documents/${id}`)
      assert.deepEqual([body.payment.status, body.allowed_transitions], ['processing', []])
      const history = await get(pair.counterparty.key, `/v1/documents/${id}/history`)
      assert.equal(history.status, 200, history.text)
    })
    assert.equal((await get(pair.issuer.key, `/v1/documents/${id}`)).status, 404)
    await assertServiceConsistent(running)
    assert.equal((await reset(pair.issuer)).status, 200)
    const { body } = await get(pair.counterparty.key, `/v1/documents/${id}`)
    assert.equal(body.payment.status, 'failed')
    await assertServiceConsistent(running)
  })
})
