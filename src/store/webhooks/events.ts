/**
 * The event feed of each organization. Positions are taken from the organization's locked counters,
 * so they follow commit order and a reader never misses an event (design: engine 2).
 */
import { limits } from '../../contract/limits.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { type StoredEvent, provenEvent, storedEvent } from '../documents/stored-texts.ts'
import { ifGiven, isAmong } from '../../database/conditions.ts'

export interface FeedRequest {
  organization: string
  /** Ascending after a position, descending before one, or descending from the newest. */
  from: { after: bigint } | { before: bigint } | 'newest'
  types?: readonly string[] | undefined
  document?: string | undefined
  limit: number
}

export interface FeedPage {
  /** Event envelopes, byte for byte as they were emitted. */
  payloads: string[]
  /** Where the next page starts; null when there is none. */
  next: bigint | null
}

/**
 * Callers see events for this long; the rows are stored a little longer. The bound of the id spares
 * the partitions that are about to be dropped: a feed is read from all others at once.
 */
const isRetained = (row: 'e' | 'events'): SqlQuery =>
  raw(`${row}.created_at > pg_catalog.clock_timestamp() - interval '${limits.eventRetentionDays} days'
    and ${row}.id >= first_uuid_at(now() - interval '${limits.eventStorageDays} days')`)

/** Reads a bounded number of rows, so a page may be short yet have a next one. */
export const feedPage = async (db: Queryable, request: FeedRequest): Promise<FeedPage> => {
  const { types, document, limit } = request
  const isFiltered = types !== undefined || document !== undefined
  const maxRows = isFiltered ? limits.listScanMaxRows : limit + 1
  const scan = scanOf(request)
  const selected = sql`select * from (${scan} limit ${inlined(maxRows)}) e
    where ${isAmong('type', 'text', types)}
      and ${ifGiven(document, (id) => sql`document_id = ${id}`)}
    ${orderOf(request)} limit ${inlined(limit + 1)}`
  const { rows, isCut } = await readRows(db, selected, request)
  const copy = rows.find(({ feed }, i) => feed === rows[i - 1]?.feed)
  if (copy !== undefined)
    throw new BrokenSeal('events', `at ${copy.feed}`, 'the row is there twice')
  const payloads = rows.slice(0, limit).map((row) => provenEvent(db.seals, row).text)
  if (rows.length > limit || isCut) return { payloads, next: rows[payloads.length - 1]!.feed }
  if (!isFiltered) return { payloads, next: null }
  const last = await db.row<{ feed: bigint }>(
    sql`select feed from (${scan} offset ${inlined(maxRows - 1)} limit 1) e`,
  )
  return { payloads, next: last?.feed ?? null }
}

type FeedRow = StoredEvent & { feed: bigint }

/**
 * The process does nothing else while it makes a page, so large documents come in short pages
 * (document-list.ts). Few pages have any.
 */
const readRows = async (
  db: Queryable,
  selected: SqlQuery,
  request: FeedRequest,
): Promise<{ rows: FeedRow[]; isCut: boolean }> => {
  const order = orderOf(request)
  const all = sql`select e.feed, ${storedEvent} from (${selected}) e
    left join documents d on d.id = e.document_id`
  const share = inlined(Math.floor(limits.pageContentMaxBytes / request.limit))
  const rows = await db.rows<FeedRow>(sql`
    select feed, event, payload, packed,
      case when octet_length(content) <= ${share} then content end as content
    from (${all}) e ${order}`)
  if (rows.every(({ content }) => content !== null)) return { rows, isCut: false }
  const fitting = await db.rows<FeedRow>(sql`
    select feed, event, payload, packed, content
    from (select e.*, sum(octet_length(content)) over (${order}
        rows between unbounded preceding and 1 preceding) as bytes_before from (${all}) e) e
    where coalesce(bytes_before, 0) < ${inlined(limits.pageContentMaxBytes)} ${order}`)
  return { rows: fitting, isCut: fitting.length < rows.length }
}

const orderOf = ({ from }: FeedRequest): SqlQuery =>
  from !== 'newest' && 'after' in from ? sql`order by feed` : sql`order by feed desc`

const scanOf = (request: FeedRequest): SqlQuery => sql`select * from events
    where organization_id = ${request.organization}${isOfPage(request)}
      and ${isRetained('events')} ${orderOf(request)}`

const isOfPage = ({ from }: FeedRequest): SqlQuery => {
  if (from === 'newest') return sql``
  return 'after' in from ? sql` and feed > ${from.after}` : sql` and feed < ${from.before}`
}

export const eventById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<{ feed: bigint; payload: string } | undefined> => {
  const stored = await db.row<StoredEvent>(sql`
    select ${storedEvent} from events e left join documents d on d.id = e.document_id
    where e.organization_id = ${organization} and e.id = ${id} and ${isRetained('e')}`)
  if (stored === undefined) return undefined
  const { feed, text } = provenEvent(db.seals, stored)
  return { feed, payload: text }
}

/** Deletes events with an id below `before`, where no partition was dropped with them. */
export const purgeEvents = (db: Queryable, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from events where id < ${before} and (organization_id, id) in
      (select organization_id, id from events where id < ${before} limit ${limit})`)
