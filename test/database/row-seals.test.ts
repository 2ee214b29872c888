/** The seals of rows: what they cover, and that PostgreSQL prints it as the service does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type SealedTable,
  openRowSeals,
  sealedColumns,
  unsealedColumns,
} from '../../src/database/row-seals.ts'
import { columns } from '../../src/database/columns.ts'
import { emptyIfNull, packColumns } from '../../src/database/packed-columns.ts'
import type { Rows } from '../../src/database/rows.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { selectList } from '../../src/database/table-writes.ts'
import { anInvoice, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
await anInvoice(running, await aPair(running))
const { database } = running
const { seals } = running.service.context
const tables = Object.keys(unsealedColumns) as SealedTable[]

test('every column is sealed, or named with the reason why not', async () => {
  for (const table of tables) {
    const columns = await database.rows<{ column_name: string }>(sql`
      select column_name from information_schema.columns
      where table_schema = 'public' and table_name = ${table}`)
    assert.deepEqual(
      columns.map(({ column_name }) => column_name).toSorted(),
      [...sealedColumns[table], ...Object.keys(unsealedColumns[table]), 'seal'].toSorted(),
    )
  }
})

test('a seal covers what PostgreSQL prints, so a packed row is checked as it is', async () => {
  for (const table of tables) {
    const types: Readonly<Record<string, string>> = columns[table]
    const packed = sealedColumns[table].map((name) =>
      types[name]!.endsWith('?') ? emptyIfNull(name) : name,
    )
    const rows = await database.rows<{ packed: string; seal: Buffer }>(sql`
      select ${packColumns(packed)}, seal from ${raw(table)}`)
    assert(rows.length > 0, `there is a row in ${table}`)
    for (const row of rows) assert(seals.holdsPrinted(table, row.packed, row.seal), row.packed)
  }
})

test('a seal holds for its own row, key and table alone', async () => {
  const [row] = await database.rows<Rows['documents']>(sql`
    select ${selectList('documents', 'd')} from documents d limit 1`)
  assert(seals.holds('documents', row!))
  assert(!openRowSeals(Buffer.alloc(32)).holds('documents', row!))
  assert(!seals.holds('documents', { ...row!, seal: row!.seal.subarray(0, 15) }))
  assert(!seals.holds('documents', { ...row!, seal: Buffer.alloc(0) }))
  for (const name of sealedColumns.documents) {
    const value = row![name as keyof typeof row]
    assert(!seals.holds('documents', { ...row!, [name]: otherThan(value) }), name)
  }
})

test('a value with the separator of the columns is never sealed', async () => {
  const [row] = await database.rows<Rows['documents']>(sql`
    select ${selectList('documents', 'd')} from documents d limit 1`)
  assert.throws(() => seals.seal('documents', { ...row!, dispute: 'a\u001fb' }), /separator/)
})

const otherThan = (value: Rows['documents'][keyof Rows['documents']]): unknown => {
  if (Buffer.isBuffer(value)) return Buffer.concat([value, value])
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return `9${value.slice(1)}`
  return value === null ? '9' : `${String(value)}9`
}
