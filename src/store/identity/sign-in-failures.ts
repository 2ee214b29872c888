/** Failed sign-ins that count. What is stored is the same for addresses of nobody. */
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { updateRows } from '../../database/table-writes.ts'

export type SignInFailures = Rows['sign_in_failures']

/** Creates rows that do not exist yet; locks all, in the same order for everybody. */
export const lockSignInFailures = (
  tx: Queryable,
  hashes: readonly Buffer[],
): Promise<SignInFailures[]> =>
  tx.rows<SignInFailures>(sql`
    insert into sign_in_failures as t (hash, forgotten_at)
    select u.hash, pg_catalog.clock_timestamp()
    from unnest(${columnArray('bytea', hashes)}::bytea[]) u (hash)
    order by u.hash
    on conflict (hash) do update set forgotten_at = t.forgotten_at
    returning t.hash, t.forgotten_at, t.refused_until, t.known_until`)

export const signInFailuresOf = (
  db: Queryable,
  hash: Buffer,
): Promise<SignInFailures | undefined> =>
  db.row<SignInFailures>(sql`
    select hash, forgotten_at, refused_until, known_until from sign_in_failures
    where hash = ${hash}`)

/** The caller has locked the rows. */
export const setSignInFailures = (
  tx: Queryable,
  rows: readonly SignInFailures[],
): Promise<number> =>
  updateRows(tx, 'sign_in_failures', {
    key: ['hash'],
    set: ['forgotten_at', 'refused_until', 'known_until'],
    rows,
  })

export const purgeSignInFailures = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sign_in_failures where hash in
      (select hash from sign_in_failures
       where greatest(forgotten_at, known_until) < pg_catalog.clock_timestamp() limit ${limit}
       for update skip locked)`)
