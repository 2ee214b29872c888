/** Sign-ins elsewhere that browsers have begun: a MAC of each, which works once. */
import { columnArray } from '../../database/binary-arrays.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'

export const insertOidcAttempt = (
  tx: Queryable,
  attempt: { hash: Buffer; expires_at: string },
): Promise<number> => insertRows(tx, 'oidc_attempts', [attempt])

/** Whether the attempt went on; it does not any more. */
export const consumeOidcAttempt = async (
  tx: Queryable,
  hashes: readonly Buffer[],
): Promise<boolean> => {
  const taken = await tx.rows(sql`
    delete from oidc_attempts where hash = any(${columnArray('bytea', hashes)})
    returning expires_at > pg_catalog.clock_timestamp() as is_open`)
  return taken.some((row) => (row as { is_open: boolean }).is_open)
}

export const purgeOidcAttempts = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from oidc_attempts where hash in
      (select hash from oidc_attempts where expires_at < pg_catalog.clock_timestamp() limit ${limit})`)
