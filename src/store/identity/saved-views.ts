/** Views that people have saved, each for one organization. */
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows, sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import { countOf } from '../../database/counts.ts'

export type SavedViewRow = Rows['saved_views']

/** A person, while it acts for an organization. */
export interface ViewOwner {
  user: string
  organization: string
}

const isOwn = ({ user, organization }: ViewOwner) =>
  sql`t.user_id = ${user} and t.organization_id = ${organization}`

/** Newest first. */
export const savedViewsOf = (
  db: Queryable,
  owner: ViewOwner,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<SavedViewRow[]> => {
  const earlier = before === undefined ? sql`` : sql`and t.id < ${before}`
  const rest = sql`where ${isOwn(owner)} ${earlier} order by t.id desc limit ${limit}`
  return sealedRows(db, 'saved_views', rest)
}

export const savedViewById = (
  db: Queryable,
  owner: ViewOwner,
  id: string,
): Promise<SavedViewRow | undefined> =>
  sealedRow(db, 'saved_views', sql`where ${isOwn(owner)} and t.id = ${id}`)

/** Under the lock of the person, so that the count holds until the end of the transaction. */
export const countSavedViews = async (tx: Queryable, owner: ViewOwner): Promise<number> => {
  await tx.rows(sql`select 1 from users where id = ${owner.user} for no key update`)
  return countOf(tx, sql`select count(*) as count from saved_views t where ${isOwn(owner)}`)
}

export const insertSavedView = (tx: Queryable, row: SavedViewRow): Promise<number> =>
  insertRows(tx, 'saved_views', [row])

export const changeSavedView = (
  tx: Queryable,
  id: string,
  change: Pick<SavedViewRow, 'name' | 'query' | 'updated_at'>,
): Promise<SavedViewRow[]> => changeSealedRows(tx, 'saved_views', sql`t.id = ${id}`, () => change)

export const deleteSavedView = (tx: Queryable, id: string): Promise<number> =>
  tx.run(sql`delete from saved_views where id = ${id}`)
