/** Sessions. Only the SHA-256 of a token is stored. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type SessionRow = Rows['sessions']

export const insertSession = (db: Queryable, row: SessionRow): Promise<number> =>
  db.run(sql`
    insert into sessions (id, user_id, organization_id, mode, hash, created_at, expires_at)
    values (${row.id}, ${row.user_id}, ${row.organization_id}, ${row.mode}, ${row.hash},
      ${row.created_at}, ${row.expires_at})`)

export const sessionById = (db: Queryable, id: string): Promise<SessionRow | undefined> =>
  db.row(sql`select * from sessions where id = ${id}`)

/** Updates 0 rows if the session has already ended. */
export const setSessionRevoked = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`
    update sessions set revoked_at = clock_timestamp()
    where id = ${id} and revoked_at is null and expires_at > clock_timestamp()`)

/** Callers cannot distinguish an ended session from one that never existed, so none is kept. */
export const purgeSessions = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sessions where id in
      (select id from sessions where expires_at < clock_timestamp() limit ${limit})`)
