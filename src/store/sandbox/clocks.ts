/** The clocks of sandbox organizations, which may be ahead of the real time but never behind it. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { changeOrganizations } from '../identity/access-versions.ts'
import { organizationById } from '../identity/organizations.ts'
import { databaseNow } from '../../database/database-clock.ts'

export interface OrganizationClock {
  now: string
  offset_seconds: bigint
}

export const organizationClock = async (
  db: Queryable,
  organization: string,
): Promise<OrganizationClock> => {
  const { clock_offset_seconds: offset } = (await organizationById(db, organization))!
  const now = Date.parse(await databaseNow(db)) + Number(offset) * 1_000
  return { now: new Date(now).toISOString(), offset_seconds: offset }
}

/** Locks the clocks, so that concurrent advances add up. A later statement must read them. */
export const lockClocks = (db: Queryable, organizations: readonly string[]): Promise<number> =>
  db.run(sql`
    select 1 from organizations where id = any(${columnArray('uuid', organizations)})
    order by id for no key update`)

/** Clocks only move forward: one that is further ahead stays there. */
export const advanceClocks = (
  db: Queryable,
  organizations: readonly string[],
  offsetSeconds: bigint,
): Promise<Rows['organizations'][]> => {
  const ids = columnArray('uuid', organizations)
  return changeOrganizations(
    db,
    sql`t.id = any(${ids}) and t.mode = 'test'`,
    ({ clock_offset_seconds: current }) => ({
      clock_offset_seconds: current > offsetSeconds ? current : offsetSeconds,
    }),
  )
}
