/** Sessions. Only a MAC of a token is stored. */
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { changeSealedRows, setInIntactRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
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

/** A session with the organization that it is for. */
export interface ListedSession extends SessionRow {
  organization_name: string
}

/** The sessions `s`; throws BrokenSeal if one, or its member, is not as it was last. */
const currentSessions = async (db: Queryable, rest: SqlQuery): Promise<ListedSession[]> => {
  const rows = await db.rows<PackedMembership & { session: string }>(sql`
    select ${packedRow('sessions', 's')} as session, ${packedMembership}
    from sessions s
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    ${withOrganization} ${rest}`)
  return rows.map((row) => {
    const session = unpackRow(db.seals, 'sessions', row.session)
    const { membership, organization } = unpackMembership(db.seals, row)
    checkSession(session, membership)
    return { ...session, organization_name: organization.name }
  })
}

export const sessionById = async (db: Queryable, id: string): Promise<SessionRow | undefined> =>
  (await currentSessions(db, sql`where s.id = ${id}`))[0]

/** The sign-in of a browser, by the MACs of the half of the cookie that stays. */
export const signInByHash = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<SessionRow | undefined> => {
  const named = sql`s.hash = any(${columnArray('bytea', hashes)}) and s.refresh_hash is not null`
  return (await currentSessions(db, sql`where ${named}`))[0]
}

const isOpen = sql`s.revoked_at is null and s.expires_at > pg_catalog.clock_timestamp()`

/** The sign-ins of browsers and the other sessions of a user that go on, newest first. */
export const openSessionsOf = (
  db: Queryable,
  user: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ListedSession[]> => {
  const older = before === undefined ? sql`` : sql`and s.id < ${before}`
  return currentSessions(
    db,
    sql`where s.user_id = ${user} and s.sign_in_id is null and ${isOpen} ${older}
      order by s.id desc limit ${limit}`,
  )
}

/** One of them. */
export const openSessionOf = async (
  db: Queryable,
  user: string,
  id: string,
): Promise<ListedSession | undefined> => {
  const named = sql`s.id = ${id} and s.user_id = ${user} and s.sign_in_id is null`
  return (await currentSessions(db, sql`where ${named} and ${isOpen}`))[0]
}

/** How many tokens of a browser's sign-in are in use. */
export const openTokensOf = async (db: Queryable, signIn: string): Promise<number> => {
  const row = await db.row<{ count: number }>(sql`
    select count(*)::int as count from sessions s where s.sign_in_id = ${signIn} and ${isOpen}`)
  return row!.count
}

/** The caller has locked the membership, and counts the sign-out that the old secret is. */
export const setRefreshed = (
  db: Queryable,
  id: string,
  refreshed: Pick<SessionRow, 'hash' | 'refresh_hash' | 'refreshed_at' | 'expires_at'>,
): Promise<SessionRow[]> => changeSealedRows(db, 'sessions', sql`t.id = ${id}`, () => refreshed)

/**
 * Gives the sign-ins of browsers that go on to another membership of their user, but for those that
 * are not as they were written. The caller has locked both memberships.
 */
export const moveSignIns = (
  db: Queryable,
  from: Rows['memberships'],
  to: Pick<SessionRow, 'organization_id' | 'mode' | 'session_version'>,
): Promise<number> =>
  setInIntactRows(
    db,
    'sessions',
    sql`t.user_id = ${from.user_id} and t.organization_id = ${from.organization_id}
      and t.refresh_hash is not null and t.revoked_at is null`,
    { isCurrent: (session) => session.session_version === from.session_version, set: to },
  )

/** Applies to a session or, for a browser's sign-in, to all of its tokens. */
export const setAuthenticated = (db: Queryable, id: string, at: string): Promise<SessionRow[]> =>
  changeSealedRows(
    db,
    'sessions',
    sql`(t.id = ${id} or t.sign_in_id = ${id}) and t.revoked_at is null`,
    () => ({ authenticated_at: at }),
  )

/**
 * Ends a session and, of a browser's sign-in, all of its tokens; returns whether there were any.
 * The caller has locked the memberships of the user.
 */
export const endSessions = async (
  db: Queryable,
  user: string,
  id: string,
  at: string,
): Promise<boolean> => {
  const rows = await db.rows<{ organization_id: string }>(sql`
    select distinct s.organization_id from sessions s
    where s.user_id = ${user} and (s.id = ${id} or s.sign_in_id = ${id}) and ${isOpen}`)
  for (const { organization_id: organization } of rows) {
    const membership = await membershipOf(db, user, organization)
    const ended = sql`(t.id = ${id} or t.sign_in_id = ${id})
      and t.organization_id = ${organization} and t.revoked_at is null`
    await changeSealedRows(db, 'sessions', ended, () => ({ revoked_at: at }))
    await countSignOut(db, membership!)
  }
  return rows.length > 0
}

/** Returns whether the session had not ended before. The caller has locked the membership. */
export const setSessionRevoked = async (
  db: Queryable,
  { id, user_id: user, organization_id: organization }: SessionRow,
  at: string,
): Promise<boolean> => {
  const membership = await membershipOf(db, user, organization)
  const session = await sessionById(db, id)
  const isStillOpen = session?.revoked_at === null && session.expires_at > at
  if (membership === undefined || !isStillOpen) return false
  await changeSealedRows(db, 'sessions', sql`t.id = ${id}`, () => ({ revoked_at: at }))
  await countSignOut(db, membership)
  return true
}

/** Callers cannot distinguish an ended session from one that never existed, so none is kept. */
export const purgeSessions = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from sessions where id in
      (select id from sessions where expires_at < pg_catalog.clock_timestamp() limit ${limit}
       for update skip locked)`)
