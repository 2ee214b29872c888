/** Decision 0280: whoever fails to pay again and again keeps no other mail from the payee. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { aPair } from '../support/fixtures.ts'
import { noticesOf, startNoticeService } from '../support/notices/notice-service.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { until } from '../support/until.ts'

const { running, mailsOf } = await startNoticeService()
const { database } = running
const pair = await aPair(running)
const { issuer: payee, counterparty: payer } = pair

const failToPay = async (): Promise<void> => {
  const { id } = await anApprovedInvoice(running, pair)
  const body = { source_account_id: 'acct_test_insufficient_funds' }
  await pay(running, payer.key, id, { body })
}

const failuresIn = async (status: string, reason: string | null = null): Promise<number> => {
  const told = await noticesOf(running, payee, 'payment_failed')
  return told.filter((one) => one.status === status && one.reason === reason).length
}

test('failed payments take half of an hour, and of the room of mails that wait', async () => {
  const half = limits.noticesPerHourMax.test / 2
  for (let i = 0; i < half + 2; i += 1) await failToPay()
  await until('as many are sent as may be, and the others wait', async () => {
    return (await failuresIn('sent')) === half && (await failuresIn('waiting')) === 2
  })
  const invitation = { email: 'somebody.else@example.com' }
  await callApi(running, 'POST', '/v1/connections', { key: payee.session, body: invitation })
  assert.equal((await mailsOf(payee, 'connection_invitation')).length, 1)

  await database.run(sql`
    insert into notices (id, organization_id, kind, subject_id, email, status, attempts, created_at,
      due_at, seal)
    select gen_random_uuid(), ${payee.uuid}::uuid, 'payment_failed', gen_random_uuid(),
      'a@example.com', 'waiting', 0, now(), now() + interval '1 day', ''
    from generate_series(1, ${limits.noticesWaitingMax * limits.othersNoticesShare - 2})`)
  await failToPay()
  await until('nobody is told of one more', async () => {
    return (await failuresIn('skipped', 'too many wait')) === 1
  })
  const another = { email: 'another.one@example.com' }
  await callApi(running, 'POST', '/v1/connections', { key: payee.session, body: another })
  assert.equal((await mailsOf(payee, 'connection_invitation', 2)).length, 2)
})
