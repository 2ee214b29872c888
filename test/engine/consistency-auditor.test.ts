/** The auditor of the races and faults is itself tried: it must notice what is planted here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SqlQuery, inTransaction, sql } from '../../src/database/sql.ts'
import { findViolations } from '../support/database/consistency-auditor.ts'
import { aDraft, aPair, anInvoice, callApi, move, startTestService } from '../support/service.ts'

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

/** Reliability 3.5: what a broken service would leave behind, and the words that tell of it. */
const corruptions: [string, SqlQuery, RegExp][] = [
  [
    'an acknowledged document is gone',
    sql`delete from documents where id = ${first}`,
    /which is not there/,
  ],
  [
    'a number is skipped',
    sql`update document_views set number = 'INV-000099' where number = 'INV-000002'`,
    /numbers INV/,
  ],
  [
    'a number is counted and not used',
    sql`update organization_counters set numbers = numbers || '{"INV": 99}'`,
    /numbers INV/,
  ],
  ['an event is lost', sql`delete from events where feed = 3`, /feed of/],
  ['a position is skipped', sql`update events set feed = feed + 1000 where feed > 4`, /feed of/],
  [
    'an event is told twice',
    sql`update events set sequence = 1 where sequence = 2`,
    /sequence of event/,
  ],
  [
    'the event of one side is shown to the other',
    sql`update events e set payload = replace(payload, '"received"', '"issued"')
        where payload like '%"received"%'`,
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
    /head of the history|kept answer/,
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
    sql`update prov_event set header = replace(header, '"seq":1', '"seq": 1')
    where document_id = ${first} and seq = 1`,
    /history 1 of/,
  ],
  [
    'a history has a stranger’s event',
    sql`update prov_event set mac = sha256(mac) where document_id = ${first} and seq = 2`,
    /history 2 of/,
  ],
  [
    'an event is neither in the log nor on its way',
    sql`with waiting as (delete from log_queue where document_id = ${first})
    delete from log_leaf where document_id = ${first}`,
    /in the log or on its way there/,
  ],
  [
    'an effect without its document',
    sql`update idempotency set resource_id = 'doc_01kbm9s346q3d25vt4f5v37e3s'
    where resource_id like 'doc%'`,
    /kept answer about/,
  ],
]

test('a database that nobody spoilt has no problems', async () => {
  assert.deepEqual(await findViolations(database, macKey), [])
})

for (const [plant, query, words] of corruptions) {
  test(`planted: ${plant}`, async () => {
    class Enough extends Error {}
    let problems: string[] = []
    const work = inTransaction(database, async (tx) => {
      await tx.run(sql`set local session_replication_role = replica`)
      assert((await tx.run(query)) > 0, 'something was planted')
      problems = await findViolations(tx, macKey)
      throw new Enough()
    })
    await assert.rejects(work, Enough)
    assert.match(problems.join('\n'), words)
  })
}
