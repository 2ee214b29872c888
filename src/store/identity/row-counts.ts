/**
 * How many rows an organization has in the tables that nothing else counts (docs/decisions/0213). A
 * seal says that the service wrote a row, and nothing of a row that was deleted in the database.
 *
 *   organizations.row_versions.counts[table] = its rows in the table
 *
 * A connection is counted by both of its organizations.
 *
 * Whatever adds or removes such a row holds the lock of the organization and counts it in the same
 * transaction. The organization leads to its counters (access-versions.ts).
 */
import { encodeId } from '../../core/ids.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { BrokenSeal, orBrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { setInIntactRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import {
  type PackedOrganization,
  changeOrganizations,
  joinCounters,
  organizationForUpdate,
  packedOrganization,
  unpackOrganization,
} from './access-versions.ts'
import {
  type VersionedOrganization,
  countRowChange,
  onlyRowTables,
  rowVersionOf,
  versionsOf,
} from './row-versions.ts'

type Organization = Rows['organizations']

export const countedTables = ['connections', 'keys', 'memberships', 'webhook_endpoints'] as const

type CountedTable = (typeof countedTables)[number]

/** Undefined of a table means that its rows are not counted yet. */
type RowCounts = Readonly<Partial<Record<CountedTable, number>>>

const rowCountsOf = (organization: VersionedOrganization): RowCounts =>
  versionsOf(organization).counts ?? {}

const withCounts = (organization: VersionedOrganization, counts: RowCounts): string =>
  JSON.stringify({ ...versionsOf(organization), counts })

/** The `row_versions` of a new organization. */
export const noRows = JSON.stringify({
  counts: Object.fromEntries(countedTables.map((table) => [table, 0])),
})

/** Counts rows that were added, or removed, in the tables that the organization counts already. */
export const addToRowCounts = (
  tx: Queryable,
  organization: string,
  differences: RowCounts,
): Promise<void> => addToCountsOfAll(tx, [organization], differences)

/** Counts a new connection, for both of its organizations. */
export const countConnection = (
  tx: Queryable,
  { a_id, b_id }: Pick<Rows['connections'], 'a_id' | 'b_id'>,
): Promise<void> => addToCountsOfAll(tx, [a_id, b_id], { connections: 1 })

const addToCountsOfAll = async (
  tx: Queryable,
  organizations: readonly string[],
  differences: RowCounts,
): Promise<void> => {
  const ids = columnArray('uuid', organizations)
  await changeOrganizations(tx, sql`t.id = any(${ids})`, (row) => ({
    row_versions: withAdded(row, differences),
  }))
}

const withAdded = (organization: Organization, differences: RowCounts): string | null => {
  const counts = rowCountsOf(organization)
  const counted = countedTables.filter((table) => counts[table] !== undefined)
  if (counted.length === 0) return organization.row_versions
  const added = counted.map((table) => [table, counts[table]! + (differences[table] ?? 0)])
  return withCounts(organization, Object.fromEntries(added))
}

type CountedOrganization = PackedOrganization & { id: string } & Record<CountedTable, bigint>

/** The organizations `o`, with their rows in each table, of one snapshot. */
const countedOrganizations = (
  db: Queryable,
  tables: readonly CountedTable[],
  condition: SqlQuery,
): Promise<CountedOrganization[]> => {
  const counts = tables.map((table) => {
    const name = raw(table)
    return sql`, (select count(*) from ${name} r where ${isRowOf(table)}) as ${name}`
  })
  return db.rows(sql`
    select o.id, ${packedOrganization('o', 'h')} ${counts.reduce((all, one) => sql`${all} ${one}`)}
    from organizations o ${joinCounters('o', 'h')} where ${condition}`)
}

/** SQL: whether the row `r` is one of the organization `o`. */
const isRowOf = (table: CountedTable): SqlQuery =>
  table === 'connections' ? sql`(r.a_id = o.id or r.b_id = o.id)` : sql`r.organization_id = o.id`

const missingOf = (
  organization: Organization,
  counted: CountedOrganization,
  tables: readonly CountedTable[],
): BrokenSeal[] => {
  const counts = rowCountsOf(organization)
  return tables
    .filter((table) => Number(counted[table]) < (counts[table] ?? 0))
    .map(
      (table) => new BrokenSeal(table, `of ${encodeId('org', organization.id)}`, 'a row is gone'),
    )
}

/** Throws BrokenSeal if the organization has had more rows in the table. */
export const checkRowCount = async (
  db: Queryable,
  table: CountedTable,
  organization: string,
): Promise<void> => {
  const [row] = await countedOrganizations(db, [table], sql`o.id = ${organization}`)
  if (row === undefined) return
  const [missing] = missingOf(unpackOrganization(db.seals, row), row, [table])
  if (missing !== undefined) throw missing
}

/** An error for each table in which one of these organizations has had more rows. */
export const missingRows = async (
  db: Queryable,
  organizations: readonly string[],
): Promise<BrokenSeal[]> => {
  const wanted = sql`o.id = any(${columnArray('uuid', organizations)})`
  const rows = await countedOrganizations(db, countedTables, wanted)
  return rows.flatMap((row) => {
    const organization = orBrokenSeal(() => unpackOrganization(db.seals, row))
    if (organization instanceof BrokenSeal) return [organization]
    return missingOf(organization, row, countedTables)
  })
}

/**
 * Organizations of an older version, which do not count the rows of every table yet. A process of
 * one that knows fewer tables leaves out the counts of the others.
 */
export const uncountedOrganizations = async (db: Queryable, limit: number): Promise<string[]> => {
  const named = countedTables.map((table) => `%"${table}":%`)
  const rows = await db.rows<{ id: string }>(sql`
    select id from organizations
    where (substring(row_versions from '"counts":[{][^}]*') like all (${named}::text[])) is not true
    order by random() limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Takes the rows that are there for all that there are; returns the counts before, and now. */
export const recountRows = async (
  tx: Queryable,
  id: string,
): Promise<Record<'before' | 'now', RowCounts>> => {
  const locked = (await organizationForUpdate(tx, id))!
  await giveFirstVersions(tx, locked)
  const [row] = await countedOrganizations(tx, countedTables, sql`o.id = ${id}`)
  const now = Object.fromEntries(countedTables.map((table) => [table, Number(row![table])]))
  const set = (one: Organization) => ({ row_versions: withCounts(one, now) })
  await changeOrganizations(tx, sql`t.id = ${id}`, set)
  return { before: rowCountsOf(locked), now }
}

/** What an older version has written without a version gets one: it is missed from now on. */
const giveFirstVersions = async (tx: Queryable, organization: Organization): Promise<void> => {
  for (const table of onlyRowTables) {
    if (rowVersionOf(organization, table) > 0n) continue
    const own = sql`t.organization_id = ${organization.id}`
    const isCurrent = ({ version }: { version: bigint | null }) => (version ?? 0n) === 0n
    const given = await setInIntactRows(tx, table, own, { isCurrent, set: { version: 1n } })
    if (given > 0) await countRowChange(tx, table, organization.id)
  }
}
