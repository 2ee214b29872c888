/** The seals of rows: what they cover, and that PostgreSQL prints it as the service does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerKeys } from '../../src/core/server-keys.ts'
import { columns } from '../../src/database/columns.ts'
import { packedRow, unpackRow } from '../../src/database/packed-rows.ts'
import {
  BrokenSeal,
  type Sealed,
  type SealedTable,
  isLaterColumn,
  openRowSeals,
  sealedColumns,
  separator,
  storedSealedColumns,
  textlessTables,
} from '../../src/database/row-seals.ts'
import type { Rows } from '../../src/database/rows.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { selectList } from '../../src/database/table-writes.ts'
import {
  type StoredEvent,
  type StoredResponseRow,
  provenEvent,
  provenResponse,
  storedEvent,
  storedResponse,
} from '../../src/store/documents/stored-texts.ts'
import { unsealedColumns, unsealedTables } from '../../src/database/unsealed-columns.ts'
import { fillEverySealedTable } from '../support/database/every-sealed-table.ts'
import { startTestService } from '../support/test-service.ts'
import { localReceiverSettings } from '../support/webhooks/receiver.ts'

const running = await startTestService(localReceiverSettings)
await fillEverySealedTable(running, 'http://127.0.0.1:1/')
const { database } = running
const { seals } = database
const tables = Object.keys(sealedColumns) as SealedTable[]

test('every column of the database is sealed, or named with the reason why not', async () => {
  const names = await database.rows<{ table_name: string; names: string[] }>(sql`
    select table_name, array_agg(column_name::text) as names
    from information_schema.columns
    join pg_class t on t.oid = format('public.%I', table_name)::regclass and not t.relispartition
    where table_schema = 'public' group by table_name`)
  for (const { table_name, names: all } of names) {
    if (table_name in unsealedTables) {
      assert(!all.includes('seal'), `${table_name} is sealed`)
      continue
    }
    const table = table_name as SealedTable
    assert(tables.includes(table), `${table} is neither sealed nor named`)
    const unsealed = Object.keys((unsealedColumns as Record<string, object>)[table] ?? {})
    assert.deepEqual(
      all.toSorted(),
      [...storedSealedColumns(table), ...unsealed, 'seal'].toSorted(),
    )
  }
})

for (const table of textlessTables) {
  test(`a seal of ${table} covers what PostgreSQL prints, so a packed row is checked as it is`, async () => {
    const rows = await database.rows<{ packed: string; values: string }>(sql`
      select ${packedRow(table, 't')} as packed from ${raw(table)} t where seal <> ''`)
    assert(rows.length > 0, `there is a row in ${table}`)
    for (const { packed } of rows) {
      const row = unpackRow(seals, table, packed)
      assert(seals.holds(table, row), packed)
    }
    const loaded = await database.rows<object>(sql`
      select ${selectList(table, 't')} from ${raw(table)} t where seal <> ''`)
    for (const row of loaded) assert(seals.holds(table, row))
  })
}

test('a value with a separator, which moves the others, is a broken seal in every table', async () => {
  for (const table of textlessTables) {
    const { packed } = (await database.row<{ packed: string }>(sql`
      select ${packedRow(table, 't')} as packed from ${raw(table)} t where seal <> '' limit 1`))!
    const values = packed.split(separator)
    for (let i = 1; i <= values.length; i += 1) {
      const moved = values.toSpliced(i, 0, 'x').join(separator)
      assert.throws(() => unpackRow(seals, table, moved), BrokenSeal, `${table} at ${i}`)
    }
  }
})

test('a seal of an event or a response covers the text that it stands for', async () => {
  const events = await database.rows<StoredEvent>(sql`
    select ${storedEvent} from events e join documents d on d.id = e.document_id`)
  for (const event of events) assert.match(provenEvent(seals, event).text, /^\{"id":"evt_/)
  const responses = await database.rows<StoredResponseRow>(sql`
    select ${storedResponse}
    from idempotency i left join documents d on d.id = i.document_id`)
  assert(events.length > 10 && responses.length > 10)
  for (const response of responses) assert(provenResponse(seals, response).isAsSealed)
})

const sealsUnder = (key: Buffer) => openRowSeals(ServerKeys.only(key))

const aDocument = async (): Promise<Sealed<Rows['documents']>> =>
  (await database.row(sql`select ${selectList('documents', 'd')} from documents d limit 1`))!

test('a seal holds for its own row, key and table alone', async () => {
  const row = await aDocument()
  const { seal } = row
  assert(seals.holds('documents', row))
  assert(!sealsUnder(Buffer.alloc(32)).holds('documents', row))
  for (const other of [seal.subarray(0, -1), Buffer.alloc(0), Buffer.of(2, ...seal.subarray(1))]) {
    assert(!seals.holds('documents', { ...row, seal: other }))
  }
  for (const name of sealedColumns.documents) {
    const value = row[name as keyof typeof row]
    assert(!seals.holds('documents', { ...row, [name]: otherThan(value) }), name)
  }
})

test('a row that an older key has sealed is still accepted, and sealed anew with the newest', async () => {
  const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const old = sealsUnder(older).seal('documents', await aDocument())
  const both = openRowSeals(
    new ServerKeys(
      new Map([
        [1, older],
        [2, newer],
      ]),
      2,
    ),
  )
  assert(both.holds('documents', old))
  const renewed = both.seal('documents', old)
  assert(both.holds('documents', renewed))
  assert(!sealsUnder(older).holds('documents', renewed))
  assert(!sealsUnder(newer).holds('documents', old))
})

test('decision 0117: a column that was added later is the last one, and follows no text', () => {
  const later = tables.flatMap((table) =>
    sealedColumns[table].flatMap((name, i) => (isLaterColumn(table, name) ? [{ table, i }] : [])),
  )
  assert(later.length > 0)
  for (const { table, i } of later) {
    assert.equal(i, sealedColumns[table].length - 1, table)
    const types = columns[table] as Readonly<Record<string, string>>
    // The mark of null has no separator either.
    const precedes = types[sealedColumns[table][i - 1]!]!.replace('?', '')
    assert(['bigint', 'integer', 'boolean', 'uuid', 'timestamptz'].includes(precedes), table)
  }
})

test('a value with the separator of the columns is never sealed', async () => {
  const row = await aDocument()
  assert.throws(() => seals.seal('documents', { ...row, dispute: 'a\u001fb' }), /separator/)
  const event = await database.row<Rows['events']>(sql`
    select ${selectList('events', 'e')} from events e limit 1`)
  for (const text of ['a\u001fb', ['a', '\u001fb'], ['a', 'b', 'c\u001f']]) {
    assert.throws(() => seals.seal('events', { ...event, text }), /separator/)
  }
})

test('a text in parts has the seal of the whole', async () => {
  const event = await database.row<Rows['events']>(sql`
    select ${selectList('events', 'e')} from events e limit 1`)
  const whole = seals.seal('events', { ...event, text: '{"a":"é","b":1}' })
  assert.deepEqual(
    seals.seal('events', { ...event, text: ['{"a":"é"', '', ',"b":1}'] }).seal,
    whole.seal,
  )
})

test('null and the empty text are not the same', async () => {
  const row = await aDocument()
  const sealed = seals.seal('documents', { ...row, dispute: null })
  assert(!seals.holds('documents', { ...sealed, dispute: '' }))
})

test('what is stored of a credential depends on the server key, and is no seal', () => {
  const [one, other] = [sealsUnder(Buffer.alloc(32, 1)), sealsUnder(Buffer.alloc(32, 2))]
  const mac = one.credentialMac('rk_live_example')
  assert.equal(mac.length, 33)
  assert.deepEqual(one.credentialMac('rk_live_example'), mac)
  assert.notDeepEqual(one.credentialMac('rk_live_examplf'), mac)
  assert.notDeepEqual(other.credentialMac('rk_live_example'), mac)
})

test('the columns of a table are those of the catalogue', () => {
  for (const table of tables) assert.equal(columns[table].seal, 'bytea')
})

const otherThan = (value: Rows['documents'][keyof Rows['documents']]): unknown => {
  if (Buffer.isBuffer(value)) return Buffer.concat([value, value])
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return `9${value.slice(1)}`
  return value === null ? '9' : `${String(value)}9`
}
