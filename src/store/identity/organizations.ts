/** Organizations and their counters: plain rows, no rules. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'
import { activeKeyCount } from './keys.ts'

export type OrganizationRow = Rows['organizations']

export const organizationForUpdate = (
  db: Queryable,
  id: string,
): Promise<OrganizationRow | undefined> =>
  db.row(sql`select * from organizations where id = ${id} for no key update`)

/** Organizations whose name contains the text, newest first. */
export const organizationsLike = (
  db: Queryable,
  name: string,
  limit: number,
): Promise<OrganizationRow[]> =>
  db.rows<OrganizationRow>(sql`
    select * from organizations where strpos(lower(name), lower(${name})) > 0
    order by id desc limit ${limit}`)

export const defaultCurrencyOf = async (db: Queryable, organization: string): Promise<string> =>
  (await db.row<{ default_currency: string }>(
    sql`select default_currency from organizations where id = ${organization}`,
  ))!.default_currency

export const insertOrganization = (db: Queryable, row: OrganizationRow): Promise<number> =>
  db.run(sql`
    insert into organizations (id, mode, name, sandbox_of, default_currency, clock_offset_seconds,
      verified_at, suspended_at, is_demo, created_at)
    values (${row.id}, ${row.mode}, ${row.name}, ${row.sandbox_of}, ${row.default_currency},
      ${row.clock_offset_seconds}, ${row.verified_at}, ${row.suspended_at}, ${row.is_demo}, ${row.created_at})`)

export const insertCounters = (db: Queryable, organization: string, at: string): Promise<number> =>
  db.run(sql`
    insert into organization_counters (organization_id, changed_at) values (${organization}, ${at})`)

export interface StoredQuotas {
  /** The usage that is counted with the organization's counters. */
  quotas: string
  active_keys: bigint
  now: string
}

export const quotasUsed = async (db: Queryable, organization: string): Promise<StoredQuotas> =>
  (await db.row<StoredQuotas>(sql`
    select quotas, ${activeKeyCount(organization)} as active_keys, clock_timestamp() as now
    from organization_counters where organization_id = ${organization}`))!

export const setVerified = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`
    update organizations set verified_at = clock_timestamp()
    where id = ${id} and verified_at is null`)

export const setSuspended = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`
    update organizations set suspended_at = clock_timestamp()
    where id = ${id} and suspended_at is null`)

export const setResumed = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`
    update organizations set suspended_at = null where id = ${id} and suspended_at is not null`)
