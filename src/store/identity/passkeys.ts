/** The passkeys of users. */
import type { Rows } from '../../database/rows.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import { checkPasskey } from './access-versions.ts'

export type PasskeyRow = Rows['passkeys']

/** The passkeys `t`; throws BrokenSeal unless they and their users are current. */
const currentPasskeys = async (db: Queryable, rest: SqlQuery): Promise<PasskeyRow[]> => {
  const rows = await db.rows<{ passkey: string; user: string }>(sql`
    select ${packedRow('passkeys', 't')} as passkey, ${packedRow('users', 'u')} as user
    from passkeys t join users u on u.id = t.user_id ${rest}`)
  return rows.map((row) => {
    const passkey = unpackRow(db.seals, 'passkeys', row.passkey)
    checkPasskey(passkey, unpackRow(db.seals, 'users', row.user))
    return passkey
  })
}

/** By the id that its authenticator gave it. */
export const passkeyByCredential = async (
  db: Queryable,
  credential: string,
): Promise<PasskeyRow | undefined> =>
  (await currentPasskeys(db, sql`where t.credential_id = ${credential}`))[0]

/** The newest first. */
export const passkeysOf = (db: Queryable, user: string): Promise<PasskeyRow[]> =>
  currentPasskeys(db, sql`where t.user_id = ${user} order by t.id desc`)

/** The caller has locked the user, as for all that follow. */
export const insertPasskey = (tx: Queryable, row: PasskeyRow): Promise<number> =>
  insertRows(tx, 'passkeys', [row])

export const changePasskey = (
  tx: Queryable,
  id: string,
  change: Partial<PasskeyRow>,
): Promise<PasskeyRow[]> => changeSealedRows(tx, 'passkeys', sql`t.id = ${id}`, () => change)

export const deletePasskey = (tx: Queryable, id: string): Promise<number> =>
  tx.run(sql`delete from passkeys where id = ${id}`)

export const deletePasskeysOf = (tx: Queryable, user: string): Promise<number> =>
  tx.run(sql`delete from passkeys where user_id = ${user}`)
