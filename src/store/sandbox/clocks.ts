/** The clocks of sandbox organizations, which may be ahead of the real time but never behind it. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'

export interface OrganizationClock {
  now: string
  offset_seconds: bigint
}

export const organizationClock = async (
  db: Queryable,
  organization: string,
): Promise<OrganizationClock> =>
  (await db.row<OrganizationClock>(sql`
    select clock_timestamp() + make_interval(secs => clock_offset_seconds) as now,
      clock_offset_seconds as offset_seconds
    from organizations where id = ${organization}`))!

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
): Promise<number> =>
  db.run(sql`
    update organizations set clock_offset_seconds = greatest(clock_offset_seconds, ${offsetSeconds}::bigint)
    where id = any(${columnArray('uuid', organizations)}) and mode = 'test'`)
