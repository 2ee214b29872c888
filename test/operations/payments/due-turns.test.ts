/** Domain 4: payers whose payments fall due in the same moment take turns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { sql } from '../../../src/database/sql.ts'
import { duePayments } from '../../../src/store/payments/payments.ts'
import { callApi } from '../../support/api-client.ts'
import { type Pair, aPair } from '../../support/fixtures.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running

const aScheduledPayment = async (pair: Pair): Promise<void> => {
  const { id } = await anApprovedInvoice(running, pair)
  const scheduled_for = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const { status, text } = await callApi(running, 'POST', `/v1/documents/${id}/transition`, {
    key: pair.counterparty.key,
    body: { to: 'payment_scheduled', scheduled_for },
  })
  assert.equal(status, 200, text)
}

const copyPayments = async (pair: Pair, count: number, dueAt: string): Promise<void> => {
  const [{ names } = { names: '' }] = await database.rows<{ names: string }>(sql`
    select string_agg(column_name, ', ') as names from information_schema.columns
    where table_name = 'payments'
      and column_name not in ('id', 'payer_position', 'payee_position', 'due_at')`)
  await database.script(`
    insert into payments (id, payer_position, payee_position, due_at, ${names})
    select gen_random_uuid(), 1000000 + n, 1000000 + n, '${dueAt}', ${names}
    from payments, generate_series(1, ${count}) n
    where payer_id = '${pair.counterparty.uuid}' and payer_position < 1000000`)
}

// The search looks at no document, so one of them is enough for many payments.
await database.script('drop index payments_one_active_per_document')

test('one with 10,000 payments of a moment holds up no other by more than a round', async () => {
  const [many, few, later] = [await aPair(running), await aPair(running), await aPair(running)]
  for (const pair of [many, few, later]) await aScheduledPayment(pair)
  await copyPayments(many, 10_000, '2026-11-01T00:00:00Z')
  await copyPayments(few, 3, '2026-11-01T00:00:01Z')
  await copyPayments(later, 1, '2026-11-01T00:02:00Z')
  await database.script('analyze payments')
  const { background } = running.service.context.database
  const limit = limits.scheduledWorkRowsPerRound
  const found = await duePayments(background, { limit, rails: ['simulator'] })
  assert.equal(found.length, limit)
  const countOf = ({ counterparty }: Pair) =>
    found.filter(({ payer_id }) => payer_id === counterparty.uuid).length
  assert.equal(countOf(few), 3)
  // What fell due minutes before comes first: others may need the money of it.
  assert.equal(countOf(later), 0)
  const dueTimes = found.filter(({ payer_id }) => payer_id === many.counterparty.uuid)
  assert(dueTimes.every(({ due_at }) => due_at === '2026-11-01T00:00:00.000Z'))
})

test('the search reaches what is behind more failed payments than take turns', async (t) => {
  t.mock.property(limits, 'duePaymentsInTurnsMax', 10 as never)
  const pair = await aPair(running)
  await aScheduledPayment(pair)
  await copyPayments(pair, 30, '2026-11-01T00:00:00Z')
  const { background } = running.service.context.database
  // A round, and all that have failed before it.
  const found = await duePayments(background, { limit: 20, rails: ['simulator'] })
  assert.equal(found.length, 20)
})
