/** One-time sign-in links. Only a MAC of a token is stored. */
import { columnArray } from '../../database/binary-arrays.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import { checkRowOfUser, countUserChange, lockUser } from './access-versions.ts'

export const insertSignInLink = (
  db: Queryable,
  link: Omit<Rows['sign_in_links'], 'used_at'>,
): Promise<number> => insertRows(db, 'sign_in_links', [{ ...link, used_at: null }])

/**
 * Consumes the link with one of these MACs; returns its user unless it is used or expired. Whoever
 * writes back the row of before does not revive the link.
 */
export const consumeSignInLink = async (
  tx: Queryable,
  hashes: readonly Buffer[],
): Promise<string | undefined> => {
  const now = await databaseNow(tx)
  const isNamed = sql`t.hash = any(${columnArray('bytea', hashes)})`
  const isOpen = sql`${isNamed} and t.used_at is null and t.expires_at > ${now}`
  const found = await sealedRow(tx, 'sign_in_links', sql`where ${isOpen}`)
  if (found === undefined) return undefined
  const user = await lockUser(tx, found.user_id)
  // A later statement than the lock.
  const [link] = await changeSealedRows(tx, 'sign_in_links', isOpen, () => ({ used_at: now }))
  if (link === undefined) return undefined
  checkRowOfUser('sign_in_links', link, user)
  await countUserChange(tx, user)
  return user.id
}

/** The link with one of these MACs, unless it is used or expired. */
export const openSignInLink = (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<Rows['sign_in_links'] | undefined> =>
  sealedRow(
    db,
    'sign_in_links',
    sql`where t.hash = any(${columnArray('bytea', hashes)})
      and t.used_at is null and t.expires_at > pg_catalog.clock_timestamp()`,
  )

/** The caller has locked the user. */
export const deleteOpenLinks = (tx: Queryable, user: string): Promise<number> =>
  tx.run(sql`delete from sign_in_links where user_id = ${user} and used_at is null`)

export const purgeSignInLinks = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sign_in_links where hash in
      (select hash from sign_in_links where expires_at < pg_catalog.clock_timestamp() limit ${limit})`)
