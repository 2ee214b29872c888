/**
 * What members are to be told and have not been told yet. These rows only say where to look:
 * whoever tells something loads it, checks its seal, and sees whether it is still so.
 */
import { limits } from '../../contract/limits.ts'
import type { MemberNotice } from '../../contract/notices.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'

export interface NoticeSubject {
  kind: MemberNotice
  subject_id: string
  organization_id: string
}

const told = inlined(limits.endpointFailuresTold)
const disabling = inlined(limits.webhookFailuresMax)
const lifetime = raw(`interval '${limits.noticeLifetimeMs} milliseconds'`)
const lead = raw(`interval '${limits.keyExpiryNoticeDays} days'`)

/** Each selects the columns `subject_id` and `organization_id`. */
const candidates: Readonly<Record<MemberNotice, SqlQuery>> = {
  approval_wanted: sql`
    select id as subject_id, organization_id from approvals
    where status = 'pending' and expires_at > pg_catalog.clock_timestamp()`,
  payment_failed: sql`
    select p.id as subject_id, party.id as organization_id
    from payments p cross join lateral unnest(array[p.payer_id, p.payee_id]) as party (id)
    where p.failure_code is not null and p.updated_at > pg_catalog.clock_timestamp() - ${lifetime}`,
  // Many failures at once disable it between two looks. One that an admin disables needs no notice,
  // and what was disabled long ago is no news once its notice is purged.
  endpoint_failing: sql`
    select id as subject_id, organization_id from webhook_endpoints
    where consecutive_failures >= ${told} and (status = 'ACTIVE'
      or consecutive_failures >= ${disabling}
        and last_failure_at > pg_catalog.clock_timestamp() - ${lifetime})`,
  // A key that was made for a few days is expected to end; one that was rotated ends when the first
  // one would have.
  key_expiring: sql`
    select id as subject_id, organization_id from keys
    where revoked_at is null and rotated_to_id is null and expires_at > pg_catalog.clock_timestamp()
      and expires_at < pg_catalog.clock_timestamp() + ${lead}
      and (rotated_from_id is not null or expires_at > created_at + ${lead})`,
}

export const untoldSubjects = async (
  db: Queryable,
  kind: MemberNotice,
  limit: number,
): Promise<NoticeSubject[]> => {
  const rows = await db.rows<Omit<NoticeSubject, 'kind'>>(sql`
    select c.subject_id, c.organization_id from (${candidates[kind]}) c
    where not exists (
      select 1 from notices n
      where n.subject_id = c.subject_id and n.kind = ${kind}
        and n.organization_id = c.organization_id)
    limit ${limit}`)
  return rows.map((row) => ({ kind, ...row }))
}

/** An endpoint that has recovered is told of again when it fails anew. */
export const forgetRecoveredEndpoints = (db: Queryable): Promise<number> =>
  db.run(sql`
    delete from notices n
    where n.kind = 'endpoint_failing' and n.due_at is null and not exists (
      select 1 from webhook_endpoints w
      where w.id = n.subject_id and w.consecutive_failures >= ${told})`)
