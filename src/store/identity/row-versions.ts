/**
 * An old row with its old seal decides nothing (docs/decisions/0144): rows that an organization
 * changes or ends repeat a version that its own row has, and that leads to its counters
 * (access-versions.ts).
 *
 *   approval_rule_sets.version, finance_setups.version, processor_accounts.version,
 *   webhook_endpoints.version
 *                        = the organization's version of that table
 *   approvals.version    = the same, while it is pending or approved
 *   connection_invitations.version
 *                        = the inviter's version of that table, while it is open
 *   connections.version  = the sum of the versions of both organizations, while it is open
 *
 * Whatever changes or ends such a row counts the version up, and seals those that stay with the new
 * one, unless they are old themselves. Locks are taken in this order: organizations, connections,
 * endpoints or approvals, counters; so a version is settled for whoever holds the lock of its
 * organization or of its counters.
 */
import { columnArray } from '../../database/binary-arrays.ts'
import { missingRow, oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { checkedRows, setInIntactRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import { selectList } from '../../database/table-writes.ts'
import {
  type PackedOrganization,
  changeOrganizations,
  currentOrganizations,
  joinCounters,
  packedOrganization,
  unpackOrganization,
} from './access-versions.ts'

type Organization = Rows['organizations']
type ConnectionRow = Rows['connections']

/** What of an organization says which rows of it are current. */
export type VersionedOrganization = Pick<Organization, 'id' | 'row_versions'>

/** The tables in which an organization has at most one row. */
export const onlyRowTables = ['approval_rule_sets', 'finance_setups', 'processor_accounts'] as const

export type OnlyRowTable = (typeof onlyRowTables)[number]

type OwnTable = OnlyRowTable | 'approvals' | 'webhook_endpoints'

/** The tables in which an organization has many rows; all that count have its version. */
type SharedVersionTable = 'approvals' | 'connection_invitations' | 'webhook_endpoints'

type VersionedTable = OwnTable | SharedVersionTable | 'connections'

/** By table, and the counts of row-counts.ts. */
type Versions = Readonly<Partial<Record<VersionedTable, number>>> & {
  counts?: Readonly<Record<string, number>>
}

export const versionsOf = ({ row_versions: text }: VersionedOrganization): Versions =>
  text === null ? {} : (JSON.parse(text) as Versions)

/** The version of a new row, for an organization whose row or counters are locked. */
export const rowVersionOf = (organization: VersionedOrganization, table: VersionedTable): bigint =>
  organization.row_versions === null ? 0n : BigInt(versionsOf(organization)[table] ?? 0)

const withNextVersion = (organization: Organization, table: VersionedTable): string => {
  const versions = versionsOf(organization)
  return JSON.stringify({ ...versions, [table]: (versions[table] ?? 0) + 1 })
}

/** The rows `t` of an organization, and the organization, of one snapshot; `rest` follows AND. */
export const ownRows = async <T extends OwnTable>(
  db: Queryable,
  table: T,
  organization: string,
  rest: SqlQuery,
): Promise<{ rows: Rows[T][]; owner: Organization | undefined }> => {
  const found = await db.rows<Rows[T] & PackedOrganization>(sql`
    select ${selectList(table, 't')}, ${packedOrganization('o', 'h')}
    from organizations o ${joinCounters('o', 'h')}
    left join ${raw(table)} t on t.organization_id = o.id
    where o.id = ${organization} and ${rest}`)
  const [first] = found
  const owner = first && unpackOrganization(db.seals, first)
  const rows = found.filter(({ organization_id }) => organization_id !== null)
  return { rows: checkedRows(db, table, rows), owner }
}

/** Such rows, to be shown or changed. Throws BrokenSeal unless each of them is the last one. */
export const currentEndpoints = async (
  db: Queryable,
  organization: string,
  rest: SqlQuery,
): Promise<Rows['webhook_endpoints'][]> => {
  const found = await ownRows(db, 'webhook_endpoints', organization, sql`t.id is not null ${rest}`)
  for (const row of found.rows) checkRowVersion('webhook_endpoints', row, found.owner!)
  return found.rows
}

/** The same for a table in which an organization has at most one row. */
export const currentOnlyRow = async <T extends OnlyRowTable>(
  db: Queryable,
  table: T,
  organization: string,
): Promise<Rows[T] | undefined> => {
  const { rows, owner } = await ownRows(db, table, organization, sql`true`)
  const [row] = rows
  if (owner !== undefined) checkOnlyRow(table, row, owner)
  return row
}

/** Whether this is the last row of its organization, or one of the last. */
export const hasRowVersion = (
  table: OwnTable,
  row: Rows[OwnTable],
  organization: Organization,
): boolean =>
  row.organization_id === organization.id &&
  (row.version ?? 0n) === rowVersionOf(organization, table)

export const checkRowVersion = (
  table: OwnTable,
  row: Rows[OwnTable],
  organization: Organization,
): void => {
  if (hasRowVersion(table, row, organization)) return
  throw oldRow(table, 'id' in row ? row.id : row.organization_id)
}

/** The same for a table with at most one row of an organization, or none if it never changed. */
export const checkOnlyRow = (
  table: OnlyRowTable,
  row: Rows[OnlyRowTable] | undefined,
  organization: Organization,
): void => {
  if (row !== undefined) return checkRowVersion(table, row, organization)
  if (rowVersionOf(organization, table) === 0n) return
  throw missingRow(table, organization.id)
}

/** Locks the organizations, in order, and checks that they are current. */
export const lockOrganizations = async (
  tx: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Organization>> => {
  const theirs = sql`where t.id = any(${columnArray('uuid', ids)})`
  await tx.rows(sql`select t.id from organizations t ${theirs} order by t.id for no key update`)
  const rows = await currentOrganizations(tx, theirs)
  return new Map(rows.map((row) => [row.id, row]))
}

export const lockCounters = (tx: Queryable, organization: string): Promise<unknown> =>
  tx.row(sql`
    select 1 from organization_counters where organization_id = ${organization} for no key update`)

/** Counts a change of the organization's row; returns the version that the new row has. */
export const countRowChange = async (
  tx: Queryable,
  table: VersionedTable,
  organization: string,
): Promise<bigint> => {
  const [changed] = await changeOrganizations(tx, sql`t.id = ${organization}`, (row) => ({
    row_versions: withNextVersion(row, table),
  }))
  if (changed === undefined) throw missingRow('organizations', organization)
  return rowVersionOf(changed, table)
}

/** Locks the organization: the version that its rows of the table have. */
export const settledVersionOf = async (
  tx: Queryable,
  table: SharedVersionTable,
  organization: string,
): Promise<bigint> => {
  const locked = await lockOrganizations(tx, [organization])
  return rowVersionOf(locked.get(organization)!, table)
}

/**
 * The same as countRowChange, and seals the rows `t` that stay with the new version. The caller has
 * locked the organization before any of them.
 */
export const countSharedChange = async (
  tx: Queryable,
  table: SharedVersionTable,
  organization: string,
  staying: SqlQuery,
): Promise<bigint> => {
  const before = await settledVersionOf(tx, table, organization)
  await setInIntactRows(tx, table, staying, {
    isCurrent: ({ version }) => (version ?? 0n) === before,
    set: () => ({ version: before + 1n }),
  })
  return countRowChange(tx, table, organization)
}

export const countEndpointChange = (tx: Queryable, organization: string): Promise<bigint> =>
  countSharedChange(tx, 'webhook_endpoints', organization, sql`t.organization_id = ${organization}`)

type InvitationRow = Rows['connection_invitations']

/** Whether it is the last row of the invitation; one that was answered needs no version. */
export const isCurrentInvitation = (
  { status, invited_by, version }: InvitationRow,
  inviter: VersionedOrganization | undefined,
): boolean =>
  status !== 'invited' ||
  (inviter?.id === invited_by &&
    (version ?? 0n) === rowVersionOf(inviter, 'connection_invitations'))

/** Counts that an invitation of the organization was answered or withdrawn. */
export const countEndOfInvitations = (tx: Queryable, inviter: string): Promise<bigint> => {
  const open = sql`t.invited_by = ${inviter} and t.status = 'invited'`
  return countSharedChange(tx, 'connection_invitations', inviter, open)
}

const sumOf = (a: VersionedOrganization, b: VersionedOrganization): bigint =>
  rowVersionOf(a, 'connections') + rowVersionOf(b, 'connections')

const isOpenConnection = ({ status }: ConnectionRow): boolean =>
  status === 'invited' || status === 'active'

/** Whether it is the last row of the connection; one that has ended needs no version. */
export const isCurrentConnection = (
  connection: ConnectionRow,
  a: VersionedOrganization | undefined,
  b: VersionedOrganization | undefined,
): boolean => {
  if (!isOpenConnection(connection)) return true
  if (a?.id !== connection.a_id || b?.id !== connection.b_id) return false
  return (connection.version ?? 0n) === sumOf(a, b)
}

/** Locks both organizations: the version that an open connection of theirs has. */
export const openConnectionVersion = async (
  tx: Queryable,
  a: string,
  b: string,
): Promise<bigint> => {
  const organizations = await lockOrganizations(tx, [a, b])
  return sumOf(organizations.get(a)!, organizations.get(b)!)
}

const openConnectionsOf = (organizations: readonly string[]): SqlQuery => {
  const ids = columnArray('uuid', organizations)
  return sql`t.status in ('invited', 'active') and (t.a_id = any(${ids}) or t.b_id = any(${ids}))`
}

/** Locks all open connections of these organizations; returns whose they are. */
export const lockOpenConnections = async (
  tx: Queryable,
  organizations: readonly string[],
): Promise<Set<string>> => {
  const found = await tx.rows<Pick<ConnectionRow, 'a_id' | 'b_id'>>(sql`
    select t.a_id, t.b_id from connections t where ${openConnectionsOf(organizations)}
    order by t.id for no key update`)
  return new Set([...organizations, ...found.flatMap(({ a_id, b_id }) => [a_id, b_id])])
}

/**
 * Counts that connections of these organizations have ended, and seals those that are open with the
 * new version. The caller has locked the organizations, all of their open connections, and then the
 * counters.
 */
export const countEndOfConnections = async (
  tx: Queryable,
  organizations: readonly string[],
): Promise<void> => {
  const parties = await lockOpenConnections(tx, organizations)
  // Later than the locks: a partner that counts waits for these connections.
  const rows = await currentOrganizations(
    tx,
    sql`where t.id = any(${columnArray('uuid', [...parties])})`,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const steps = (id: string) => (organizations.includes(id) ? 1n : 0n)
  await setInIntactRows(tx, 'connections', openConnectionsOf(organizations), {
    isCurrent: (row) => isCurrentConnection(row, byId.get(row.a_id), byId.get(row.b_id)),
    set: ({ version, a_id, b_id }) => ({ version: (version ?? 0n) + steps(a_id) + steps(b_id) }),
  })
  const ids = columnArray('uuid', organizations)
  await changeOrganizations(tx, sql`t.id = any(${ids})`, (row) => ({
    row_versions: withNextVersion(row, 'connections'),
  }))
}
