/**
 * An old row with its old seal revives nothing (docs/decisions/0061): keys, members and sessions
 * carry a version that leads to the organization's counters.
 *
 *   organization_counters.organization_version = organizations.version
 *   organizations.access_version               = access_version of active keys, of memberships and
 *                                                of open invitations of members
 *   memberships.session_version                = session_version of sessions that have not ended
 *   memberships.user_version                   = users.version
 *   sign_in_links.user_version                 = users.version, until the link is used
 *   second_factors.user_version                = users.version
 *   passkeys.user_version                      = users.version
 *   device_codes.user_version                  = users.version, once approved
 *   user_identities.user_version               = users.version
 *
 * What takes access away counts its version up, and seals whatever keeps its access again with the
 * new one, in the same transaction. A row of before has an older version then. Locks are taken in
 * this order: organizations, keys, users, second factors, passkeys, memberships, invitations,
 * sessions, counters; what adds a row that is counted (row-counts.ts) takes the counters earlier,
 * under the lock of its organization. A version is therefore settled for whoever holds the lock of
 * any row that it is compared with.
 */
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { type RowSeals, missingRow, oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows, sealedRow, setInIntactRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import { updateRows } from '../../database/table-writes.ts'

type Organization = Rows['organizations']
type Membership = Rows['memberships']

/** Throws BrokenSeal, as all of these do, unless this is the last row of the organization. */
export const checkOrganization = (
  { id, version }: Organization,
  counters: Rows['organization_counters'],
): void => {
  const isCurrent = counters.organization_id === id && counters.organization_version === version
  if (!isCurrent) throw oldRow('organizations', id)
}

const hasCurrentAccess = (
  row: Rows['keys'] | Membership,
  { id, access_version }: Organization,
): boolean => row.organization_id === id && row.access_version === access_version

/** Checks a key that PostgreSQL has found to be active. */
export const checkActiveKey = (key: Rows['keys'], organization: Organization): void => {
  if (!hasCurrentAccess(key, organization)) throw oldRow('keys', key.id)
}

/** A key that was revoked or has expired at `now` needs no version: it gives no access. */
export const checkKey = (key: Rows['keys'], organization: Organization, now: string): void => {
  const hasEnded = key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= now)
  if (!hasEnded) checkActiveKey(key, organization)
}

export const checkMembership = (membership: Membership, organization: Organization): void => {
  if (hasCurrentAccess(membership, organization)) return
  throw oldRow('memberships', `${membership.user_id} ${membership.organization_id}`)
}

/** The row of a user is as old as their last password. */
export const checkUser = (user: Rows['users'], { user_id, user_version }: Membership): void => {
  if (user_id !== user.id || user_version !== user.version) throw oldRow('users', user.id)
}

type UsersTable = 'sign_in_links' | 'device_codes' | 'user_identities' | 'passkeys'

/** By which a user signs in. A link that was used, and a code not approved, need no version. */
export const checkRowOfUser = (
  table: UsersTable,
  row: Rows[UsersTable],
  user: Rows['users'],
): void => {
  if (row.user_id === user.id && row.user_version === user.version) return
  throw oldRow(table, 'hash' in row ? row.hash.toString('hex') : row.id)
}

/** A user whose second factor is asked for has a row of it, and no row is older than the user. */
export const checkSecondFactor = (
  factor: Rows['second_factors'] | undefined,
  user: Rows['users'],
): void => {
  if (factor === undefined) {
    if (user.second_factor_since === null) return
    throw missingRow('second_factors', user.id)
  }
  const isCurrent = factor.user_id === user.id && factor.user_version === user.version
  if (!isCurrent) throw oldRow('second_factors', user.id)
}

/** Locks the user; the version then stays until the end of the transaction. */
export const lockUser = async (tx: Queryable, id: string): Promise<Rows['users']> => {
  const user = await sealedRow(tx, 'users', sql`where id = ${id} for no key update`)
  if (user === undefined) throw missingRow('users', id)
  return user
}

/**
 * Counts that a way to sign in was taken from the user, and changes these columns. The caller has
 * locked the user, and changed the row of what was taken away.
 */
export const countUserChange = async (
  tx: Queryable,
  { id, version: before }: Rows['users'],
  set: Partial<Rows['users']> = {},
): Promise<void> => {
  const version = before + 1n
  await changeSealedRows(tx, 'users', sql`t.id = ${id}`, () => ({ ...set, version }))
  const change = {
    isCurrent: (row: { user_version: bigint | null }) => row.user_version === before,
    set: { user_version: version },
  }
  await setInIntactRows(tx, 'second_factors', sql`t.user_id = ${id}`, change)
  await setInIntactRows(tx, 'passkeys', sql`t.user_id = ${id}`, change)
  await setInIntactRows(tx, 'user_identities', sql`t.user_id = ${id}`, change)
  await setInIntactRows(tx, 'memberships', sql`t.user_id = ${id}`, change)
  const open = sql`t.user_id = ${id} and t.used_at is null`
  await setInIntactRows(tx, 'sign_in_links', open, change)
  const approved = sql`t.user_id = ${id} and t.status = 'approved'`
  await setInIntactRows(tx, 'device_codes', approved, change)
}

