/** Decision 0280: what was told of is not looked at again, however much of it there is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '../../src/context.ts'
import { limits } from '../../src/contract/limits.ts'
import { sql } from '../../src/database/sql.ts'
import { untoldSubjects } from '../../src/store/notices/notice-subjects.ts'
import { findNotices } from '../../src/tasks/find-notices.ts'
import { aPair } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const { database } = running

const aFailedPayment = async (minutesAgo: number): Promise<string> => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const body = { source_account_id: 'acct_test_insufficient_funds' }
  await pay(running, pair.counterparty.key, id, { body })
  const failed = () =>
    database.row<{ id: string }>(sql`
      update payments set updated_at = clock_timestamp() - ${minutesAgo} * interval '1 minute'
      where payer_id = ${pair.counterparty.uuid} and failure_code is not null returning id`)
  await until('it has failed', async () => {
    const row = await failed()
    return row !== undefined
  })
  return (await failed())!.id
}

const tellOf = (subject: { subject_id: string; organization_id: string }): Promise<number> =>
  database.run(sql`
    insert into notices (id, organization_id, kind, subject_id, status, attempts, created_at, seal)
    values (gen_random_uuid(), ${subject.organization_id}, 'payment_failed',
      ${subject.subject_id}, 'skipped', 0, now(), '')`)

test('causes are found in their order, part by part, and those that were told of are left', async () => {
  const ids = [await aFailedPayment(30), await aFailedPayment(20), await aFailedPayment(0)]
  const find = (since: string) =>
    untoldSubjects(database, 'payment_failed', { since, limit: 10, window: 4, failed: [] })
  const ofFirst = await find('-infinity')
  const found = new Set(ofFirst.subjects.map(({ subject_id }) => subject_id))
  assert.deepEqual(found, new Set([ids[0], ids[1]]), 'both parties of the first two')
  for (const subject of ofFirst.subjects) await tellOf(subject)
  const told = await find(ofFirst.since)
  assert.deepEqual(told.subjects, [])
  const last = await find(told.since)
  assert.deepEqual(new Set(last.subjects.map(({ subject_id }) => subject_id)), new Set([ids[2]]))

  // One that was told of stays within reach for a minute, since another one may commit later.
  for (const subject of last.subjects) await tellOf(subject)
  const { since, subjects } = await find(last.since)
  assert.deepEqual(subjects, [])
  const behindMs = Date.now() - Date.parse(since)
  assert(behindMs >= 60_000 && behindMs < 90_000, since)
})

test('decision 0285: a cause that cannot be told holds up none behind it', async () => {
  const ids = [await aFailedPayment(50), await aFailedPayment(45), await aFailedPayment(40)]
  const find = (since: string, failed: readonly string[]) =>
    untoldSubjects(database, 'payment_failed', { since, limit: 10, window: 4, failed })
  const first = await find(new Date(Date.now() - 55 * 60_000).toISOString(), [])
  for (const subject of first.subjects) if (subject.subject_id === ids[1]) await tellOf(subject)
  const held = await find(first.since, [])
  const found = new Set(held.subjects.map(({ subject_id }) => subject_id))
  assert.deepEqual(found, new Set([ids[0]]), 'what has not failed is not passed over')
  const passed = await find(held.since, [ids[0]!])
  const next = await find(passed.since, [ids[0]!])
  assert(next.subjects.some(({ subject_id }) => subject_id === ids[2]))
})

test('decision 0285: after the clock has gone back, all is looked at again', async () => {
  const id = await aFailedPayment(1)
  const ahead = new Date(Date.now() + 3_600_000).toISOString()
  const range = { since: ahead, limit: 100, window: 100, failed: [] }
  const { since } = await untoldSubjects(database, 'payment_failed', range)
  const again = await untoldSubjects(database, 'payment_failed', { ...range, since })
  assert(again.subjects.some(({ subject_id }) => subject_id === id))
})

const timesTold = async (id: string): Promise<number> => {
  const told = await database.rows(sql`select from notices where subject_id = ${id}`)
  return told.length
}

test('decision 0285: a cause whose rows cannot be believed holds up none', async (t) => {
  t.mock.property(limits, 'noticeCausesPerRound', 3 as never)
  const [broken, behind] = [await aFailedPayment(1_400), await aFailedPayment(1_300)]
  await database.run(sql`
    update memberships set seal = '' where organization_id =
      (select payer_id from payments where id = ${broken})`)
  const telling: Context = { ...running.service.context, mailer: {} as never }
  await until('both parties are told of the next one', async () => {
    await findNotices.run(telling)
    return (await timesTold(behind)) === 2
  })
  assert.equal(await timesTold(broken), 1, 'the other party')
})

test('decision 0285: a cause that could not be told in a busy moment is told later', async () => {
  const id = await aFailedPayment(30)
  const { context } = running.service
  let isBusy = true
  const transaction: Context['database']['transaction'] = (work) =>
    context.database.transaction(async (tx) => {
      if (isBusy) await tx.script(`do $$ begin raise using errcode = 'lock_not_available'; end $$`)
      return work(tx)
    })
  const telling: Context = {
    ...context,
    database: { ...context.database, transaction },
    mailer: {} as never,
  }
  for (const _ of [1, 2]) await findNotices.run(telling)
  isBusy = false
  await until('it is told', async () => {
    await findNotices.run(telling)
    return (await timesTold(id)) > 0
  })
})
