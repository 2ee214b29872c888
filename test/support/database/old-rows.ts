/** Copies rows, and writes the copies back: what a hostile hand in the database can do. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { SealedTable } from '../../../src/database/row-seals.ts'
import type { Connection } from '../../../src/database/sql.ts'
import type { Reply } from '../api-client.ts'
import type { TestService } from '../test-service.ts'

/**
 * Keeps the rows `t` as they are now, with their seals; returns what puts them in the place of
 * those that are there then. The condition is SQL without values.
 */
export const copyRows = async (
  database: Connection,
  table: SealedTable,
  condition: string,
): Promise<(on?: Connection) => Promise<void>> => {
  const copy = `copy_${randomBytes(6).toString('hex')}`
  await database.script(`create table ${copy} as select * from ${table} t where ${condition}`)
  return (on = database) =>
    on.script(`set session_replication_role = replica;
      delete from ${table} t where ${condition};
      insert into ${table} select * from ${copy};
      set session_replication_role = default`)
}

export const idIs = (id: string): string => `t.id = '${id}'`

/** The refusal of a row that is not the last one, with an alarm that names its table. */
export const assertNoticed = (
  { logLines }: Pick<TestService, 'logLines'>,
  reply: Reply,
  table: SealedTable,
): void => {
  assert.deepEqual([reply.status, reply.body.error?.code], [500, 'integrity_failure'], reply.text)
  const alarm = logLines.findLast((line) => line.includes('"integrity_failure"'))
  assert.match(alarm ?? '', new RegExp(`${table} [^:]*: an old row has come back`))
}
