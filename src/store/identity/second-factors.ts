/** The second factors of users, one row each. */
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import { checkSecondFactor, lockUser } from './access-versions.ts'
import { type UserRow, membershipsOf } from './users.ts'

export type SecondFactorRow = Rows['second_factors']

export interface UserWithFactor {
  user: UserRow
  /** Codes of an app; waits to be confirmed at first. */
  factor: SecondFactorRow | undefined
  hasPasskey: boolean
}

/** Whether the app has shown a code: before, its secret is worth nothing. */
export const isConfirmed = (factor: SecondFactorRow | undefined): boolean =>
  factor !== undefined && factor.last_step > 0n

/** Throws BrokenSeal unless both rows are as they were last; undefined if there is no such user. */
export const userWithFactor = async (
  db: Queryable,
  id: string,
): Promise<UserWithFactor | undefined> => {
  const row = await db.row<{ user: string; factor: string | null; has_passkey: boolean }>(sql`
    select ${packedRow('users', 'u')} as user,
      exists (select 1 from passkeys p where p.user_id = u.id) as has_passkey,
      case when f.user_id is not null then ${packedRow('second_factors', 'f')} end as factor
    from users u left join second_factors f on f.user_id = u.id where u.id = ${id}`)
  if (row === undefined) return undefined
  const user = unpackRow(db.seals, 'users', row.user)
  const factor = row.factor === null ? undefined : unpackRow(db.seals, 'second_factors', row.factor)
  checkSecondFactor(factor, user, row.has_passkey)
  return { user, factor, hasPasskey: row.has_passkey }
}

/**
 * Locks the user, and with it the second factor. Throws BrokenSeal if the user is older than its
 * memberships say: counting its version up would make an old row current again.
 */
export const lockUserWithFactor = async (tx: Queryable, id: string): Promise<UserWithFactor> => {
  await lockUser(tx, id)
  // Later statements than the lock, so they see what the previous holder committed.
  await membershipsOf(tx, id)
  return (await userWithFactor(tx, id))!
}

/** In the place of one that was not confirmed. The caller has locked the user. */
export const replaceFactor = async (tx: Queryable, row: SecondFactorRow): Promise<void> => {
  await deleteFactor(tx, row.user_id)
  await insertRows(tx, 'second_factors', [row])
}

export const deleteFactor = (tx: Queryable, user: string): Promise<number> =>
  tx.run(sql`delete from second_factors where user_id = ${user}`)

/** The caller has locked the user. */
export const changeFactor = (
  tx: Queryable,
  user: string,
  change: Partial<SecondFactorRow>,
): Promise<SecondFactorRow[]> =>
  changeSealedRows(tx, 'second_factors', sql`t.user_id = ${user}`, () => change)
