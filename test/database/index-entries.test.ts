/** What each write adds to the indexes of its tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/database/new-ids.ts'
import { sql } from '../../src/database/sql.ts'
import { unnest } from '../../src/database/table-writes.ts'
import { aPair } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)

const sizeOf = async (index: string): Promise<number> =>
  Number(
    (await database.row<{ size: bigint }>(sql`
    select pg_relation_size(${index}::regclass) as size`))!.size,
  )

test('new events are the last ones of their key, so its pages are full, whoever receives them', async () => {
  const organizations = Array.from({ length: 64 }, newId)
  const ids = Array.from({ length: 6_400 }, newId).toSorted()
  const rows = ids.map((id, i) => ({
    organization_id: organizations[i % organizations.length]!,
    feed: BigInt(i),
    id,
  }))
  const columns = { organization_id: 'uuid', feed: 'bigint', id: 'uuid' } as const
  for (let at = 0; at < rows.length; at += 64) {
    await database.run(sql`
      insert into events
        (organization_id, feed, id, document_id, sequence, type, created_at, revision, payload, seal)
      select u.organization_id, u.feed, u.id, u.id, 1, 'document.created', now(), 1, '', ''
      from ${unnest(rows.slice(at, at + 64), columns)}`)
  }
  const [first] = await database.rows<{ partition: string }>(sql`
    select tableoid::regclass::text as partition from events limit 1`)
  const bytesPerEvent = (await sizeOf(`${first!.partition}_pkey`)) / rows.length
  assert(bytesPerEvent < 60, `an event takes ${bytesPerEvent} bytes of its key`)
  await database.run(sql`delete from events where id >= ${rows[0]!.id}`)
})

test('a payment adds no entries to indexes in which nobody would look for it', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  assert.equal((await pay(running, pair.counterparty.key, id)).status, 200)
  const rows = await database.rows<{ index: string }>(sql`
    select indexrelid::regclass::text as index from pg_index
    where indrelid in ('ledger_tx'::regclass, 'ledger_entry'::regclass)`)
  const indexes = rows.map(({ index }) => index)
  assert.deepEqual(
    indexes.filter((index) => index.startsWith('ledger_entry')),
    ['ledger_entry_pkey'],
    'entries are read with their transaction',
  )
  const [ofReversed] = indexes.filter((index) => /reverse/.test(index))
  assert.equal(await sizeOf(ofReversed!), 8_192, 'an empty index: the payment reverses none')
})
