/** What is new in the feeds of several organizations: names of changes, without their contents. */
import { limits } from '../../contract/limits.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type Queryable, inlined, sql } from '../../database/sql.ts'

export interface FeedChange {
  organization_id: string
  feed: bigint
  type: string
  document_id: string
  created_at: string
}

/** The newest position of an organization's feed. */
export const feedPositionOf = async (db: Queryable, organization: string): Promise<bigint> => {
  const row = await db.row<{ feed: bigint }>(sql`
    select feed from organization_counters where organization_id = ${organization}`)
  return row!.feed
}

/** The first changes after these positions, in feed order; those without any cost little. */
export const changesAfter = (
  db: Queryable,
  positions: ReadonlyMap<string, bigint>,
): Promise<FeedChange[]> =>
  db.rows<FeedChange>(sql`
    select e.* from
      unnest(${columnArray('uuid', [...positions.keys()])}::uuid[],
             ${columnArray('bigint', [...positions.values()])}::bigint[]) p (organization, position)
      join organization_counters c on c.organization_id = p.organization and c.feed > p.position
      cross join lateral (
        select organization_id, feed, type, document_id, created_at from events
        where organization_id = p.organization and feed > p.position
          and id >= first_uuid_at(now() - interval '${inlined(limits.eventStorageDays)} days')
        order by feed limit ${inlined(limits.streamChangesPerPoll)}) e
    order by e.organization_id, e.feed`)
