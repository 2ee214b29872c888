/** The clocks of sandbox organizations, which may be ahead of the real time but never behind it. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'

/** The organization and the ones it is connected to, which share one clock. */
export const organizationsSharingClock = async (
  db: Queryable,
  organization: string,
): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select id from organizations where mode = 'test' and (id = ${organization} or id in (
      select case a_id when ${organization} then b_id else a_id end from connections
      where ${organization} in (a_id, b_id) and status = 'active'))
    order by id`)
  return rows.map(({ id }) => id)
}

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

/** Clocks only move forward: one that is further ahead stays there. */
export const advanceClocks = (
  db: Queryable,
  organizations: readonly string[],
  offsetSeconds: bigint,
): Promise<number> =>
  db.run(sql`
    update organizations set clock_offset_seconds = greatest(clock_offset_seconds, ${offsetSeconds}::bigint)
    where id = any(${columnArray('uuid', organizations)}) and mode = 'test'`)
