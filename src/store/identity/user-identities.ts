/** The identities of users at identity providers: one of each provider. */
import { missingRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { deleteRow, insertRows } from '../../database/table-writes.ts'
import { checkRowOfUser, countUserChange, lockUser } from './access-versions.ts'
import { type UserRow, userForShare } from './users.ts'

export type UserIdentity = Rows['user_identities']

export const insertIdentity = (tx: Queryable, identity: UserIdentity): Promise<number> =>
  insertRows(tx, 'user_identities', [identity])

/** Throws BrokenSeal if an old row has come back. */
export const userByIdentity = async (
  tx: Queryable,
  { issuer, subject }: Pick<UserIdentity, 'issuer' | 'subject'>,
): Promise<UserRow | undefined> => {
  const identity = await sealedRow(
    tx,
    'user_identities',
    sql`where t.issuer = ${issuer} and t.subject = ${subject}`,
  )
  if (identity === undefined) return undefined
  const user = await userForShare(tx, identity.user_id)
  if (user === undefined) throw missingRow('users', identity.user_id)
  checkRowOfUser('user_identities', identity, user)
  return user
}

export const identitiesOf = (db: Queryable, user: string): Promise<UserIdentity[]> =>
  sealedRows(db, 'user_identities', sql`where t.user_id = ${user} order by t.created_at, t.id`)

/** Whoever writes the row of before back does not revive the identity. */
export const removeIdentity = async (
  tx: Queryable,
  user: string,
  issuer: string,
): Promise<UserIdentity | undefined> => {
  const locked = await lockUser(tx, user)
  const own = await identitiesOf(tx, user)
  const removed = own.find((one) => one.issuer === issuer)
  if (removed === undefined) return undefined
  await deleteRow(tx, 'user_identities', sql`id = ${removed.id}`)
  await countUserChange(tx, locked)
  return removed
}
