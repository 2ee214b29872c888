/** Reads the search index, and the documents that it does not hold yet. */
import { limits } from '../../contract/limits.ts'
import { type SearchableFields, searchableWords } from '../../core/documents/search-terms.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { unnest } from '../../database/table-writes.ts'

export interface SearchDocumentRow extends SearchableFields {
  document_id: string
  /** The position in the viewer's list. */
  position: bigint
}

/** The amounts of a document's payments, for its search words; null if it has none. */
export const paymentAmountsOf = (document: SqlQuery): SqlQuery => sql`(
  select string_agg(distinct p.amount::text, ' ') from payments p where p.document_id = ${document}
) as payment_amounts`

/** The columns of the view `v` and of its document `d`. */
export const searchableColumns = sql`
  v.document_id, v.position, v.side, v.number, d.issuer_number, d.content, d.total, d.currency,
  ${paymentAmountsOf(raw('d.id'))}`
export const searchableNames = raw(
  'document_id, position, side, number, issuer_number, content, total, currency, payment_amounts',
)

/**
 * By which it is found; whoever shows it checks its seal. Throws BrokenSeal if its content cannot
 * be read.
 */
export const wordsOf = (document: SearchDocumentRow): ReadonlySet<string> => {
  try {
    return searchableWords(document)
  } catch {
    throw new BrokenSeal('documents', document.document_id, 'its content cannot be read')
  }
}

/** The feed position up to which the organization is indexed; 0 before the first round. */
export const indexedPosition = async (db: Queryable, organization: string): Promise<bigint> => {
  const progress = await db.row<{ indexed: bigint }>(
    sql`select ${indexed} as indexed from search_progress s
      where s.organization_id = ${organization}`,
  )
  return progress?.indexed ?? 0n
}

/** How far the index is, of a `search_progress s`. No seal covers it, so it may be anything. */
export const indexed = raw('greatest(s.indexed, 0)')

interface FeedRange {
  /** Exclusive. */
  from: bigint
  /** Inclusive; absent = all. */
  to?: bigint
}

/** The positions of documents that were edited or paid in a range of the feed, and where. */
export const changedPositions = (
  organization: string,
  { from, to = endOfFeed }: FeedRange,
): SqlQuery => sql`
  select case when d.issuer_id = ${organization}
              then d.issuer_position else d.counterparty_position end as position, c.feed
  from (
    select document_id, feed from events
    where organization_id = ${organization} and feed > ${from} and feed <= ${to}
      and type = 'document.edited'
    union all select document_id, payer_position from payments
    where payer_id = ${organization} and payer_position > ${from} and payer_position <= ${to}
    union all select document_id, payee_position from payments
    where payee_id = ${organization} and payee_position > ${from} and payee_position <= ${to}) c
  join documents d on d.id = c.document_id`

/** Higher than any position. */
export const endOfFeed = 9_223_372_036_854_775_807n

/**
 * The newest documents before a position that are missing from the index or outdated in it: `limit`
 * of them, or fewer with as much content as a page may have. `isCut` says whether there are more.
 */
export const unindexedDocuments = async (
  db: Queryable,
  organization: string,
  { from, before, limit }: { from: bigint; before: bigint; limit: number },
): Promise<{ documents: SearchDocumentRow[]; isCut: boolean }> => {
  const rows = await db.rows<SearchDocumentRow & { count: bigint }>(sql`
    select ${searchableNames}, count from (
    select ${searchableColumns}, count(*) over () as count,
      sum(octet_length(d.content)) over (order by v.position desc
        rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select position from (
        (select v.position from document_views v
         where v.organization_id = ${organization} and v.position > ${from} and v.position < ${before}
         order by v.position desc limit ${inlined(limit)})
        union select position from (${changedPositions(organization, { from })}) e) b
      where position < ${before} order by position desc limit ${inlined(limit)}) b
    join document_views v on v.organization_id = ${organization} and v.position = b.position
    join documents d on d.id = v.document_id) s
    where coalesce(bytes_before, 0) < ${inlined(limits.pageContentMaxBytes)}
    order by position desc`)
  const count = Number(rows[0]?.count ?? 0n)
  return { documents: rows, isCut: rows.length < count || count === limit }
}

/** The names of the organizations connected to this one. */
export const counterpartyNames = async (
  db: Queryable,
  organization: string,
  limit: number,
): Promise<string[]> => {
  const rows = await db.rows<{ name: string }>(sql`
    select o.name from (
      select b_id as id from connections where a_id = ${organization}
      union all select a_id from connections where b_id = ${organization}
      limit ${inlined(limit)}) c
    join organizations o on o.id = c.id`)
  return rows.map(({ name }) => name)
}

export interface NewestEntriesQuery {
  /** Each term as a query for the newest bucket, and for the one before it. */
  terms: readonly (readonly [newest: string, before: string])[]
  /** The first positions of the newest bucket, and of the one before it. */
  starts: readonly [newest: bigint, before: bigint]
  before: bigint
  /** The number of entries to scan. */
  limit: number
}

/** The positions of the newest entries that contain each term, newest first. */
export const termsInNewest = async (
  db: Queryable,
  organization: string,
  { terms, starts, before, limit }: NewestEntriesQuery,
): Promise<bigint[][]> => {
  const numbered = terms.map(([newest, previous], ordinal) => ({ ordinal, newest, previous }))
  const types = { ordinal: 'integer', newest: 'text', previous: 'text' } as const
  const rows = await db.rows<{ ordinal: number; position: bigint }>(sql`
    with newest as materialized (
      select position, words, position >= ${starts[0]} as is_newest from search_entries
      where organization_id = ${organization} and position < ${before} and position >= ${starts[1]}
      order by position desc limit ${inlined(limit)}),
    terms as materialized (
      select ordinal, newest::tsquery as in_newest, previous::tsquery as in_previous
      from ${unnest(numbered, types)})
    select ordinal, position from newest
    join terms on words @@ case when is_newest then in_newest else in_previous end
    order by position desc`)
  const positions = terms.map((): bigint[] => [])
  for (const { ordinal, position } of rows) positions[ordinal]!.push(position)
  return positions
}

export interface IndexQuery {
  /** The index query of each run of buckets, newest first. */
  prefilters: readonly string[]
  /** How many entries each prefilter may find; 0 = unlimited. */
  entriesMax: readonly number[]
  /** The query that an entry must satisfy, with a placeholder for the name of its bucket. */
  query: string
  /** The names of all buckets of the runs, from `topPosition` down. */
  bucketNames: readonly string[]
  topPosition: bigint
  before: bigint
  limit: number
}

/** Matching positions, newest first, and the index of the run that exceeded its limit, if any. */
export const searchHits = async (
  db: Queryable,
  organization: string,
  { prefilters, entriesMax, query, bucketNames, topPosition, before, limit }: IndexQuery,
): Promise<{ positions: bigint[]; givenUp: number | undefined }> => {
  const rows = await db.rows<{ position: bigint }>(sql`
    select position from search_hits(${organization},
      ${columnArray('text', prefilters)}, ${columnArray('integer', entriesMax)}, ${query},
      ${columnArray('text', bucketNames)}, ${topPosition}, ${inlined(limits.searchBucketPositions)},
      ${before}, ${limit}) position`)
  const positions = rows.map(({ position }) => position)
  const last = positions.at(-1)
  if (last === undefined || last >= 0n) return { positions, givenUp: undefined }
  return { positions: positions.slice(0, -1), givenUp: Number(-last) - 1 }
}