/** A session that has ended needs no version. */
export const checkSession = (session: Rows['sessions'], membership: Membership): void => {
  const isCurrent =
    session.user_id === membership.user_id &&
    session.organization_id === membership.organization_id &&
    session.session_version === membership.session_version
  if (session.revoked_at === null && !isCurrent) throw oldRow('sessions', session.id)
}

/** An organization and its counters, of one snapshot. */
export type PackedOrganization = Record<'organization' | 'counters', string>

/** SQL that joins the counters of an organization, by the aliases of both tables. */
export const joinCounters = (organization: string, counters: string): SqlQuery =>
  raw(`join organization_counters ${counters} on ${counters}.organization_id = ${organization}.id`)

/** Selects them by the aliases of both tables. */
export const packedOrganization = (organization: string, counters: string): SqlQuery => sql`
  ${packedRow('organizations', organization)} as organization,
  ${packedRow('organization_counters', counters)} as counters`

/** Throws BrokenSeal unless this is the last row of the organization. */
export const unpackOrganization = (
  seals: RowSeals,
  { organization: packed, counters }: PackedOrganization,
): Organization => {
  const organization = unpackRow(seals, 'organizations', packed)
  checkOrganization(organization, unpackRow(seals, 'organization_counters', counters))
  return organization
}

/** The organizations `t`; throws BrokenSeal unless all of them are current. */
export const currentOrganizations = async (
  db: Queryable,
  rest: SqlQuery,
): Promise<Organization[]> => {
  const rows = await db.rows<PackedOrganization>(sql`
    select ${packedOrganization('t', 'h')} from organizations t
    ${joinCounters('t', 'h')} ${rest}`)
  return rows.map((row) => unpackOrganization(db.seals, row))
}

const lockedOrganizations = async (tx: Queryable, condition: SqlQuery): Promise<Organization[]> => {
  await tx.rows(sql`
    select t.id from organizations t where ${condition} order by t.id for no key update`)
  // A later statement than the locks, so it sees what the previous holders committed.
  return currentOrganizations(tx, sql`where ${condition} order by t.id`)
}

/** Locks the organization; its versions then stay until the end of the transaction. */
export const organizationForUpdate = async (
  tx: Queryable,
  id: string,
): Promise<Organization | undefined> => (await lockedOrganizations(tx, sql`t.id = ${id}`))[0]

/** Locks and changes the organizations `t`, and says so in their counters. */
export const changeOrganizations = async (
  tx: Queryable,
  condition: SqlQuery,
  change: (row: Organization) => Partial<Organization>,
): Promise<Organization[]> => {
  const rows = await lockedOrganizations(tx, condition)
  if (rows.length === 0) return []
  const changed = rows.map((row) => ({ ...row, ...change(row), version: row.version + 1n }))
  const names = [...Object.keys(change(rows[0]!)), 'version']
  await updateRows(tx, 'organizations', { key: ['id'], set: names, rows: changed })
  const versions = new Map(changed.map(({ id, version }) => [id, version]))
  const counters = sql`t.organization_id = any(${columnArray('uuid', [...versions.keys()])})`
  await changeSealedRows(tx, 'organization_counters', counters, ({ organization_id: id }) => ({
    organization_version: versions.get(id)!,
  }))
  return changed
}

/** The clock may be set back, and find a key again that had just expired. */
const mayBeActive = sql`t.revoked_at is null
  and (t.expires_at is null or t.expires_at > pg_catalog.clock_timestamp() - interval '1 day')`

/** SQL: the keys `t` that get a new access version when access is taken from another one. */
export const keysWithAccess = (organization: string): SqlQuery =>
  sql`t.organization_id = ${organization} and ${mayBeActive}`

/**
 * Counts that access was taken from a key or a member of the organization. The caller has locked
 * the organization and its keys with access, and changed the row of whoever loses it.
 */
export const countWithdrawal = async (tx: Queryable, organization: string): Promise<void> => {
  const before = (await organizationForUpdate(tx, organization))!
  const set = { access_version: before.access_version + 1n }
  const isCurrent = (row: { access_version: bigint }) =>
    row.access_version === before.access_version
  await setInIntactRows(tx, 'keys', keysWithAccess(organization), { isCurrent, set })
  const members = sql`t.organization_id = ${organization}`
  await setInIntactRows(tx, 'memberships', members, { isCurrent, set })
  const open = sql`${members} and t.ended_at is null`
  await setInIntactRows(tx, 'member_invitations', open, { isCurrent, set })
  await changeOrganizations(tx, sql`t.id = ${organization}`, () => set)
}

/**
 * Counts that a session of the member has ended. The caller has locked and checked the membership,
 * and ended the session.
 */
export const countSignOut = async (tx: Queryable, membership: Membership): Promise<void> => {
  const { user_id: user, organization_id: organization, session_version: before } = membership
  const set = { session_version: before + 1n }
  const open = sql`
    t.user_id = ${user} and t.organization_id = ${organization} and t.revoked_at is null`
  const isCurrent = (session: Rows['sessions']) => session.session_version === before
  await setInIntactRows(tx, 'sessions', open, { isCurrent, set })
  const key = ['user_id', 'organization_id']
  await updateRows(tx, 'memberships', {
    key,
    set: ['session_version'],
    rows: [{ ...membership, ...set }],
  })
}
