/**
 * Provenance 2: the owner of the database cannot change the record unnoticed. As superuser, without
 * the append-only triggers, the tests change every column (without `LONG=1`, every third) and
 * delete every row of the provenance tables, documents, document_views and document_links. History,
 * lineage and export then return 500, and work again once the rows are restored.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compactText, contentMark, historyDictionary } from '../../src/core/compact-text.ts'
import { decodeId } from '../../src/core/ids.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { linkDocuments } from '../support/documents/links.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice, move } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { sharedBodies } from '../support/provenance/stored-history.ts'
import { otherValue } from '../support/provenance/other-values.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { until } from '../support/until.ts'

const sequencer = await startTestService()
const running = await sequencer.startAnother({ PROCESS_ROLE: 'api' })
const { database } = running
// The service notices a missing checkpoint by itself, too: rolled-back-database.test.ts.
running.service.context.isRolledBack = () => false
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

await until('every event is in the log', async () => {
  const { body } = await read('history')
  return body.verification?.logged_through_seq === body.verification?.events
})
for (const key of [issuer.key, counterparty.key]) {
  for (const what of readPaths) assert.equal((await read(what, key)).status, 200)
}
// From now on the service writes nothing, so every change comes from this file.
await until('the log queue is empty', async () => {
  const [row] = await database.rows<{ waiting: boolean }>(
    sql`select exists (select from log_queue) as waiting`,
  )
  return !row!.waiting
})
await sequencer.service.stop()

/** The rows of each table that concern the invoice. */
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

/** Changed values for columns that accept only certain values. */
const tamperedColumnValue: Readonly<Record<string, string>> = {
  'document_views.side': `case side when 'issuer' then 'counterparty' else 'issuer' end`,
  'documents.origin': `'app'`,
  'documents.terms_form': `'date'`,
  'log_leaf.log_id': `'live'`,
  'prov_event.finance_body': `'\\x00'`,
}

