/**
 * Calls of an organization, counted by PostgreSQL: the request log is shown to people and sealed
 * nowhere, so there is nothing to prove. One range of its primary key, of bounded length.
 */
import { limits } from '../contract/limits.ts'
import type { StatisticsCount } from '../contract/shapes/statistics.ts'
import type { Period } from '../core/statistics.ts'
import { type Queryable, inlined, sql } from '../database/sql.ts'
import { errorCode, isRetained } from './request-log.ts'

interface CountedCalls {
  start: string | null
  class: number | null
  code: string | null
  count: bigint
  replays: bigint
  median: number
  p95: number
}

export const countedCalls = async (
  db: Queryable,
  organization: string,
  { from, to, interval }: Period,
): Promise<{ counts: StatisticsCount[]; is_complete: boolean }> => {
  const rows = await db.rows<CountedCalls>(sql`
    select start, class, code, count(*) as count,
      count(original_request_id) as replays,
      percentile_disc(0.5) within group (order by duration_ms) as median,
      percentile_disc(0.95) within group (order by duration_ms) as p95
    from (
      select date_trunc(${interval}, to_timestamp(
          ('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
          at time zone 'UTC')::date as start,
        status / 100 as class, ${errorCode} as code, duration_ms,
        original_request_id
      from requests
      where organization_id = ${organization} and ${isRetained}
        and id >= first_uuid_at(${from}::date::timestamp at time zone 'UTC')
        and id < first_uuid_at((${to}::date + 1)::timestamp at time zone 'UTC')
      order by id desc limit ${inlined(limits.statisticsCallsMax)}
    ) r
    group by grouping sets ((start), (start, class), (code))
    order by start, class nulls last, count desc, code`)
  const ofDays = rows.filter(({ start }) => start !== null)
  const answered = ofDays.map((row) => toCount(row, 'answered', classOf(row)))
  const refused = rows
    .filter(({ start, code }) => start === null && code !== null)
    .slice(0, limits.statisticsErrorCodesMax)
    .map((row) => toCount(row, 'refused', row.code))
  const all = answered.filter(({ bucket }) => bucket === null)
  const scanned = all.reduce((sum, { count }) => sum + count, 0)
  const replayed = ofDays.filter((row) => row.class === null && row.replays > 0n).map(toReplays)
  return {
    counts: [...answered, ...replayed, ...refused],
    is_complete: scanned < limits.statisticsCallsMax,
  }
}

const classOf = ({ class: hundreds }: CountedCalls): string | null =>
  hundreds === null ? null : `${hundreds}xx`

const toCount = (
  { start, count, median, p95 }: CountedCalls,
  group: string,
  bucket: string | null,
): StatisticsCount => ({ start, group, bucket, count: Number(count), duration_ms: { median, p95 } })

/** What a replay took is part of `answered`. */
const toReplays = ({ start, replays }: CountedCalls): StatisticsCount => ({
  start,
  group: 'replayed',
  bucket: null,
  count: Number(replays),
  duration_ms: null,
})
