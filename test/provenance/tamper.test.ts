/**
 * Provenance 2: whoever owns the database cannot change the record unseen. As superuser, past the
 * append-only triggers, every column of every table of provenance, of documents, document_views and
 * document_links is changed in turn, and every row deleted: history, lineage and export each answer
 * 500, never 200, and answer again as before once it is put back.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { linkDocuments } from '../support/documents/links.ts'
import { aPair, anInvoice, callApi, move, startTestService, until } from '../support/service.ts'

const sequencer = await startTestService()
const running = await sequencer.startAnother({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const { issuer, counterparty } = pair
const readPaths = ['history', 'lineage', 'export'] as const

const order = await anInvoice(running, pair)
const invoice = await anInvoice(running, pair, {
  references: [{ rel: 'bills', document_id: order.id }],
  external_refs: { issuer_ref: 'SO-1' },
  metadata: { internal: 'x' },
  payment_terms: 'Net 30',
})
await linkDocuments(running, { from: order.id, to: invoice.id, relation: 'superseded_by' })
const disputed = await move(running, counterparty.key, invoice.id, 'disputed', { note: 'Wrong' })
assert.equal(disputed.status, 200, disputed.text)
const id = decodeId('doc', invoice.id)!

const read = (what: string, key = issuer.key) =>
  callApi(running, 'GET', `/v1/documents/${invoice.id}/${what}`, { key })

await until('everything is in the log', async () => {
  const { body } = await read('history')
  return body.verification?.logged_through_seq === body.verification?.events
})
for (const key of [issuer.key, counterparty.key]) {
  for (const what of readPaths) assert.equal((await read(what, key)).status, 200)
}
// From now on nothing is written by the service: what changes, this file has changed.
await until('the log is at rest', async () => {
  const [row] = await database.rows<{ waiting: boolean }>(
    sql`select exists (select from log_queue) as waiting`,
  )
  return !row!.waiting
})
await sequencer.service.stop()

/** The rows of each table that say something about the invoice. */
const tamperTargets: Readonly<Record<string, string>> = {
  documents: `id = '${id}'`,
  document_views: `document_id = '${id}'`,
  prov_event: `document_id = '${id}'`,
  log_leaf: `document_id = '${id}'`,
  log_tile: `log_id = 'test'`,
  log_checkpoint: `log_id = 'test' and size = (select max(size) from log_checkpoint where log_id = 'test')`,
  log_key: `log_id = 'test'`,
  head_note: `document_id = '${id}'`,
  document_links: `from_id = '${id}'`,
}

/** Where the database accepts few values. */
const tamperedColumnValue: Readonly<Record<string, string>> = {
  'document_views.side': `case side when 'issuer' then 'counterparty' else 'issuer' end`,
  'documents.origin': `'app'`,
  'documents.terms_form': `'date'`,
  'log_leaf.log_id': `'live'`,
}

/** A value that the column does not have now, by its type. */
const tamperedValue: Readonly<Record<string, (column: string) => string>> = {
  uuid: () => `gen_random_uuid()`,
  text: (column) => `coalesce(${column}, '') || '1'`,
  integer: (column) => `coalesce(${column}, 0) + 1000`,
  bigint: (column) => `coalesce(${column}, 0) + 1000`,
  boolean: (column) => `not ${column}`,
  bytea: (column) => `set_byte(${column}, 0, get_byte(${column}, 0) # 1)`,
  date: (column) => `coalesce(${column}, date '2026-01-01') + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 second'`,
}

/** Columns that stand for nothing that a reader is told. */
const untestedColumns: Readonly<Record<string, string>> = {
  'head_note.document_id': 'the note is made again, the same bytes',
}

interface Column {
  table_name: string
  column_name: string
  data_type: string
}

const columns = await database.rows<Column>(sql`
  select table_name, column_name, data_type from information_schema.columns
  where table_schema = 'public' and table_name = any(${Object.keys(tamperTargets)}::text[])
    and is_generated = 'NEVER'
  order by table_name, ordinal_position`)

const asSuperuser = (statement: string) =>
  database.script(`set session_replication_role = replica; ${statement};
    set session_replication_role = default`)

/** Does it, looks, and puts every row of the table back. */
const withTampering = async (table: string, change: string, look: () => Promise<void>) => {
  await asSuperuser(`create temp table kept as select * from ${table}`)
  const names = columnsOf(table).join(', ')
  try {
    await asSuperuser(change)
    await look()
  } finally {
    await asSuperuser(`delete from ${table};
      insert into ${table} (${names}) select ${names} from kept; drop table kept;
      update documents set integrity_hold = false where integrity_hold`)
  }
}

const columnsOf = (table: string): string[] =>
  columns.filter((one) => one.table_name === table).map((one) => one.column_name)

