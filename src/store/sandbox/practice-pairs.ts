/** Practice pairs. */
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import { sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'
import {
  type PackedOrganization,
  joinCounters,
  packedOrganization,
  unpackOrganization,
} from '../identity/access-versions.ts'

export type SandboxRow = Rows['sandboxes']

export interface SandboxView extends SandboxRow {
  name: string
  is_verified: boolean
  demo_name: string
  demo_is_verified: boolean
}

export const insertSandbox = (db: Queryable, row: SandboxRow): Promise<number> =>
  insertRows(db, 'sandboxes', [row])

/** The owner of a practice organization; undefined if it was not provisioned as one. */
export const ownerOfSandbox = async (
  db: Queryable,
  organization: string,
): Promise<string | undefined> =>
  (await sealedRow(db, 'sandboxes', sql`where organization_id = ${organization}`))?.owner_id

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
  const pair = await sealedRow(
    db,
    'sandboxes',
    sql`where ${organization} in (organization_id, demo_organization_id)`,
  )
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
  sealedRows(
    db,
    'sandboxes',
    sql`
    join organization_counters h on h.organization_id = t.demo_organization_id
    where h.numbers = '{}' and ${
      'owner' in scope
        ? sql`t.owner_id = ${scope.owner}`
        : sql`${scope.organization} in (t.organization_id, t.demo_organization_id)`
    }`,
  )

type PackedSandbox = PackedOrganization & Record<'sandbox' | 'demo' | 'demo_counters', string>

const sandboxViews = sql`
  select ${packedRow('sandboxes', 's')} as sandbox, ${packedOrganization('o', 'h')},
    ${packedRow('organizations', 'd')} as demo,
    ${packedRow('organization_counters', 'dh')} as demo_counters
  from sandboxes s
  join organizations o on o.id = s.organization_id ${joinCounters('o', 'h')}
  join organizations d on d.id = s.demo_organization_id ${joinCounters('d', 'dh')}`

const unpackSandbox = (seals: RowSeals, packed: PackedSandbox): SandboxView => {
  const { name, verified_at } = unpackOrganization(seals, packed)
  const { demo: organization, demo_counters: counters } = packed
  const demo = unpackOrganization(seals, { organization, counters })
  return {
    ...unpackRow(seals, 'sandboxes', packed.sandbox),
    name,
    is_verified: verified_at !== null,
    demo_name: demo.name,
    demo_is_verified: demo.verified_at !== null,
  }
}

export const sandboxesOf = async (
  db: Queryable,
  owner: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<SandboxView[]> => {
  const position = before === undefined ? sql`` : sql`and s.id < ${before}`
  const rows = await db.rows<PackedSandbox>(sql`
    ${sandboxViews} where s.owner_id = ${owner} ${position} order by s.id desc limit ${limit}`)
  return rows.map((row) => unpackSandbox(db.seals, row))
}

export const sandboxById = async (db: Queryable, id: string): Promise<SandboxView | undefined> => {
  const row = await db.row<PackedSandbox>(sql`${sandboxViews} where s.id = ${id}`)
  return row && unpackSandbox(db.seals, row)
}
