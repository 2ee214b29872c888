/**
 * Users and their memberships in organizations: plain rows, no rules.
 * Invariant: e-mails are stored and compared in lower case.
 */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type UserRow = Rows['users']

export const userByEmail = (db: Queryable, email: string): Promise<UserRow | undefined> =>
  db.row(sql`select * from users where email = ${email}`)

export const insertUser = (db: Queryable, user: UserRow): Promise<number> =>
  db.run(sql`
    insert into users (id, email, name, password_hash, created_at)
    values (${user.id}, ${user.email}, ${user.name}, ${user.password_hash}, ${user.created_at})`)

export const setPasswordHash = (db: Queryable, id: string, hash: string): Promise<number> =>
  db.run(sql`update users set password_hash = ${hash} where id = ${id}`)

/** A user's membership in an organization, with the conditions for signing in. */
export interface Membership {
  user_id: string
  email: string
  user_name: string
  role: 'owner' | 'admin' | 'member'
  organization_id: string
  organization_name: string
  mode: 'live' | 'test'
  is_verified: boolean
  is_suspended: boolean
}

/** Oldest first; equally old ones in the order in which the organizations were created. */
export const membershipsOf = (db: Queryable, user: string): Promise<Membership[]> =>
  db.rows<Membership>(sql`
    select u.id as user_id, u.email, u.name as user_name, m.role,
           o.id as organization_id, o.name as organization_name, o.mode,
           o.verified_at is not null as is_verified, o.suspended_at is not null as is_suspended
    from memberships m
    join users u on u.id = m.user_id
    join organizations o on o.id = m.organization_id
    where m.user_id = ${user}
    order by m.created_at, o.id`)

export const insertMembership = (db: Queryable, membership: Rows['memberships']): Promise<number> =>
  db.run(sql`
    insert into memberships (user_id, organization_id, role, created_at)
    values (${membership.user_id}, ${membership.organization_id}, ${membership.role},
      ${membership.created_at})`)

export const setRole = (
  db: Queryable,
  user: string,
  organization: string,
  role: string,
): Promise<number> =>
  db.run(sql`
    update memberships set role = ${role}
    where user_id = ${user} and organization_id = ${organization}`)

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
    where strpos(u.email, lower(${email})) > 0
    order by u.id desc, o.id limit ${limit}`)
