/** One-time sign-in links. Only a MAC of a token is stored. */
import { columnArray } from '../../database/binary-arrays.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'

export const insertSignInLink = (
  db: Queryable,
  link: { hash: Buffer; user_id: string; expires_at: string },
): Promise<number> => insertRows(db, 'sign_in_links', [{ ...link, used_at: null }])

/** Consumes the link with one of these MACs; returns its user unless it is used or expired. */
export const consumeSignInLink = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<string | undefined> => {
  const now = await databaseNow(db)
  const isNamed = sql`t.hash = any(${columnArray('bytea', hashes)})`
  const isOpen = sql`${isNamed} and t.used_at is null and t.expires_at > ${now}`
  const [link] = await changeSealedRows(db, 'sign_in_links', isOpen, () => ({ used_at: now }))
  return link?.user_id
}

export const purgeSignInLinks = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sign_in_links where hash in
      (select hash from sign_in_links where expires_at < clock_timestamp() limit ${limit})`)
