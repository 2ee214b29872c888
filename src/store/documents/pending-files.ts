/** Stored files that do not belong to an attachment yet. */
import { type Queryable, sql } from '../../database/sql.ts'
import { BrokenSeal, type Sealed } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { insertRows } from '../../database/table-writes.ts'

export type PendingFileRow = Sealed<Rows['pending_files']>

export const insertPendingFile = (
  tx: Queryable,
  row: Omit<PendingFileRow, 'abandoned' | 'seal'>,
): Promise<number> => insertRows(tx, 'pending_files', [{ ...row, abandoned: false }])

/** Deletes 0 rows if the file has been abandoned. */
export const claimPendingFile = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`delete from pending_files where id = ${id} and not abandoned`)

export const deletePendingFile = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`delete from pending_files where id = ${id}`)

/**
 * Marks old files as abandoned and returns them, including those abandoned earlier. They come in no
 * order, so that those that must stay for a while do not keep others from their turn. What another
 * process has locked is left to it.
 */
export const abandonPendingFiles = (
  db: Queryable,
  before: string,
  limit: number,
): Promise<PendingFileRow[]> =>
  db.rows(sql`
    with chosen as (
      select id from pending_files where created_at < ${before} order by random() limit ${limit}),
    locked as (
      select id from pending_files where id in (select id from chosen)
      order by id for update skip locked)
    update pending_files set abandoned = true where id in (select id from locked) returning *`)

/** Throws BrokenSeal unless the service has written the row. */
export const checkPendingFile = ({ seals }: Queryable, row: PendingFileRow): void => {
  if (!seals.holds('pending_files', row)) throw new BrokenSeal('pending_files', row.id)
}
