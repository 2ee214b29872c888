/** What the sandbox keeps beside the records: clocks, scripts, and who plays whom. */
import { type Session, sql } from '../sql.ts'
import { columnArray } from './arrays.ts'
import type { Rows } from './rows.ts'

/** The organization and those it is connected to: they share one clock. */
export const clockSharers = async (session: Session, organization: string): Promise<string[]> => {
  const rows = await session.rows<{ id: string }>(sql`
    select id from organizations where mode = 'test' and (id = ${organization} or id in (
      select case a_id when ${organization} then b_id else a_id end from connections
      where ${organization} in (a_id, b_id) and status = 'active'))
    order by id`)
  return rows.map(({ id }) => id)
}

export interface Clock {
  now: string
  offset_seconds: bigint
}

export const clockOf = async (session: Session, organization: string): Promise<Clock> =>
  (
    await session.rows<Clock>(sql`
      select clock_timestamp() + make_interval(secs => clock_offset_seconds) as now,
        clock_offset_seconds as offset_seconds
      from organizations where id = ${organization}`)
  )[0]!

/** Clocks only move forward: whoever is further ahead stays there. */
export const setClocks = (
  session: Session,
  organizations: readonly string[],
  offsetSeconds: bigint,
): Promise<number> =>
  session.run(sql`
    update organizations set clock_offset_seconds = greatest(clock_offset_seconds, ${offsetSeconds}::bigint)
    where id = any(${columnArray('uuid', organizations)}) and mode = 'test'`)

/** The played counterparty of an organization, and the connection to it. */
export const demoCounterparty = async (
  session: Session,
  organization: string,
): Promise<{ id: string; connection_id: string } | undefined> =>
  (
    await session.rows<{ id: string; connection_id: string }>(sql`
      select o.id, c.id as connection_id from connections c
      join organizations o on o.id in (c.a_id, c.b_id) and o.id <> ${organization} and o.is_demo
      where ${organization} in (c.a_id, c.b_id) and c.status = 'active' order by c.id limit 1`)
  )[0]

export type DueScript = Pick<Rows['demo_scripts'], 'document_id' | 'organization_id'>

/** The next steps of played organizations, by their clocks. */
export const dueScripts = (session: Session, most: number): Promise<DueScript[]> =>
  session.rows<DueScript>(sql`
    select s.document_id, s.organization_id from demo_scripts s
    join organizations o on o.id = s.organization_id
    where s.due_at is not null
      and s.due_at <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds)
    order by s.due_at limit ${most}`)

/** All that some played organizations are still going to do, whenever. */
export const pendingScripts = (
  session: Session,
  organizations: readonly string[],
): Promise<DueScript[]> =>
  session.rows<DueScript>(sql`
    select document_id, organization_id from demo_scripts
    where due_at is not null and organization_id = any(${columnArray('uuid', organizations)})
    order by due_at`)
