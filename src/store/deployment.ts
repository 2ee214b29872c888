/** The deployment that uses this database: starts and practice organizations. */
import { type Queryable, sql } from '../database/sql.ts'
import type { Rows } from '../database/rows.ts'
import { changeSealedRows, sealedRow } from '../database/sealed-rows.ts'
import { insertRows } from '../database/table-writes.ts'

/** The id of the first start identifies the database and every copy of it. */
export const firstServiceStart = async (db: Queryable): Promise<string | undefined> =>
  (await db.row<{ id: string }>(sql`select id from service_starts order by at, id limit 1`))?.id

export const hasServiceStart = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.rows(sql`select 1 from service_starts where id = ${id}`)).length > 0

export const insertServiceStart = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`insert into service_starts (id) values (${id})`)

export type Practice = Omit<Rows['practice'], 'is_only'>

export const practiceOf = (db: Queryable): Promise<Practice | undefined> =>
  sealedRow(db, 'practice', sql``)

export const insertPractice = (db: Queryable, practice: Practice): Promise<number> =>
  insertRows(db, 'practice', [{ ...practice, is_only: true }])

/** Whether somebody owns a live organization other than those of the practice. */
export const hasOwnerOfItsOwn = async (db: Queryable): Promise<boolean> => {
  const practice = sql`select 1 from practice p
    where o.id in (p.live_organization_id, p.live_counterparty_id)`
  const owners = await db.rows(sql`
    select 1 from memberships m join organizations o on o.id = m.organization_id
    where m.role = 'owner' and o.mode = 'live' and not exists (${practice}) limit 1`)
  return owners.length > 0
}

export const setPracticeCredentialsLocation = (
  db: Queryable,
  location: string,
): Promise<Rows['practice'][]> =>
  changeSealedRows(db, 'practice', sql`true`, () => ({ credentials_location: location }))
