/** Profiles of organizations, by their digests. */
import type { Rows } from '../../database/rows.ts'
import { sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'

export type ProfileRow = Rows['organization_profiles']

export const profileOf = (
  db: Queryable,
  organization: string,
  digest: string,
): Promise<ProfileRow | undefined> =>
  sealedRow(
    db,
    'organization_profiles',
    sql`where t.organization_id = ${organization} and t.digest = ${digest}`,
  )

/** A profile that the organization has had before stays as it is. */
export const keepProfile = (tx: Queryable, row: ProfileRow): Promise<number> =>
  insertRows(tx, 'organization_profiles', [row], sql`on conflict do nothing`)
