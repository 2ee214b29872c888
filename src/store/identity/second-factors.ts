/** The second factors of users, one row each. */
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { deleteRow, insertRows } from '../../database/table-writes.ts'
import { checkSecondFactor, lockUser } from './access-versions.ts'
import { type UserRow, membershipsOf } from './users.ts'

export type SecondFactorRow = Rows['second_factors']

export interface UserWithFactor {
  user: UserRow
  /** The codes of an app, which wait to be confirmed at first, and how many passkeys there are. */
  factor: SecondFactorRow | undefined
}

/** Whether the app has shown a code: before, its secret is worth nothing. */
export const isConfirmed = (factor: SecondFactorRow | undefined): boolean =>
  factor !== undefined && factor.last_step > 0n

/** The user `u` with the factor `f`, packed. */
export const packedUserWithFactor = sql`
  ${packedRow('users', 'u')} as user,
  case when f.user_id is not null then ${packedRow('second_factors', 'f')} end as factor`

export const joinFactor = sql`left join second_factors f on f.user_id = u.id`

/** Throws BrokenSeal unless both rows are as they were last; undefined if there is no such user. */
export const userWithFactor = async (
  db: Queryable,
  id: string,
): Promise<UserWithFactor | undefined> => {
  const row = await db.row<PackedUserWithFactor>(sql`
    select ${packedUserWithFactor} from users u ${joinFactor} where u.id = ${id}`)
  return row && unpackUserWithFactor(db.seals, row)
}

export interface PackedUserWithFactor {
  user: string
  factor: string | null
}

export const unpackUserWithFactor = (
  seals: RowSeals,
  { user: packedUser, factor: packedFactor }: PackedUserWithFactor,
): UserWithFactor => {
  const user = unpackRow(seals, 'users', packedUser)
  const factor =
    packedFactor === null ? undefined : unpackRow(seals, 'second_factors', packedFactor)
  checkSecondFactor(factor, user)
  return { user, factor }
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

/** What a row says of somebody who has no codes. */
export const noCodes = {
  secret_sealed: Buffer.alloc(0),
  recovery_macs: [] as string[],
  last_step: 0n,
  wrong_codes: 0,
  wrong_code_at: null,
}

/** Replaces a factor that was not confirmed. The caller has locked the user. */
export const replaceFactor = async (tx: Queryable, row: SecondFactorRow): Promise<void> => {
  await tx.run(sql`delete from second_factors where user_id = ${row.user_id}`)
  await insertRows(tx, 'second_factors', [row])
}

export const deleteFactor = (tx: Queryable, user: string): Promise<void> =>
  deleteRow(tx, 'second_factors', sql`user_id = ${user}`)

/** The caller has locked the user. */
export const changeFactor = (
  tx: Queryable,
  user: string,
  change: Partial<SecondFactorRow>,
): Promise<SecondFactorRow[]> =>
  changeSealedRows(tx, 'second_factors', sql`t.user_id = ${user}`, () => change)
