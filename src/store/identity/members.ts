/** The members of an organization. */
import type { Role } from '../../contract/roles.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import type { Rows } from '../../database/rows.ts'
import { checkNoneTwice, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { deleteRow } from '../../database/table-writes.ts'
import { checkUser } from './access-versions.ts'
import { checkRowCount } from './row-counts.ts'
import {
  type PackedMembership,
  packedMembership,
  unpackMembership,
  withOrganization,
} from './users.ts'

export interface MemberRow extends Pick<
  Rows['memberships'],
  'user_id' | 'role' | 'created_at' | 'last_used_at'
> {
  email: string
  name: string
}

/** The members `m` of an organization; throws BrokenSeal unless all rows are current. */
const members = async (
  db: Queryable,
  organization: string,
  rest: SqlQuery,
): Promise<MemberRow[]> => {
  const rows = await db.rows<PackedMembership & { user: string }>(sql`
    select ${packedMembership}, ${packedRow('users', 'u')} as user
    from memberships m join users u on u.id = m.user_id ${withOrganization}
    where m.organization_id = ${organization} ${rest}`)
  const found = rows.map((row) => {
    const { membership } = unpackMembership(db.seals, row)
    const user = unpackRow(db.seals, 'users', row.user)
    checkUser(user, membership)
    return { ...membership, email: user.email, name: user.name }
  })
  checkNoneTwice('memberships', found)
  return found
}

export const memberById = async (
  db: Queryable,
  organization: string,
  user: string,
): Promise<MemberRow | undefined> =>
  (await members(db, organization, sql`and m.user_id = ${user}`))[0]

/** Undefined for who is no member. */
export const rolesOf = async (
  db: Queryable,
  organization: string,
  users: readonly string[],
): Promise<Map<string, Role | undefined>> => {
  if (users.length === 0) return new Map()
  const found = await members(
    db,
    organization,
    sql`and m.user_id = any(${columnArray('uuid', users)})`,
  )
  return new Map(
    users.map((user) => [user, found.find(({ user_id }) => user_id === user)?.role as Role]),
  )
}

/** A position in the list of members. */
export interface MemberPosition {
  created_at: string
  user_id: string
}

export const membersOf = async (
  db: Queryable,
  organization: string,
  page: { roles: readonly string[] | undefined; before: MemberPosition | undefined; limit: number },
): Promise<MemberRow[]> => {
  const { roles, before, limit } = page
  const role = roles === undefined ? sql`` : sql`and m.role = any(${columnArray('text', roles)})`
  const position =
    before === undefined
      ? sql``
      : sql`and (m.created_at, m.user_id) < (${before.created_at}, ${before.user_id})`
  const rest = sql`${role} ${position} order by m.created_at desc, m.user_id desc limit ${limit}`
  const [found] = await Promise.all([
    members(db, organization, rest),
    checkRowCount(db, 'memberships', organization),
  ])
  return found
}

/** Whether the organization has another owner than this user. The caller has locked it. */
export const hasOtherOwner = async (
  tx: Queryable,
  organization: string,
  user: string,
): Promise<boolean> => {
  const owners = await sealedRows(
    tx,
    'memberships',
    sql`where t.organization_id = ${organization} and t.role = 'owner'
      and t.user_id <> ${user} limit 1`,
  )
  return owners.length > 0
}

/** Deletes the membership with its sessions. The caller counts the withdrawal. */
export const deleteMembership = async (
  tx: Queryable,
  organization: string,
  user: string,
): Promise<void> => {
  const ofMember = sql`user_id = ${user} and organization_id = ${organization}`
  await tx.rows(sql`select 1 from memberships where ${ofMember} for update`)
  await tx.run(sql`delete from sessions where ${ofMember}`)
  await deleteRow(tx, 'memberships', ofMember)
}