/** Columns that do not affect what a reader sees. */
const untestedColumns: Readonly<Record<string, string>> = {
  'document_links.issued_by': 'only says how many references a side has left',
  'head_note.document_id': 'the note is recreated with the same bytes',
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

const compactHistory = (body: string): Buffer =>
  compactText(body, { dictionary: historyDictionary })

const withTampering = (table: string, change: string, check: () => Promise<void>) =>
  whileTampered(database, table, change, check)

/** Reads concurrently, since an export waits some seconds for a log that does not advance. */
const assertWithheld = async (change: string): Promise<void> => {
  const sides = Object.entries({ issuer: issuer.key, counterparty: counterparty.key })
  const requests = sides.flatMap(([side, key]) => readPaths.map((name) => ({ side, key, name })))
  await Promise.all(
    requests.map(async ({ side, key, name }) => {
      const reply = await read(name, key)
      const message = `${change}: ${name} of the ${side}: ${reply.text.slice(0, 300)}`
      assert.equal(reply.status, 500, message)
      assert.equal(reply.body.error.code, 'integrity_failure')
      assert.equal(reply.body.error.details.document_id, invoice.id)
    }),
  )
}

describe('provenance 5.3: history, lineage and export detect a change of this column', () => {
  const stride = process.env['LONG'] === '1' ? 1 : 3
  const changed = columns.filter((_, i) => i % stride === 0)
  for (const { table_name: table, column_name: column, data_type: type } of changed) {
    const name = `${table}.${column}`
    if (name in untestedColumns) continue
    test(name, async () => {
      const value = tamperedColumnValue[name] ?? otherValue[type]!(column)
      await withTampering(
        table,
        `update ${table} set ${column} = ${value} where ${tamperTargets[table]!}`,
        () =>
          assertWithheld(
            `${name} (${type}) is not verified: record it in an event, or list it in authenticatedColumns`,
          ),
      )
    })
  }
})

describe('provenance 5.3: history, lineage and export detect a deletion of one or all rows of this table', () => {
  for (const table of Object.keys(tamperTargets)) {
    if (table === 'head_note') continue
    test(table, async () => {
      const own = `from ${table} where ${tamperTargets[table]!}`
      const [row] = await database.rows<{ count: bigint }>(
        sql`select count(*) as count ${raw(own)}`,
      )
      const count = Number(row!.count)
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

test('provenance 3: a change of a reference to a relation with the same history is detected', () =>
  withTampering(
    'document_links',
    `update document_links set rel = 'converts' where from_id = '${id}' and rel = 'bills'`,
    () => assertWithheld('rel'),
  ))

test('times are stored only as precisely as they are shown, so no change goes unnoticed', async () => {
  const tooPrecise = await database.rows(sql`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and table_name <> 'migrations'
      and data_type = 'timestamp with time zone'
      and datetime_precision <> 3`)
  assert.deepEqual(tooPrecise, [])
})

test('a lost head note is recreated with the same bytes', async () => {
  const before = await read('export')
  await withTampering('head_note', `delete from head_note`, async () => {
    const after = await read('export')
    assert.equal(after.status, 200)
    assert.equal(after.text, before.text)
  })
})

test('provenance 5.3: an exchange of the contents of two events is detected', () =>
  withTampering(
    'prov_event',
    `update prov_event a set shared_body = b.shared_body, salts = b.salts
     from prov_event b where a.document_id = '${id}' and b.document_id = a.document_id
       and a.seq + b.seq = 3`,
    () => assertWithheld('exchanged contents'),
  ))

const replaceBody = (stored: Buffer) =>
  `update prov_event set shared_body = '\\x${stored.toString('hex')}'
   where document_id = '${id}' and seq = 2`

for (const [rule, falsify] of [
  ['with a space', (body: string) => compactHistory(`${body} `)],
  ['of no dictionary', (body: string) => Buffer.concat([Buffer.of(255), Buffer.from(body)])],
  ['of no bytes', () => Buffer.alloc(0)],
  ['that is cut short', (body: string) => compactHistory(body).subarray(0, 99)],
  ['that shows a content', () => compactText(contentMark)],
] as const) {
  test(`provenance 2: a body ${rule} is not canonical`, async () => {
    const [body] = await sharedBodies(database, sql`e.document_id = ${id} and e.seq = 2`)
    await withTampering('prov_event', replaceBody(falsify(body!)), async () => {
      const { failures } = (await read('history')).body.error.details
      assert.deepEqual(failures, [{ check: 'CANONICAL', seq: 2, slot: 'shared' }])
    })
  })
}

test('provenance 2: a header that was stored otherwise does not have its hash', async () => {
  for (const change of [
    `at = at + interval '1 millisecond'`,
    `commitments = commitments || '\\x00'`,
    `commitments = substr(commitments, 1, 15)`,
  ]) {
    const statement = `update prov_event set ${change} where document_id = '${id}' and seq = 4`
    await withTampering('prov_event', statement, async () => {
      const { failures } = (await read('history')).body.error.details
      assert.deepEqual(failures, [{ check: 'CHAIN', seq: 4 }])
    })
  }
})

test('provenance 2: a failure names the check and the event, raises an alarm, and holds the document', async () => {
  const [body] = await sharedBodies(database, sql`e.document_id = ${id} and e.seq = 2`)
  const change = replaceBody(compactHistory(body!.replaceAll('1080', '1')))
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
      /docex_integrity_failures_total\{check="COMMITMENT"\} [1-9]/,
    )
    const write = await move(running, counterparty.key, invoice.id, 'acknowledged')
    assert.equal(write.status, 409)
    assert.equal(write.body.error.details.reason, 'integrity_hold')
  })
})

test('provenance 2: a stranger gets 404 also for a changed document', async () => {
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

test('with every row restored, all reads return 200', async () => {
  for (const what of readPaths) assert.equal((await read(what)).status, 200)
})
