/** Profiles of organizations, by their digests. */
import type { Rows } from '../../database/rows.ts'
import { sealedRow, sealedRows } from '../../database/sealed-rows.ts'
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

/** The versions after this one, or after none, in their order. */
export const profilesAfter = (
  db: Queryable,
  organization: string,
  { after, limit }: { after: ProfileRow | undefined; limit: number },
): Promise<ProfileRow[]> =>
  sealedRows(
    db,
    'organization_profiles',
    sql`where t.organization_id = ${organization}
        and t.created_at > ${after?.created_at ?? '-infinity'}
      order by t.created_at limit ${limit}`,
  )

export const keepProfile = (tx: Queryable, row: ProfileRow): Promise<number> =>
  insertRows(tx, 'organization_profiles', [row])
