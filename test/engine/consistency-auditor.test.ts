/** Tests the consistency auditor: it must find each corruption that is planted here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SqlQuery, sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { findViolations } from '../support/database/consistency-auditor.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aPair, anInvoice, move } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const macKey = running.service.context.keyring.history!
const { database } = running
for (let i = 0; i < 3; i += 1) {
  const { id } = await anInvoice(running, pair)
  await move(running, pair.counterparty.key, id, 'approved')
  const draft = await aDraft(running, pair)
  await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
    key: pair.issuer.key,
    body: { notes: 'edited' },
  })
}

const first = sql`(select id from documents where issued_at is not null order by id limit 1)`

/** Reliability 3.5: what a broken service would leave behind, and the violation it causes. */
const corruptions: [string, SqlQuery, RegExp][] = [
  [
    'an acknowledged document is gone',
    sql`delete from documents where id = ${first}`,
    /which does not exist/,
  ],
  [
    'a number is skipped',
    sql`update document_views set number = 'INV-000099' where number = 'INV-000002'`,
    /numbers INV/,
  ],
  [
    'a number is counted but not used',
    sql`update organization_counters set numbers = '{"INV": 99}'`,
    /numbers INV/,
  ],
  ['an event is lost', sql`delete from events where feed = 3`, /feed of/],
  ['a position is skipped', sql`update events set feed = feed + 1000 where feed > 4`, /feed of/],
  [
    'an event has the sequence of another',
    sql`update events set sequence = 1 where sequence = 2`,
    /sequence of event/,
  ],
  [
    'an event shows one side the projection of the other',
    sql`update events e set payload = other.payload from events other
        where other.document_id = e.document_id and other.sequence = e.sequence
          and other.organization_id <> e.organization_id`,
    /payload of event/,
  ],
  [
    'time runs backwards',
    sql`update events set created_at = created_at - interval '1 hour' where feed = 4`,
    /older than the one before|payload/,
  ],
  [
    'a list row is stale',
    sql`update document_views set status = 'draft' where document_id = ${first}`,
    /list row/,
  ],
  [
    'a list row is missing',
    sql`delete from document_views where document_id = ${first}`,
    /list row/,
  ],
  [
    'a draft is listed for its counterparty',
    sql`
    insert into document_views select d.counterparty_id, 999, d.id, 'counterparty', 'BILL-000999', d.type,
      d.status, d.connection_id, d.document_date, d.updated_at from documents d where d.status = 'draft' limit 1`,
    /list row without/,
  ],
  [
    'a change is lost',
    sql`update documents set revision = revision - 1 where id = ${first}`,
    /head of the history|stored response/,
  ],
  [
    'a change is counted twice',
    sql`update documents set revision = revision + 1 where id = ${first}`,
    /head of the history/,
  ],
  [
    'a history loses its tail',
    sql`delete from prov_event where (document_id, seq) =
    (select id, head_seq from documents where id = ${first})`,
    /head of the history/,
  ],
  [
    'a history is rewritten',
    sql`update prov_event set at = at + interval '1 millisecond'
    where document_id = ${first} and seq = 1`,
    /history \d of/,
  ],
  [
    'a history has an event that the service did not write',
    sql`update prov_event set mac = sha256(mac) where document_id = ${first} and seq = 2`,
    /history 2 of/,
  ],
  [
    'an event is neither queued nor in the log',
    sql`with waiting as (delete from log_queue where document_id = ${first})
    delete from log_leaf where document_id = ${first}`,
    /neither queued nor in the log/,
  ],
  [
    'a stored response names a missing document',
    sql`update idempotency set document_id = gen_random_uuid() where document_id is not null`,
    /stored response about/,
  ],
]

test('reliability 3.5: an intact database has no violations', async () => {
  assert.deepEqual(await findViolations(database, macKey), [])
})

for (const [corruption, query, expected] of corruptions) {
  test(`reliability 3.5: the auditor finds that ${corruption}`, async () => {
    class RollBack extends Error {}
    let violations: string[] = []
    const work = inTransaction(database, async (tx) => {
      await tx.run(sql`set local session_replication_role = replica`)
      assert((await tx.run(query)) > 0, 'the corruption changed something')
      violations = await findViolations(tx, macKey)
      throw new RollBack()
    })
    await assert.rejects(work, RollBack)
    assert.match(violations.join('\n'), expected)
  })
}
