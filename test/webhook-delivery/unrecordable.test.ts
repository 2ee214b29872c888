/** A row that somebody has changed by hand holds up nobody else's; a lock is waited for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../support/webhooks/receiver.ts'

const running = await startTestService(localReceiverSettings)
const { database } = running

for (const [change, attempts] of [
  ['set back to its first attempt', 0],
  ['said to have all attempts that can be counted', 2_147_483_647],
] as const) {
  test(`a delivery whose row is ${change}`, async () => {
    const [first, second] = [await startReceiver(), await startReceiver()]
    const [changed, other] = [await aPair(running), await aPair(running)]
    await subscribe(running, changed.issuer, first.url)
    await subscribe(running, other.issuer, second.url)
    await aDraft(running, changed)
    const ofChanged = sql`(select id from webhook_endpoints where url = ${first.url})`
    const dueCount = async () =>
      (await database.row<{ due: number }>(sql`select count(*)::int as due from webhook_delivery
        where webhook_id = ${ofChanged} and due_at between now() - interval '1 day' and now()`))!
        .due
    await until('it is recorded', async () => {
      const recorded = await database.run(sql`
        update webhook_delivery set status = 'pending', attempt_count = ${attempts},
          due_at = now(), finished_at = null
        where webhook_id = ${ofChanged} and finished_at is not null`)
      return recorded === 1
    })
    await database.run(sql`
      update webhook_endpoints set next_due_at = now() where id = ${ofChanged}`)
    await until('it is sent once more', () => first.received.length === 2)
    await until('it is over, or has to wait', async () => (await dueCount()) === 0)
    await aDraft(running, other)
    await aDraft(running, changed)
    await until('the other organization has its event', () => second.received.length === 1)
    await until('so has this one', () => first.received.length === 3)
    assert.equal(new Set(first.received.map(({ event }) => event.id)).size, 2)
  })
}

test('an attempt whose endpoint is locked for long is recorded afterwards, and not made again', async (t) => {
  const receiver = await startReceiver()
  let answer = () => {}
  receiver.respond = (_, response) => void (answer = () => void response.end())
  const pair = await aPair(running)
  await subscribe(running, pair.issuer, receiver.url)
  await aDraft(running, pair)
  await until('the attempt is under way', () => receiver.received.length === 1)
  const ofEndpoint = sql`(select id from webhook_endpoints where url = ${receiver.url})`
  const holder = await openTestConnection(running.databaseUrl, 'an erasure')
  t.after(() => holder.destroy())
  await inTransaction(holder, async (tx) => {
    await tx.rows(sql`select 1 from webhook_endpoints where id = ${ofEndpoint} for no key update`)
    answer()
    await until('the worker has stopped waiting', () =>
      running.logLines.some((line) => /canceling statement due to lock timeout/.test(line)),
    )
  })
  await until('it is recorded', async () => {
    const rows = await database.rows<{ status: string; is_postponed: boolean }>(sql`
      select status, due_at > now() + interval '30 minutes' as is_postponed
      from webhook_delivery where webhook_id = ${ofEndpoint}`)
    assert.notEqual(rows[0]?.is_postponed, true)
    return rows[0]?.status === 'succeeded'
  })
  assert.equal(receiver.received.length, 1)
})
