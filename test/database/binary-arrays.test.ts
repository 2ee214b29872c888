/** Column arrays as binary parameters: PostgreSQL reads the values that were written. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ColumnType, type ColumnValue, columnArray } from '../../src/database/binary-arrays.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const { url } = await testDatabase()
const connection = await openTestConnection(url, 'arrays')
after(() => connection.close())

const readBack = async (type: ColumnType, values: readonly ColumnValue[]) => {
  const texts = ['select x::text from unnest(', `::${type}[]) x`]
  const rows = await connection.rows<{ x: string | null }>({
    texts,
    values: [columnArray(type, values)],
  })
  return rows.map(({ x }) => x)
}

test('texts of any length and script, and null, are read back unchanged', async () => {
  const texts = ['', 'a', 'é', `${'x'.repeat(23)}😀`, 'z'.repeat(300_000), null]
  assert.deepEqual(await readBack('text', texts), texts)
})

test('instants keep their milliseconds, also before 2000 and before 1970', async () => {
  const instants = [
    '2026-11-21T01:02:03.456Z',
    '1999-12-31T23:59:59.999Z',
    '1969-07-20T20:17:40.001Z',
  ]
  assert.deepEqual(
    await readBack('timestamptz', instants),
    instants.map((text) => text.replace('T', ' ').replace('Z', '+00')),
  )
})

test('days and instants that come again among others keep their own value', async () => {
  const days = ['2026-12-01', '2026-12-31', '2026-12-01', '2026-12-01', null, '2026-12-31']
  assert.deepEqual(await readBack('date', days), days)
  const [first, second] = ['2026-12-01 00:00:00.001+00', '2026-12-01 00:00:00.002+00']
  const instants = [first, second, first, first, second]
  const sent = instants.map((text) => text.replace(' ', 'T').replace('+00', 'Z'))
  assert.deepEqual(await readBack('timestamptz', sent), instants)
})

test('dates, uuids, integers, booleans, bytes and jsonb are read back unchanged', async () => {
  assert.deepEqual(await readBack('date', ['1999-02-28', null]), ['1999-02-28', null])
  const uuid = '0192f0c4-7b1f-7abc-8def-0123456789ab'
  assert.deepEqual(await readBack('uuid', [uuid, null]), [uuid, null])
  assert.deepEqual(await readBack('bigint', [-5n, 2n ** 63n - 1n]), ['-5', '9223372036854775807'])
  assert.deepEqual(await readBack('integer', [-(2 ** 31), 7]), ['-2147483648', '7'])
  assert.deepEqual(await readBack('boolean', [true, null, false]), ['true', null, 'false'])
  assert.deepEqual(await readBack('bytea', [Buffer.from([0, 255])]), ['\\x00ff'])
  assert.deepEqual(await readBack('jsonb', ['{"a":"é"}']), ['{"a": "é"}'])
})
