/** Domain 4.3: a payment that waits for its locks is made by a key that still holds after them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { changeSealedRows } from '../../src/database/sealed-rows.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aKey, aPair } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()

const isPaymentWaiting = async (): Promise<boolean> => {
  const waiting = await running.database.rows(sql`
    select 1 from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database() and application_name like 'docex lane%'`)
  return waiting.length > 0
}

for (const [what, column] of [
  ['revoked', 'revoked_at'],
  ['expired', 'expires_at'],
] as const) {
  test(`a key that was ${what} while its payment waited pays nothing`, async (t) => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair)
    const scopes = ['documents:write', 'payments:write'] as const
    const { secret, keyId } = await aKey(running, pair.counterparty, scopes)
    const isKey = sql`t.id = ${decodeId('key', keyId)!}`
    const { seals } = running.database
    const holder = await openTestConnection(running.databaseUrl, 'docex test', { seals })
    t.after(() => holder.close())
    await holder.script('begin')
    const { uuid } = pair.counterparty
    // Whoever takes access away holds these, and so does whoever pays.
    await holder.run(sql`
      select 1 from organization_counters where organization_id = ${uuid} for update`)
    await changeSealedRows(holder, 'keys', isKey, () => ({ [column]: new Date().toISOString() }))
    const paying = pay(running, secret, id)
    await until('the payment waits', isPaymentWaiting)
    await holder.script('commit')
    const { status, body, text } = await paying
    assert.deepEqual([status, body.error?.code], [401, 'unauthorized'], text)
    const { key } = pair.counterparty
    const payments = await callApi(running, 'GET', `/v1/payments?document=${id}`, { key })
    assert.deepEqual(payments.body.data, [])
  })
}
