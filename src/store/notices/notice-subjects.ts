/**
 * What members are to be told and have not been told yet. These rows only say where to look:
 * whoever tells something loads it, checks its seal, and sees whether it is still so.
 */
import { approvalLimits } from '../../contract/approval-limits.ts'
import { limits } from '../../contract/limits.ts'
import type { MemberNotice } from '../../contract/notices.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'

export interface NoticeSubject {
  kind: MemberNotice
  subject_id: string
  organization_id: string
}

const told = inlined(limits.endpointFailuresTold)
const disabling = inlined(limits.webhookFailuresMax)
const milliseconds = (count: number) => raw(`interval '${count} milliseconds'`)
const lifetime = milliseconds(limits.noticeLifetimeMs)
const asked = milliseconds(approvalLimits.approvalLifetimeMs)
const late = milliseconds(limits.noticeCausesLateMs)
const lead = raw(`interval '${limits.keyExpiryNoticeDays} days'`)

interface SubjectRange {
  since: string
  /** How many are looked at. */
  window: number
}

/**
 * Each selects the columns `subject_id`, `organization_id` and `at`: its order, or null where all
 * are looked at, since there are never many.
 */
const candidates: Readonly<Record<MemberNotice, (range: SubjectRange) => SqlQuery>> = {
  approval_wanted: ({ since, window }) => sql`
    select id as subject_id, organization_id, expires_at - ${asked} as at from approvals
    where status = 'pending' and expires_at > pg_catalog.clock_timestamp()
      and expires_at >= ${since}::timestamptz + ${asked}
    order by expires_at limit ${window}`,
  payment_failed: ({ since, window }) => sql`
    select p.id as subject_id, party.id as organization_id, p.updated_at as at
    from payments p cross join lateral unnest(array[p.payer_id, p.payee_id]) as party (id)
    where p.failure_code is not null and p.updated_at > pg_catalog.clock_timestamp() - ${lifetime}
      and p.updated_at >= ${since}
    order by p.updated_at limit ${window}`,
  // Many failures at once disable it between two looks. One that an admin disables needs no notice,
  // and what was disabled long ago is no news once its notice is purged.
  endpoint_failing: () => sql`
    select id as subject_id, organization_id, null::timestamptz as at from webhook_endpoints
    where consecutive_failures >= ${told} and (status = 'ACTIVE'
      or consecutive_failures >= ${disabling}
        and last_failure_at > pg_catalog.clock_timestamp() - ${lifetime})`,
  // A key that was made for a few days is expected to end; one that was rotated ends when the first
  // one would have.
  key_expiring: () => sql`
    select id as subject_id, organization_id, null::timestamptz as at from keys
    where revoked_at is null and rotated_to_id is null and expires_at > pg_catalog.clock_timestamp()
      and expires_at < pg_catalog.clock_timestamp() + ${lead}
      and (rotated_from_id is not null or expires_at > created_at + ${lead})`,
}

export interface UntoldSubjects {
  subjects: NoticeSubject[]
  /** Everything before it has been told. */
  since: string
}

/**
 * The first ones since a time. What is told already would be looked at again and again otherwise,
 * for a day, and there is no bound on it. What has `failed`, since its rows cannot be believed, is
 * tried while it is within reach, and holds up none behind it. A time that is still to come is from
 * before the clock was set back.
 */
export const untoldSubjects = async (
  db: Queryable,
  kind: MemberNotice,
  { limit, failed, ...range }: SubjectRange & { limit: number; failed: readonly string[] },
): Promise<UntoldSubjects> => {
  const hasFailed = sql`subject_id = any(${columnArray('uuid', failed)}::uuid[])`
  const rows = await db.rows<Omit<NoticeSubject, 'kind'> & { next: string }>(sql`
    with looked_at as materialized (${candidates[kind](range)}),
      untold as (
        select c.* from looked_at c
        where not exists (
          select 1 from notices n
          where n.subject_id = c.subject_id and n.kind = ${kind}
            and n.organization_id = c.organization_id))
    select u.subject_id, u.organization_id, e.next
    from (select case when ${range.since}::timestamptz > pg_catalog.clock_timestamp()
      then to_timestamp(0) else greatest(${range.since}::timestamptz, least(pg_catalog.clock_timestamp() - ${late},
        (select min(at) from untold where not ${hasFailed}),
        (select max(at) from looked_at having count(*) >= ${range.window}))) end as next) e
    left join (select * from untold order by at limit ${limit}) u on true`)
  const subjects = rows.flatMap(({ subject_id, organization_id }) =>
    subject_id === null ? [] : [{ kind, subject_id, organization_id }],
  )
  return { subjects, since: rows[0]!.next }
}

/** An endpoint that has recovered is told of again when it fails anew. */
export const forgetRecoveredEndpoints = (db: Queryable): Promise<number> =>
  db.run(sql`
    delete from notices n
    where n.kind = 'endpoint_failing' and n.due_at is null and not exists (
      select 1 from webhook_endpoints w
      where w.id = n.subject_id and w.consecutive_failures >= ${told})`)
