/** Sessions. Only a MAC of a token is stored. */
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'
import { checkSession, countSignOut } from './access-versions.ts'
import {
  type PackedMembership,
  membershipOf,
  packedMembership,
  unpackMembership,
  withOrganization,
} from './users.ts'

export type SessionRow = Rows['sessions']

export const insertSession = (db: Queryable, row: SessionRow): Promise<number> =>
  insertRows(db, 'sessions', [row])

/** Throws BrokenSeal if the session, or its member, is not as it was last. */
export const sessionById = async (db: Queryable, id: string): Promise<SessionRow | undefined> => {
  const row = await db.row<PackedMembership & { session: string }>(sql`
    select ${packedRow('sessions', 's')} as session, ${packedMembership}
    from sessions s
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    ${withOrganization} where s.id = ${id}`)
  if (row === undefined) return undefined
  const session = unpackRow(db.seals, 'sessions', row.session)
  checkSession(session, unpackMembership(db.seals, row).membership)
  return session
}

/** Returns whether the session had not ended before. The caller has locked the membership. */
export const setSessionRevoked = async (
  db: Queryable,
  { id, user_id: user, organization_id: organization }: SessionRow,
  at: string,
): Promise<boolean> => {
  const membership = await membershipOf(db, user, organization)
  const session = await sessionById(db, id)
  const isOpen = session?.revoked_at === null && session.expires_at > at
  if (membership === undefined || !isOpen) return false
  await changeSealedRows(db, 'sessions', sql`t.id = ${id}`, () => ({ revoked_at: at }))
  await countSignOut(db, membership)
  return true
}

/** Callers cannot distinguish an ended session from one that never existed, so none is kept. */
export const purgeSessions = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sessions where id in
      (select id from sessions where expires_at < clock_timestamp() limit ${limit}
       for update skip locked)`)
