/**
 * Users and their memberships in organizations: plain rows, no rules.
 * Invariant: e-mails are stored and compared in lower case, and compared in their composed form.
 */
import type { Role } from '../../contract/roles.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { changeSealedRows, sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import { deleteOpenLinks } from './sign-in-links.ts'
import {
  type PackedOrganization,
  checkMembership,
  checkUser,
  countUserChange,
  joinCounters,
  lockUser,
  packedOrganization,
  unpackOrganization,
} from './access-versions.ts'

export type UserRow = Rows['users']

/**
 * By a normalized address. Older users may have several forms of one: the first whose address is
 * verified is meant then, so that nobody stands in front of it with an account of an invitation.
 * The order follows no index: PostgreSQL would otherwise read all users by their ids.
 */
export const userByEmail = (db: Queryable, email: string): Promise<UserRow | undefined> =>
  sealedRow(
    db,
    'users',
    sql`where normalize(t.email, nfc) = ${email}
      order by t.email_verified_at is null, t.id limit 1`,
  )

export const insertUser = (db: Queryable, user: UserRow): Promise<number> =>
  insertRows(db, 'users', [user])

/** Locked, so that no password changes until the end of the transaction. */
export const userForShare = (tx: Queryable, id: string): Promise<UserRow | undefined> =>
  sealedRow(tx, 'users', sql`where id = ${id} for share`)

/**
 * Whoever writes back the row of before does not revive the password. The open links of the user
 * end: somebody else may have asked for them.
 */
export const setPasswordHash = async (tx: Queryable, id: string, hash: string): Promise<void> => {
  const user = await lockUser(tx, id)
  await deleteOpenLinks(tx, id)
  await countUserChange(tx, user, { password_hash: hash })
}

/** The operator vouches for the address. */
export const setEmailVerified = async (tx: Queryable, id: string): Promise<void> => {
  const at = await databaseNow(tx)
  await changeSealedRows(tx, 'users', sql`t.id = ${id}`, () => ({ email_verified_at: at }))
}

/** A user's membership in an organization, with the conditions for signing in. */
export interface Membership {
  user_id: string
  email: string
  user_name: string
  role: Role
  organization_id: string
  organization_name: string
  mode: 'live' | 'test'
  is_verified: boolean
  is_suspended: boolean
  /** When the membership was last used; null before the first sign-in. */
  last_used_at: string | null
}

/** A membership `m` with its organization, of one snapshot. */
export type PackedMembership = PackedOrganization & { member: string }

export const packedMembership = sql`
  ${packedRow('memberships', 'm')} as member, ${packedOrganization('o', 'h')}`

export const withOrganization = sql`
  join organizations o on o.id = m.organization_id
  ${joinCounters('o', 'h')}`

/** Throws BrokenSeal unless both rows are current. */
export const unpackMembership = (seals: RowSeals, packed: PackedMembership) => {
  const organization = unpackOrganization(seals, packed)
  const membership = unpackRow(seals, 'memberships', packed.member)
  checkMembership(membership, organization)
  return { membership, organization }
}

export const membershipOf = async (
  db: Queryable,
  user: string,
  organization: string,
): Promise<Rows['memberships'] | undefined> => {
  const row = await db.row<PackedMembership>(sql`
    select ${packedMembership} from memberships m ${withOrganization}
    where m.user_id = ${user} and m.organization_id = ${organization}`)
  return row && unpackMembership(db.seals, row).membership
}

/** Locks memberships of one user; a later statement must read them. */
export const lockMemberships = (
  db: Queryable,
  user: string,
  organizations: readonly string[],
): Promise<unknown> =>
  db.rows(sql`
    select 1 from memberships where user_id = ${user}
      and organization_id = any(${columnArray('uuid', organizations)})
    order by organization_id for no key update`)

/** The same for all of them, when it is not known yet which ones change. */
export const lockMembershipsOf = (db: Queryable, user: string): Promise<unknown> =>
  db.rows(sql`
    select 1 from memberships where user_id = ${user} order by organization_id for no key update`)

/**
 * For a removal, which then seals those of the organization anew: both in one order, so that two
 * removals of people who share organizations do not wait for each other.
 */
export const lockMembershipsAround = (
  db: Queryable,
  { user, organization }: { user: string; organization: string },
): Promise<unknown> =>
  db.rows(sql`
    select 1 from memberships where user_id = ${user} or organization_id = ${organization}
    order by user_id, organization_id for no key update`)

/** Oldest first; equally old ones in the order in which the organizations were created. */
export const membershipsOf = async (db: Queryable, user: string): Promise<Membership[]> => {
  const rows = await db.rows<PackedMembership & { user: string }>(sql`
    select ${packedMembership}, ${packedRow('users', 'u')} as user
    from memberships m
    join users u on u.id = m.user_id ${withOrganization}
    where m.user_id = ${user}
    order by m.created_at, o.id`)
  return rows.map((row) => {
    const user = unpackRow(db.seals, 'users', row.user)
    const { membership, organization } = unpackMembership(db.seals, row)
    checkUser(user, membership)
    return {
      user_id: membership.user_id,
      email: user.email,
      user_name: user.name,
      role: membership.role as Membership['role'],
      organization_id: organization.id,
      organization_name: organization.name,
      mode: organization.mode as Membership['mode'],
      is_verified: organization.verified_at !== null,
      is_suspended: organization.suspended_at !== null,
      last_used_at: membership.last_used_at,
    }
  })
}

export const insertMembership = (db: Queryable, membership: Rows['memberships']): Promise<number> =>
  insertRows(db, 'memberships', [membership])

/** The caller has locked the membership. */
export const setLastUsed = (
  db: Queryable,
  { user, organization }: { user: string; organization: string },
  at: string,
): Promise<Rows['memberships'][]> => {
  const membership = sql`t.user_id = ${user} and t.organization_id = ${organization}`
  return changeSealedRows(db, 'memberships', membership, () => ({ last_used_at: at }))
}

export const setRole = (
  db: Queryable,
  user: string,
  organization: string,
  role: string,
): Promise<Rows['memberships'][]> => {
  const membership = sql`t.user_id = ${user} and t.organization_id = ${organization}`
  return changeSealedRows(db, 'memberships', membership, () => ({ role }))
}

export type PersonRow = Pick<Rows['users'], 'id' | 'email' | 'name'>

/** By their uuids. */
export const peopleById = async (
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PersonRow>> => {
  if (ids.length === 0) return new Map()
  const wanted = columnArray('uuid', [...new Set(ids)])
  const rows = await sealedRows(db, 'users', sql`where t.id = any(${wanted})`)
  return new Map(rows.map((row) => [row.id, row]))
}

export interface UserMembership {
  id: string
  email: string
  name: string
  role: string | null
  organization_id: string | null
  organization_name: string | null
}

/** One row per membership, and one for a user without any; newest users first. */
export const userMembershipsLike = (
  db: Queryable,
  email: string,
  limit: number,
): Promise<UserMembership[]> =>
  db.rows<UserMembership>(sql`
    select u.id, u.email, u.name, m.role, o.id as organization_id, o.name as organization_name
    from users u
    left join memberships m on m.user_id = u.id
    left join organizations o on o.id = m.organization_id
    where strpos(normalize(u.email, nfc), lower(normalize(${email}, nfc))) > 0
    order by u.id desc, o.id limit ${limit}`)
