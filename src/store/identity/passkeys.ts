/** The passkeys of users. */
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { deleteRow, insertRows } from '../../database/table-writes.ts'
import { checkRowOfUser } from './access-versions.ts'
import {
  type PackedUserWithFactor,
  joinFactor,
  packedUserWithFactor,
  unpackUserWithFactor,
} from './second-factors.ts'

export type PasskeyRow = Rows['passkeys']

/** By the id that its authenticator gave it; throws BrokenSeal unless it is as it was last. */
export const passkeyByCredential = async (
  db: Queryable,
  credential: string,
): Promise<PasskeyRow | undefined> => {
  const row = await db.row<PackedUserWithFactor & { passkey: string }>(sql`
    select ${packedRow('passkeys', 't')} as passkey, ${packedUserWithFactor}
    from passkeys t join users u on u.id = t.user_id ${joinFactor}
    where t.credential_id = ${credential}`)
  if (row === undefined) return undefined
  const passkey = unpackRow(db.seals, 'passkeys', row.passkey)
  checkRowOfUser('passkeys', passkey, unpackUserWithFactor(db.seals, row).user)
  return passkey
}

/** The newest first; throws BrokenSeal unless all are there, and as they were last. */
export const passkeysOf = async (db: Queryable, user: string): Promise<PasskeyRow[]> => {
  const rows = await db.rows<PackedUserWithFactor & { passkey: string | null }>(sql`
    select ${packedUserWithFactor},
      case when t.id is not null then ${packedRow('passkeys', 't')} end as passkey
    from users u ${joinFactor} left join passkeys t on t.user_id = u.id
    where u.id = ${user} order by t.id desc`)
  const { user: owner, factor } = unpackUserWithFactor(db.seals, rows[0]!)
  const passkeys = rows.flatMap(({ passkey }) =>
    passkey === null ? [] : [unpackRow(db.seals, 'passkeys', passkey)],
  )
  for (const passkey of passkeys) checkRowOfUser('passkeys', passkey, owner)
  if (passkeys.length === (factor?.passkeys ?? 0)) return passkeys
  throw new BrokenSeal('passkeys', user, 'a row is gone')
}

/** The caller has locked the user, as for all that follow. */
export const insertPasskey = (tx: Queryable, row: PasskeyRow): Promise<number> =>
  insertRows(tx, 'passkeys', [row])

export const changePasskey = (
  tx: Queryable,
  id: string,
  change: Partial<PasskeyRow>,
): Promise<PasskeyRow[]> => changeSealedRows(tx, 'passkeys', sql`t.id = ${id}`, () => change)

export const deletePasskey = (tx: Queryable, id: string): Promise<void> =>
  deleteRow(tx, 'passkeys', sql`id = ${id}`)

export const deletePasskeysOf = (tx: Queryable, user: string): Promise<number> =>
  tx.run(sql`delete from passkeys where user_id = ${user}`)