/** All reads at once: an export of a log that does not move waits for some seconds. */
const assertWithheld = async (what: string): Promise<void> => {
  const sides = Object.entries({ issuer: issuer.key, counterparty: counterparty.key })
  const requests = sides.flatMap(([side, key]) => readPaths.map((name) => ({ side, key, name })))
  await Promise.all(
    requests.map(async ({ side, key, name }) => {
      const reply = await read(name, key)
      const seen = `${what}: ${name} of the ${side}: ${reply.text.slice(0, 300)}`
      assert.equal(reply.status, 500, seen)
      assert.equal(reply.body.error.code, 'integrity_failure')
      assert.equal(reply.body.error.details.document_id, invoice.id)
    }),
  )
}

describe('provenance 5.3: a changed column is found by history, lineage and export', () => {
  for (const { table_name: table, column_name: column, data_type: type } of columns) {
    const name = `${table}.${column}`
    if (name in untestedColumns) continue
    test(name, async () => {
      const value = tamperedColumnValue[name] ?? tamperedValue[type]!(column)
      await withTampering(
        table,
        `update ${table} set ${column} = ${value} where ${tamperTargets[table]!}`,
        () =>
          assertWithheld(
            `${name} (${type}) is not verified: tell it in an event, or name it in guardedColumns`,
          ),
      )
    })
  }
})

describe('provenance 5.3: a deleted row is found, each alone and all of them', () => {
  for (const table of Object.keys(tamperTargets)) {
    if (table === 'head_note') continue
    test(table, async () => {
      const own = `from ${table} where ${tamperTargets[table]!}`
      const [found] = await database.rows<{ count: bigint }>(
        sql`select count(*) as count ${raw(own)}`,
      )
      const count = Number(found!.count)
      assert(count > 0, `the invoice has no row in ${table}`)
      const each = Array.from(
        { length: count },
        (_, i) => `delete from ${table} where ctid = (select ctid ${own} order by ctid offset ${i}
          limit 1)`,
      )
      for (const change of count === 1 ? each : [...each, `delete ${own}`]) {
        await withTampering(table, change, () => assertWithheld(`${change}: a row is missing`))
      }
    })
  }
})

test('provenance 3: a reference that goes by another name, one that histories tell alike', () =>
  withTampering(
    'document_links',
    `update document_links set rel = 'converts' where from_id = '${id}' and rel = 'bills'`,
    () => assertWithheld('rel'),
  ))

test('no time is kept more finely than it is shown: none can change unseen', async () => {
  const finer = await database.rows(sql`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and table_name <> 'migrations'
      and data_type = 'timestamp with time zone'
      and datetime_precision <> 3`)
  assert.deepEqual(finer, [])
})

test('a head note that is lost is made again: the same bytes', async () => {
  const before = await read('export')
  await withTampering('head_note', `delete from head_note`, async () => {
    const after = await read('export')
    assert.equal(after.status, 200)
    assert.equal(after.text, before.text)
  })
})

test('provenance 5.3: two events that trade their contents are found', () =>
  withTampering(
    'prov_event',
    `update prov_event a set shared_body = b.shared_body, shared_salt = b.shared_salt
     from prov_event b where a.document_id = '${id}' and b.document_id = a.document_id
       and a.seq + b.seq = 3`,
    () => assertWithheld('traded'),
  ))

test('provenance 2: a failure names the check and the event, alarms, and holds the document', async () => {
  const change = `update prov_event set shared_body = replace(shared_body, '1080', '1')
    where document_id = '${id}' and seq = 2`
  await withTampering('prov_event', change, async () => {
    const { body } = await read('history')
    const { failures, last_verified_seq: last, incident_id: incident } = body.error.details
    assert.deepEqual(failures, [{ check: 'COMMITMENT', seq: 2, slot: 'shared' }])
    assert.equal(last, 1)
    assert.match(incident, /^inc_/)
    assert(
      running.logLines.some(
        (line) => line.includes(incident) && line.includes('integrity_failure'),
      ),
    )
    assert.match(
      running.service.context.metrics.text(),
      /docex_integrity_failures_total\{check="COMMITMENT"\}/,
    )
    const write = await move(running, counterparty.key, invoice.id, 'acknowledged')
    assert.equal(write.status, 409)
    assert.equal(write.body.error.details.reason, 'integrity_hold')
  })
})

test('provenance 2: a stranger learns nothing of it: 404 as ever', async () => {
  const stranger = await aPair(running)
  await withTampering(
    'documents',
    `update documents set total = total + 1 where id = '${id}'`,
    async () => {
      for (const what of readPaths)
        assert.equal((await read(what, stranger.issuer.key)).status, 404)
      const [row] = await database.rows<{ held: boolean }>(
        sql`select integrity_hold as held from documents where id = ${id}`,
      )
      assert.equal(row!.held, false)
    },
  )
})

test('and at last, everything as it was: 200', async () => {
  for (const what of readPaths) assert.equal((await read(what)).status, 200)
})
