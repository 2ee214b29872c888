/** The clocks of sandbox organizations, which may be ahead of the real time but never behind it. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { insertRows } from '../../database/table-writes.ts'
import {
  type PackedOrganization,
  changeOrganizations,
  joinCounters,
  packedOrganization,
  unpackOrganization,
} from '../identity/access-versions.ts'
import { organizationById } from '../identity/organizations.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { limits } from '../../contract/limits.ts'
import { later } from '../../core/dates.ts'

export interface OrganizationClock {
  now: string
  offset_seconds: bigint
  /** Another one after each reset, which returns the clock to the real time. */
  reset_position: bigint
}

export const organizationClock = async (
  db: Queryable,
  organization: string,
): Promise<OrganizationClock> => {
  const row = (await organizationById(db, organization))!
  const { clock_offset_seconds: offset_seconds, reset_position } = row
  return { now: shifted(await databaseNow(db), offset_seconds), offset_seconds, reset_position }
}

/** A time that is this many seconds later. */
export const shifted = (time: string, seconds: bigint): string =>
  later(time, Number(seconds) * 1_000)

/** Locks the clocks, so that none of two moves is lost. A later statement must read them. */
export const lockClocks = (db: Queryable, organizations: readonly string[]): Promise<number> =>
  db.run(sql`
    select 1 from organizations where id = any(${columnArray('uuid', organizations)})
    order by id for no key update`)

/** Clocks only move forward: one that is further ahead stays there. */
export const advanceClocks = async (
  tx: Queryable,
  organizations: readonly string[],
  { offset: offsetSeconds, target }: Record<'offset' | 'target', bigint>,
): Promise<void> => {
  const ids = columnArray('uuid', organizations)
  const isBehind = sql`t.id = any(${ids}) and t.mode = 'test'
    and t.clock_offset_seconds < ${offsetSeconds}`
  const behind = await sealedRows(tx, 'organizations', sql`where ${isBehind}`)
  await changeOrganizations(tx, isBehind, () => ({ clock_offset_seconds: offsetSeconds }))
  const advanced_at = await databaseNow(tx)
  const advances = behind.map(({ id, clock_offset_seconds }) => ({
    organization_id: id,
    offset_seconds: offsetSeconds,
    previous_offset_seconds: clock_offset_seconds,
    advanced_at,
    clock_at: shifted(advanced_at, offsetSeconds),
    // Processes without the column can read the last step.
    target_seconds: target > offsetSeconds ? target : null,
  }))
  await insertRows(tx, 'clock_advances', advances)
}

/** How far ahead the clock is on its way to be: its last step says so. */
export const targetOf = async (
  db: Queryable,
  organization: string,
  { offset_seconds: offset }: OrganizationClock,
): Promise<bigint> => {
  const last = sql`where organization_id = ${organization} and offset_seconds = ${offset}`
  return (await sealedRow(db, 'clock_advances', last))?.target_seconds ?? offset
}

/**
 * Organizations whose clocks stopped on their way since yesterday, and have not moved for a while.
 * The steps are read again by whoever goes on, and only then is it known whether their seals hold.
 */
export const clocksLeft = (db: Queryable, limit: number): Promise<{ organization: string }[]> =>
  db.rows(sql`
    select a.organization_id as organization
    from clock_advances a join organizations o on o.id = a.organization_id
    where a.target_seconds > a.offset_seconds and o.clock_offset_seconds = a.offset_seconds
      and a.advanced_at > pg_catalog.clock_timestamp()
        - make_interval(secs => ${limits.clockAdvanceTakenUpMs / 1_000})
      and a.advanced_at < pg_catalog.clock_timestamp()
        - make_interval(secs => ${limits.clockAdvanceIdleMs / 1_000})
    order by a.advanced_at limit ${limit}`)

type PackedAdvances = PackedOrganization & Record<'last' | 'next', string | null>

/**
 * The real time at which the organization's clock showed `at`. A time that an advance skipped was
 * shown when the clock was advanced. Throws BrokenSeal unless the advances before and after it
 * follow each other, in the order of their offsets: the database's clock may have gone back since.
 */
export const realTimeOf = async (
  db: Queryable,
  organization: string,
  at: string,
): Promise<string> => {
  const advance = packedRow('clock_advances', 'a')
  const row = await db.row<PackedAdvances>(sql`
    select ${packedOrganization('o', 'h')}, l.last, n.next
    from organizations o ${joinCounters('o', 'h')}
    left join lateral (
      select a.offset_seconds, ${advance} as last from clock_advances a
      where a.organization_id = o.id and a.clock_at <= ${at}
      order by a.offset_seconds desc limit 1) l on true
    left join lateral (
      select ${advance} as next from clock_advances a
      where a.organization_id = o.id and a.offset_seconds > coalesce(l.offset_seconds, 0)
      order by a.offset_seconds limit 1) n on true
    where o.id = ${organization}`)
  const [last, next] = [row!.last, row!.next].map((text) =>
    text === null ? undefined : unpackRow(db.seals, 'clock_advances', text),
  )
  const offset = last?.offset_seconds ?? 0n
  const { clock_offset_seconds } = unpackOrganization(db.seals, row!)
  const isFollowed = offset === (next?.previous_offset_seconds ?? clock_offset_seconds)
  const isOwn = [last, next].every((one) => (one?.organization_id ?? organization) === organization)
  if (!isFollowed || !isOwn) throw new BrokenSeal('clock_advances', `${organization} ${offset}`)
  const time = shifted(at, -offset)
  return next !== undefined && next.advanced_at < time ? next.advanced_at : time
}
