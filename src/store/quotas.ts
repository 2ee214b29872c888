/** What quotas count. The number that `me` shows is the one that decides about another row. */
import type { QuotaName, stockQuotas } from '../contract/quotas.ts'
import { sealedRow } from '../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../database/sql.ts'
import { countOf } from '../database/counts.ts'

/** Quotas counted with the organization's counters, by the writes that consume them. */
export type CountedQuota = 'documents_per_day' | 'payments_per_day' | (typeof stockQuotas)[number]

/** The other quotas: rows are counted, since some end by themselves or belong to an owner. */
export type RowQuota = Exclude<QuotaName, CountedQuota>

/** The rows of an organization; the practice pairs are those of their owner. */
const countOfRows: Readonly<Record<RowQuota, (holder: string) => SqlQuery>> = {
  active_keys: (organization) => sql`
    (select count(*) from keys
     where organization_id = ${organization} and revoked_at is null and rotated_to_id is null
       and (expires_at is null or expires_at > pg_catalog.clock_timestamp()))`,
  webhook_endpoints: (organization) => sql`
    (select count(*) from webhook_endpoints where organization_id = ${organization})`,
  sandboxes: (owner) => sql`(select count(*) from sandboxes where owner_id = ${owner})`,
}

/** A statement later than the lock under which such rows are added, so it sees all of them. */
export const countRows = (db: Queryable, quota: RowQuota, holder: string): Promise<number> =>
  countOf(db, sql`select ${countOfRows[quota](holder)} as count`)

export interface StoredQuotas {
  /** The usage that is counted with the organization's counters. */
  quotas: string
  rows: Record<RowQuota, number>
  now: string
}

export const quotasUsed = async (
  db: Queryable,
  organization: string,
  sandboxOwner: string,
): Promise<StoredQuotas> => {
  const [counters, counted] = await Promise.all([
    sealedRow(db, 'organization_counters', sql`where organization_id = ${organization}`),
    db.row<Record<RowQuota, bigint> & { now: string }>(sql`
      select ${countOfRows.active_keys(organization)} as active_keys,
        ${countOfRows.webhook_endpoints(organization)} as webhook_endpoints,
        ${countOfRows.sandboxes(sandboxOwner)} as sandboxes,
        pg_catalog.clock_timestamp() as now`),
  ])
  const { now, ...counts } = counted!
  const rows = Object.entries(counts).map(([quota, count]) => [quota, Number(count)])
  return { quotas: counters!.quotas, rows: Object.fromEntries(rows) as StoredQuotas['rows'], now }
}
