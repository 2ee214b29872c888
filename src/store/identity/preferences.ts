/** What people have chosen, one row each. */
import type { Rows } from '../../database/rows.ts'
import { sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'

export type PreferencesRow = Rows['user_preferences']

export const preferencesOf = (db: Queryable, user: string): Promise<PreferencesRow | undefined> =>
  sealedRow(db, 'user_preferences', sql`where t.user_id = ${user}`)

/** Locks the person, since the row may not exist yet. */
export const preferencesForUpdate = async (
  tx: Queryable,
  user: string,
): Promise<PreferencesRow | undefined> => {
  await tx.rows(sql`select 1 from users where id = ${user} for no key update`)
  // A later statement than the lock, so it sees what the previous holder committed.
  return preferencesOf(tx, user)
}

export const savePreferences = (
  tx: Queryable,
  before: PreferencesRow | undefined,
  row: Omit<PreferencesRow, 'seal'>,
): Promise<number> => {
  if (before === undefined) return insertRows(tx, 'user_preferences', [row])
  const changed = { ...before, ...row }
  return updateRows(tx, 'user_preferences', {
    key: ['user_id'],
    set: ['preferences', 'updated_at'],
    rows: [changed],
  })
}
