/** Sessions and one-time links at rest: never a token, only its SHA-256. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type SessionRow = Rows['sessions']

export const insertSession = (db: Queryable, row: SessionRow): Promise<number> =>
  db.run(sql`
    insert into sessions (id, user_id, organization_id, mode, hash, created_at, expires_at)
    values (${row.id}, ${row.user_id}, ${row.organization_id}, ${row.mode}, ${row.hash},
      ${row.created_at}, ${row.expires_at})`)

export const sessionById = async (db: Queryable, id: string): Promise<SessionRow | undefined> =>
  (await db.rows<SessionRow>(sql`select * from sessions where id = ${id}`))[0]

/** 0 rows: it had ended already. */
export const setSessionRevoked = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`
    update sessions set revoked_at = clock_timestamp()
    where id = ${id} and revoked_at is null and expires_at > clock_timestamp()`)

export const insertSignInLink = (
  db: Queryable,
  link: { hash: Buffer; user_id: string; expires_at: string },
): Promise<number> =>
  db.run(sql`
    insert into sign_in_links (hash, user_id, expires_at)
    values (${link.hash}, ${link.user_id}, ${link.expires_at})`)

/** The user whose link this was; undefined when it is unknown, used or expired. */
export const consumeSignInLink = async (db: Queryable, hash: Buffer): Promise<string | undefined> =>
  (
    await db.rows<{ user_id: string }>(sql`
      update sign_in_links set used_at = clock_timestamp()
      where hash = ${hash} and used_at is null and expires_at > clock_timestamp()
      returning user_id`)
  )[0]?.user_id

/** Nobody can tell an ended session, or link, from one that never was. */
export const purgeSessions = (db: Queryable, most: number): Promise<number> =>
  db.run(sql`
    delete from sessions where id in
      (select id from sessions where expires_at < clock_timestamp() limit ${most})`)

export const purgeSignInLinks = (db: Queryable, most: number): Promise<number> =>
  db.run(sql`
    delete from sign_in_links where hash in
      (select hash from sign_in_links where expires_at < clock_timestamp() limit ${most})`)
