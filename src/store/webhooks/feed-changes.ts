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

export interface FeedProgress {
  newest: bigint
  /** The first ones after the position that was asked for. */
  changes: FeedChange[]
}

/** What is new in these feeds after these positions; those without any cost little. */
export const changesAfter = async (
  db: Queryable,
  positions: ReadonlyMap<string, bigint>,
): Promise<ReadonlyMap<string, FeedProgress>> => {
  const rows = await db.rows<FeedChange & { newest: bigint; is_missing: boolean }>(sql`
    select c.organization_id, c.feed as newest, e.feed is null as is_missing,
      e.feed, e.type, e.document_id, e.created_at
    from
      unnest(${columnArray('uuid', [...positions.keys()])}::uuid[],
             ${columnArray('bigint', [...positions.values()])}::bigint[]) p (organization, position)
      join organization_counters c on c.organization_id = p.organization and c.feed > p.position
      left join lateral (
        select feed, type, document_id, created_at from events
        where organization_id = p.organization and feed > p.position
          and id >= first_uuid_at(now() - interval '${inlined(limits.eventStorageDays)} days')
        order by feed limit ${inlined(limits.streamChangesPerPoll)}) e on true
    order by c.organization_id, e.feed`)
  const progress = new Map<string, FeedProgress>()
  for (const { newest, is_missing, ...change } of rows) {
    const found = progress.get(change.organization_id) ?? { newest, changes: [] }
    if (!is_missing) found.changes.push(change)
    progress.set(change.organization_id, found)
  }
  return progress
}

/**
 * The changes after this position; undefined if some are missing. Each change takes the next
 * position: what is missing has expired, or was deleted by a reset, which takes a position too.
 */
export const unseenChanges = (
  { changes }: FeedProgress,
  position: bigint,
): FeedChange[] | undefined => {
  const unseen = changes.filter(({ feed }) => feed > position)
  const next = unseen[0]?.feed ?? position + 1n
  return changes.length > 0 && next === position + 1n ? unseen : undefined
}
