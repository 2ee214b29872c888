/** Sessions. Only a MAC of a token is stored. */
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'

export type SessionRow = Rows['sessions']

export const insertSession = (db: Queryable, row: SessionRow): Promise<number> =>
  insertRows(db, 'sessions', [row])

export const sessionById = (db: Queryable, id: string): Promise<SessionRow | undefined> =>
  sealedRow(db, 'sessions', sql`where id = ${id}`)

/** Returns whether the session had not ended before. */
export const setSessionRevoked = async (
  db: Queryable,
  id: string,
  at: string,
): Promise<boolean> => {
  const isOpen = sql`t.id = ${id} and t.revoked_at is null and t.expires_at > ${at}`
  const revoked = await changeSealedRows(db, 'sessions', isOpen, () => ({ revoked_at: at }))
  return revoked.length > 0
}

/** Callers cannot distinguish an ended session from one that never existed, so none is kept. */
export const purgeSessions = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sessions where id in
      (select id from sessions where expires_at < clock_timestamp() limit ${limit})`)
