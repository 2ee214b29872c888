/** Provenance 8: the auditor finds what was changed in any row, before somebody uses it (0208). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealAlarm } from '../../src/changes/provenance/integrity-failure.ts'
import type { Context } from '../../src/context.ts'
import { limits } from '../../src/contract/limits.ts'
import { type Queryable, type SqlQuery, sql } from '../../src/database/sql.ts'
import { auditProvenance } from '../../src/tasks/audit-provenance.ts'
import { auditRows } from '../../src/tasks/audit-rows.ts'
import type { Task } from '../../src/tasks/runner.ts'
import { callApi } from '../support/api-client.ts'
import { copyRows, idIs } from '../support/database/old-rows.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { decodeId } from '../../src/core/ids.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { attachmentsClient } from '../support/documents/attachments-client.ts'
import { alarmsOfRound } from '../support/provenance/audit-alarms.ts'
import { asSuperuser, whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database, logLines } = running
const { context } = running.service
const pair = await aPair(running)
const invoice = await anApprovedInvoice(running, pair)
assert.equal((await pay(running, pair.counterparty.key, invoice.id)).status, 200)
const { pathOf, upload } = attachmentsClient(running)
for (const side of [pair.issuer, pair.counterparty])
  assert.equal((await upload(pathOf(invoice), side.key)).status, 201)

const alarmsOf = (auditor: Task, by = { ...context }) => alarmsOfRound(running, auditor, by)

test('nobody is alarmed while every row is as it was sealed', async () => {
  assert.deepEqual(await alarmsOf(auditRows), [])
  assert.deepEqual(await alarmsOf(auditProvenance), [])
  assert.match(context.metrics.text(), /^docex_audited_rows_total [1-9]\d+$/m)
})

const ofParties = `organization_id in ('${pair.issuer.uuid}', '${pair.counterparty.uuid}')`
const byRows: readonly [table: string, statement: string, alarm: RegExp][] = [
  ['payments', 'update payments set amount = amount + 1', /payments [0-9a-f-]{36}: the seal/],
  [
    'payments',
    `update payments set settlement_reference = 'X'`,
    /payments [0-9a-f-]{36}: the seal/,
  ],
  ['attachments', `update attachments set filename = 'other.pdf'`, /attachments .*: the seal/],
  [
    'ledger_entry',
    `update ledger_entry set amount = amount + 1
     where tx_id in (select id from ledger_tx where kind = 'topup')`,
    /ledger_entry .*: not those of the transaction/,
  ],
  [
    'ledger_account',
    `update ledger_account set posted = posted + 1 where ${ofParties}`,
    /ledger_account .*: the seal/,
  ],
  [
    'ledger_tx',
    `delete from ledger_tx where kind = 'topup' and account_id in (
      select id from ledger_account where ${ofParties})`,
    /ledger_tx posting \d+ of [0-9a-f-]{36}: the row is gone/,
  ],
]

for (const [table, statement, alarm] of byRows) {
  test(`the auditor of rows finds: ${statement.replaceAll(/\s+/g, ' ')}`, async () => {
    await whileTampered(database, table, statement, async () => {
      assert.match((await alarmsOf(auditRows)).join('\n'), alarm)
    })
    assert.deepEqual(await alarmsOf(auditRows), [])
  })
}

test('a payment of which the row is gone puts its document on hold', async () => {
  await whileTampered(database, 'payments', 'delete from payments', async () => {
    const [alarm = '', ...others] = await alarmsOf(auditProvenance)
    assert.match(alarm, /LEDGER: a payment is missing/)
    assert.match(alarm, new RegExp(invoice.id))
    assert.deepEqual(others, [])
  })
})

test('the auditor finds an organization that was written back with its key and its counters', async () => {
  const own = await startTestService({ PROCESS_ROLE: 'api' })
  const { issuer, ...others } = await aPair(own)
  const key = decodeId('key', issuer.keyId)!
  const rows = {
    keys: idIs(key),
    organizations: idIs(issuer.uuid),
    organization_counters: `t.organization_id = '${issuer.uuid}'`,
  } as const
  const writeBack: (() => Promise<void>)[] = []
  for (const [table, condition] of Object.entries(rows))
    writeBack.push(await copyRows(own.database, table as keyof typeof rows, condition))
  const path = `/v1/keys/${issuer.keyId}/revoke`
  const revoked = await callApi(own, 'POST', path, { key: issuer.session })
  assert.equal(revoked.status, 200, revoked.text)
  await anInvoice(own, { issuer: { ...issuer, key: issuer.session }, ...others })
  for (const table of writeBack) await table()
  assert.equal((await callApi(own, 'GET', '/v1/me', { key: issuer.key })).status, 200)
  const [alarm = '', ...more] = await alarmsOfRound(own, auditRows, { ...own.service.context })
  assert.match(alarm, new RegExp(`organization_counters ${issuer.uuid}: an old row has come back`))
  assert.deepEqual(more, [])
})

test('an alarm is not raised again in each round, while the row stays as it is', async () => {
  const statement = 'update payments set amount = amount + 1'
  await whileTampered(database, 'payments', statement, async () => {
    const rounds = { ...context }
    for (const alarms of [1, 0, 0]) assert.equal((await alarmsOf(auditRows, rounds)).length, alarms)
  })
})

const falseFiles = (count: number): string =>
  `insert into pending_files (id, created_at, seal)
   select gen_random_uuid(), now(), 'false' from generate_series(1, ${count})`

test('beyond 1,000 false rows of a table, the others have one alarm an hour', async (t) => {
  const { auditRowAlarmsMax: named, auditRowAlarmAgainMs: hourMs } = limits
  const { now } = performance
  t.after(() => (performance.now = now))
  await whileTampered(database, 'pending_files', falseFiles(named + 25), async () => {
    const rounds = { ...context }
    const assertAlarmsOnce = async (others: number) => {
      const alarms = await alarmsOf(auditRows, rounds)
      assert.equal(alarms.length, named + 1)
      assert.match(alarms.at(-1)!, new RegExp(`GUARD: pending_files: ${others} more false rows`))
      assert.deepEqual(await alarmsOf(auditRows, rounds), [])
    }
    await assertAlarmsOnce(25)
    await asSuperuser(database, falseFiles(5))
    assert.deepEqual(await alarmsOf(auditRows, rounds), [])
    performance.now = () => now.call(performance) + hourMs
    await assertAlarmsOnce(30)
  })
})

test('many false rows of one table do not hide the row of another', async () => {
  const payments = 'update payments set amount = amount + 1'
  const files = falseFiles(limits.auditRowAlarmsMax + 1)
  await whileTampered(database, 'pending_files', files, async () => {
    const rounds = { ...context }
    await alarmsOf(auditRows, rounds)
    await whileTampered(database, 'payments', payments, async () => {
      const [alarm, ...others] = await alarmsOf(auditRows, rounds)
      assert.match(alarm!, /payments [0-9a-f-]{36}: the seal/)
      assert.deepEqual(others, [])
    })
  })
})

test('a table that cannot be read is said to be, and keeps no other from its turn', async () => {
  const [row] = await context.database.background.rows<{ role: string }>(
    sql`select current_user::text as role`,
  )
  await asSuperuser(database, `revoke select on approvals from ${row!.role}`)
  await whileTampered(database, 'payments', 'update payments set amount = amount + 1', async () => {
    const before = logLines.length
    assert.equal((await alarmsOf(auditRows)).length, 1)
    assert.equal(logLines.slice(before).filter((line) => /rows_not_audited/.test(line)).length, 1)
  })
  await asSuperuser(database, `grant select on approvals to ${row!.role}`)
})

test('nobody is alarmed by a file that a process of before has stored, without a seal', async () => {
  const stored = `insert into pending_files (id, created_at) values (gen_random_uuid(), now())`
  await whileTampered(database, 'pending_files', stored, async () => {
    assert.deepEqual(await alarmsOf(auditRows), [])
  })
})

test('rows under a server key of which the process has not heard yet raise no alarm', async () => {
  const { background } = context.database
  let hasHeard = false
  const renew = async () => !hasHeard && (hasHeard = true)
  const holds: Queryable['seals']['holds'] = (...row) => hasHeard && background.seals.holds(...row)
  const seals = { ...background.seals, holds }
  const db = { seals, rows: (query: SqlQuery) => background.rows(query) }
  const slept: Context = {
    ...context,
    database: { ...context.database, background: db as typeof background },
    keyring: { ...context.keyring, renew },
    refuseBrokenSeal: (error) => sealAlarm(slept, error),
  }
  assert.deepEqual(await alarmsOf(auditRows, slept), [])
  assert(hasHeard, 'the auditor asked for newer keys')
})
