/**
 * An approval that was declined, or that a reset has deleted, comes back by no old row
 * (docs/decisions/0178): while it is pending or approved, it repeats the version that its
 * organization has of the table (store/identity/row-versions.ts).
 */
import { statusOf } from '../../core/approvals/approval-decisions.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import {
  checkRowVersion,
  countSharedChange,
  lockCounters,
  lockOrganizations,
  ownRows,
} from '../identity/row-versions.ts'

/** The rows `t`. Throws BrokenSeal unless each of those that are open is the last one. */
export const currentApprovals = async (
  db: Queryable,
  organization: string,
  rest: SqlQuery,
): Promise<Rows['approvals'][]> => {
  const [{ rows, owner }, now] = await Promise.all([
    ownRows(db, 'approvals', organization, sql`t.id is not null ${rest}`),
    databaseNow(db),
  ])
  for (const row of rows) checkApproval(row, owner!, now)
  return rows
}

/** One that has ended or expired lets nothing through, so that it needs no version. */
export const checkApproval = (
  row: Rows['approvals'],
  organization: Rows['organizations'],
  now: string,
): void => {
  const status = statusOf(row, now)
  if (status === 'pending' || status === 'approved') checkRowVersion('approvals', row, organization)
}

/** Approvals that have just expired are among them, since the clock may be set back. */
const openApprovalsOf = (organization: string): SqlQuery => sql`
  t.organization_id = ${organization} and t.status in ('pending', 'approved')
  and t.expires_at > pg_catalog.clock_timestamp() - interval '1 day'`

/** Locks the organization and all of its open approvals. */
export const lockOpenApprovals = async (tx: Queryable, organization: string): Promise<void> => {
  await lockOrganizations(tx, [organization])
  await tx.rows(sql`
    select t.id from approvals t where ${openApprovalsOf(organization)}
    order by t.id for no key update`)
}

/**
 * Counts that approvals of the organization were taken back, and seals those that are open with the
 * new version. The caller has locked the organization and all of them, and saved what ended.
 */
export const countEndOfApprovals = async (tx: Queryable, organization: string): Promise<void> => {
  // A write that asks for an approval holds the counters, and may have added one since.
  await lockCounters(tx, organization)
  await countSharedChange(tx, 'approvals', organization, openApprovalsOf(organization))
}
