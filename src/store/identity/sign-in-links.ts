/** One-time sign-in links. Only the SHA-256 of a token is stored. */
import { type Queryable, sql } from '../../database/sql.ts'

export const insertSignInLink = (
  db: Queryable,
  link: { hash: Buffer; user_id: string; expires_at: string },
): Promise<number> =>
  db.run(sql`
    insert into sign_in_links (hash, user_id, expires_at)
    values (${link.hash}, ${link.user_id}, ${link.expires_at})`)

/** Consumes the link and returns its user; undefined if it is unknown, used or expired. */
export const consumeSignInLink = async (db: Queryable, hash: Buffer): Promise<string | undefined> =>
  (
    await db.row<{ user_id: string }>(sql`
      update sign_in_links set used_at = clock_timestamp()
      where hash = ${hash} and used_at is null and expires_at > clock_timestamp()
      returning user_id`)
  )?.user_id

export const purgeSignInLinks = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sign_in_links where hash in
      (select hash from sign_in_links where expires_at < clock_timestamp() limit ${limit})`)
