/** Statements that were sent behind one that fails. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Connection, databaseError, sql } from '../../src/database/sql.ts'
import { testDatabase } from '../support/database/postgres.ts'

const { url } = await testDatabase()
const connection = await Connection.open(url, 'docex test')
after(() => connection.close())

test('every statement of a failed transaction reports what went wrong first', async () => {
  for (const [statement, code] of [
    [sql`select 1 / 0`, '22012'],
    [sql`select missing`, '42703'],
  ] as const) {
    await connection.run(sql`begin`)
    const results = await Promise.allSettled([
      connection.run(statement),
      connection.run(sql`select 1`),
      connection.run(sql`select 2`),
    ])
    await connection.run(sql`rollback`)
    assert.deepEqual(
      results.map((result) => result.status === 'rejected' && databaseError(result.reason)?.code),
      [code, code, code],
    )
    assert.equal(await connection.run(sql`select 1`), 1)
  }
})
