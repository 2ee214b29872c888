/** Organizations and their counters: plain rows, no rules. */
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'
import { changeOrganizations, currentOrganizations } from './access-versions.ts'

export type OrganizationRow = Rows['organizations']

export const organizationById = async (
  db: Queryable,
  id: string,
): Promise<OrganizationRow | undefined> =>
  (await currentOrganizations(db, sql`where t.id = ${id}`))[0]

/** Organizations whose name contains the text, newest first. */
export const organizationsLike = (
  db: Queryable,
  name: string,
  limit: number,
): Promise<OrganizationRow[]> =>
  currentOrganizations(
    db,
    sql`where strpos(lower(t.name), lower(${name})) > 0 order by t.id desc limit ${limit}`,
  )

export const defaultCurrencyOf = async (db: Queryable, organization: string): Promise<string> =>
  (await organizationById(db, organization))!.default_currency

export const insertOrganization = (db: Queryable, row: OrganizationRow): Promise<number> =>
  insertRows(db, 'organizations', [row])

export const insertCounters = (db: Queryable, organization: string, at: string): Promise<number> =>
  insertRows(db, 'organization_counters', [
    {
      organization_id: organization,
      organization_version: 0n,
      changed_at: at,
      feed: 0n,
      numbers: '{}',
      quotas: '{}',
    },
  ])

/** Changes when an organization was verified or suspended, or its profile. */
export const changeOrganization = (
  db: Queryable,
  id: string,
  set: Partial<Pick<OrganizationRow, 'verified_at' | 'suspended_at' | 'profile_digest'>>,
): Promise<OrganizationRow[]> => changeOrganizations(db, sql`t.id = ${id}`, () => set)
