/** The search index, and what is still behind it. */
import { limits } from '../../contract/limits.ts'
import { type Connection, type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'

export interface SearchDocumentRow {
  /** The position in the viewer's list. */
  position: bigint
  side: string
  number: string
  issuer_number: string
  content: string
}

const searchableColumns = raw('v.position, v.side, v.number, d.issuer_number, d.content')

/** How far the organization's index has come; 0 before it has begun. */
export const indexedPosition = async (db: Queryable, organization: string): Promise<bigint> => {
  const [head] = await db.rows<{ indexed: bigint }>(
    sql`select indexed from search_progress where organization_id = ${organization}`,
  )
  return head?.indexed ?? 0n
}

interface FeedRange {
  from: bigint
  /** Up to and with this one; absent = all. */
  to?: bigint
}

/** The positions of what was edited after one position of the feed and up to another. */
const editedPositions = (
  organization: string,
  { from, to = endOfFeed }: FeedRange,
): SqlQuery => sql`
  select case when d.issuer_id = e.organization_id
              then d.issuer_position else d.counterparty_position end as position
  from events e join documents d on d.id = e.document_id
  where e.organization_id = ${organization} and e.feed > ${from} and e.feed <= ${to}
    and e.type = 'document.edited'`

/** No position reaches it. */
export const endOfFeed = 9_223_372_036_854_775_807n

/** The newest before a position that the index does not hold, or holds as they were. */
export const unindexedDocuments = (
  db: Queryable,
  organization: string,
  { from, before, most }: { from: bigint; before: bigint; most: number },
): Promise<SearchDocumentRow[]> =>
  db.rows<SearchDocumentRow>(sql`
    select ${searchableColumns} from (
      select position from (
        (select v.position from document_views v
         where v.organization_id = ${organization} and v.position > ${from} and v.position < ${before}
         order by v.position desc limit ${raw(String(most))})
        union ${editedPositions(organization, { from })}) b
      where position < ${before} order by position desc limit ${raw(String(most))}) b
    join document_views v on v.organization_id = ${organization} and v.position = b.position
    join documents d on d.id = v.document_id
    order by v.position desc`)

/** The names of those who exchange documents with the organization. */
export const counterpartyNames = async (
  db: Queryable,
  organization: string,
  most: number,
): Promise<string[]> => {
  const rows = await db.rows<{ name: string }>(sql`
    select o.name from (
      select b_id as id from connections where a_id = ${organization}
      union all select a_id from connections where b_id = ${organization}
      limit ${raw(String(most))}) c
    join organizations o on o.id = c.id`)
  return rows.map(({ name }) => name)
}

export interface NewestEntriesQuery {
  /** Each term as it stands in the newest bucket, and in the one before. */
  terms: readonly (readonly [newest: string, before: string])[]
  /** Where the newest bucket starts, and the one before. */
  starts: readonly [newest: bigint, before: bigint]
  before: bigint
  /** So many entries are looked at one by one. */
  most: number
}

/** Which of the newest entries each term is in, newest first. */
export const termsInNewest = async (
  db: Queryable,
  organization: string,
  { terms, starts, before, most }: NewestEntriesQuery,
): Promise<bigint[][]> => {
  const inBucket = (of: 0 | 1) =>
    columnArray(
      'text',
      terms.map((term) => term[of]),
    )
  const rows = await db.rows<{ place: bigint; position: bigint }>(sql`
    with newest as materialized (
      select position, words, position >= ${starts[0]} as is_newest from search_entries
      where organization_id = ${organization} and position < ${before} and position >= ${starts[1]}
      order by position desc limit ${raw(String(most))}),
    terms as materialized (
      select place, here::tsquery, before::tsquery
      from unnest(${inBucket(0)}::text[], ${inBucket(1)}::text[])
      with ordinality t (here, before, place))
    select place, position from newest
    join terms on words @@ case when is_newest then here else before end
    order by position desc`)
  const found = terms.map((): bigint[] => [])
  for (const { place, position } of rows) found[Number(place) - 1]!.push(position)
  return found
}

export interface IndexQuery {
  /** For each run of buckets, newest first, what to ask the index for. */
  prefilters: readonly string[]
  /** How many entries each may find; 0 = any number. */
  entriesMax: readonly number[]
  /** What must hold of an entry; its bucket's name where `anyBucket` stands. */
  query: string
  /** Of all buckets of the runs, which follow each other from `top` down. */
  bucketNames: readonly string[]
  topPosition: bigint
  before: bigint
  most: number
}

/** Positions that the index finds, newest first, and which run it gave up, if one: from 0. */
export const searchHits = async (
  db: Queryable,
  organization: string,
  { prefilters, entriesMax, query, bucketNames, topPosition, before, most }: IndexQuery,
): Promise<{ positions: bigint[]; givenUp: number | undefined }> => {
  const rows = await db.rows<{ position: bigint }>(sql`
    select position from search_hits(${organization},
      ${columnArray('text', prefilters)}, ${columnArray('integer', entriesMax)}, ${query},
      ${columnArray('text', bucketNames)}, ${topPosition}, ${raw(String(limits.searchBucketPositions))},
      ${before}, ${most}) position`)
  const found = rows.map(({ position }) => position)
  const last = found.at(-1)
  if (last === undefined || last >= 0n) return { positions: found, givenUp: undefined }
  return { positions: found.slice(0, -1), givenUp: Number(-last) - 1 }
}

/** Organizations that have so many changes behind their index, those with the most first. */
export const organizationsToIndex = async (
  db: Queryable,
  fromChanges: number,
  most: number,
): Promise<string[]> => {
  const rows = await db.rows<{ organization_id: string }>(sql`
    select h.organization_id from organization_counters h
    left join search_progress s on s.organization_id = h.organization_id
    where h.feed - coalesce(s.indexed, 0) >= ${fromChanges}
    order by h.feed - coalesce(s.indexed, 0) desc limit ${raw(String(most))}`)
  return rows.map(({ organization_id }) => organization_id)
}

/** The organization's index, for this transaction alone; undefined while another one is at it. */
export const lockSearchIndex = async (
  tx: Connection,
  organization: string,
): Promise<{ indexed: bigint; feed: bigint } | undefined> => {
  await tx.run(sql`
    insert into search_progress (organization_id, indexed) values (${organization}, 0)
    on conflict do nothing`)
  const locked = await tx.rows(sql`
    select 1 from search_progress where organization_id = ${organization} for update skip locked`)
  if (locked.length === 0) return undefined
  // Later statements than the lock. Positions are taken in commit order: up to the head's position
  // everything can be seen.
  const [row] = await tx.rows<{ indexed: bigint; feed: bigint }>(sql`
    select s.indexed, h.feed from search_progress s
    join organization_counters h on h.organization_id = s.organization_id
    where s.organization_id = ${organization}`)
  return row
}

/** What to index in one round. */
export const documentsToIndex = (
  tx: Queryable,
  organization: string,
  { from, to }: { from: bigint; to: bigint },
): Promise<SearchDocumentRow[]> =>
  tx.rows<SearchDocumentRow>(sql`
    select ${searchableColumns} from (
      select v.position from document_views v
      where v.organization_id = ${organization} and v.position > ${from} and v.position <= ${to}
      union ${editedPositions(organization, { from, to })}) b
    join document_views v on v.organization_id = ${organization} and v.position = b.position
    join documents d on d.id = v.document_id`)

export interface SearchEntry {
  position: bigint
  /** Lexemes, separated by blanks. */
  words: string
}

export const saveEntries = (
  tx: Queryable,
  organization: string,
  entries: readonly SearchEntry[],
): Promise<number> =>
  tx.run(sql`
    insert into search_entries (organization_id, position, words)
    select ${organization}, u.position, array_to_tsvector(string_to_array(u.words, ' '))
    from unnest(${columnArray(
      'bigint',
      entries.map(({ position }) => position),
    )}::bigint[], ${columnArray(
      'text',
      entries.map(({ words }) => words),
    )}::text[]) u (position, words)
    on conflict (organization_id, position) do update set words = excluded.words`)

export const setIndexedPosition = (
  tx: Queryable,
  organization: string,
  indexed: bigint,
): Promise<number> =>
  tx.run(sql`
    update search_progress set indexed = ${indexed} where organization_id = ${organization}`)
