/** Practice pairs. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type SandboxRow = Rows['sandboxes']

export interface SandboxView extends SandboxRow {
  name: string
  is_verified: boolean
  demo_name: string
  demo_is_verified: boolean
}

export const insertSandbox = (db: Queryable, row: SandboxRow): Promise<number> =>
  db.run(sql`
    insert into sandboxes (id, owner_id, mode, organization_id, demo_organization_id, connection_id,
      created_at)
    values (${row.id}, ${row.owner_id}, ${row.mode}, ${row.organization_id},
      ${row.demo_organization_id}, ${row.connection_id}, ${row.created_at})`)

/** The owner of a practice organization; undefined if it was not provisioned as one. */
export const ownerOfSandbox = async (
  db: Queryable,
  organization: string,
): Promise<string | undefined> =>
  (
    await db.row<{ owner_id: string }>(
      sql`select owner_id from sandboxes where organization_id = ${organization}`,
    )
  )?.owner_id

export const countSandboxes = async (db: Queryable, owner: string): Promise<number> =>
  Number(
    (await db.row<{ count: bigint }>(
      sql`select count(*) as count from sandboxes where owner_id = ${owner}`,
    ))!.count,
  )

/** The two organizations of a pair and their connection. */
export type SandboxPairIds = Pick<
  SandboxRow,
  'organization_id' | 'demo_organization_id' | 'connection_id'
>

/**
 * The organizations that share one clock and are reset together: the two of a pair, or one that
 * belongs to none. A partner is never among them.
 */
export interface PracticePair {
  organizations: readonly string[]
  /** The connection between the two. */
  connection: string | undefined
}

export const practicePairOf = async (
  db: Queryable,
  organization: string,
): Promise<PracticePair> => {
  const pair = await db.row<SandboxPairIds>(sql`
    select organization_id, demo_organization_id, connection_id from sandboxes
    where ${organization} in (organization_id, demo_organization_id)`)
  return pair === undefined
    ? { organizations: [organization], connection: undefined }
    : {
        organizations: [pair.organization_id, pair.demo_organization_id],
        connection: pair.connection_id,
      }
}

/** The pairs of an owner or of an organization whose demo side has sent nothing yet. */
export const pairsWithoutDocuments = (
  db: Queryable,
  scope: { owner: string } | { organization: string },
): Promise<SandboxRow[]> =>
  db.rows<SandboxRow>(sql`
    select s.* from sandboxes s
    join organization_counters h on h.organization_id = s.demo_organization_id
    where h.numbers = '{}' and ${
      'owner' in scope
        ? sql`s.owner_id = ${scope.owner}`
        : sql`${scope.organization} in (s.organization_id, s.demo_organization_id)`
    }`)

const sandboxViews = sql`
  select s.*, o.name, o.verified_at is not null as is_verified,
    d.name as demo_name, d.verified_at is not null as demo_is_verified
  from sandboxes s
  join organizations o on o.id = s.organization_id
  join organizations d on d.id = s.demo_organization_id`

export const sandboxesOf = (
  db: Queryable,
  owner: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<SandboxView[]> =>
  db.rows<SandboxView>(sql`
    ${sandboxViews} where s.owner_id = ${owner} ${before === undefined ? sql`` : sql`and s.id < ${before}`}
    order by s.id desc limit ${limit}`)

export const sandboxById = (db: Queryable, id: string): Promise<SandboxView | undefined> =>
  db.row(sql`${sandboxViews} where s.id = ${id}`)
