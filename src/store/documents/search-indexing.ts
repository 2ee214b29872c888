/** Writes the search index: what is due, the documents of one round, and their entries. */
import { limits } from '../../contract/limits.ts'
import { type Connection, type Queryable, type SqlQuery, inlined, sql } from '../../database/sql.ts'
import { unnest } from '../../database/table-writes.ts'
import {
  type SearchDocumentRow,
  changedPositions,
  indexed,
  searchableColumns,
  searchableNames,
} from './search-index.ts'

/** Organizations with at least `minChanges` unindexed changes, those with the most first. */
export const organizationsToIndex = async (
  db: Queryable,
  minChanges: number,
  limit: number,
): Promise<string[]> => {
  const rows = await db.rows<{ organization_id: string }>(sql`
    select h.organization_id from organization_counters h
    left join search_progress s on s.organization_id = h.organization_id
    where h.feed::numeric - ${indexed} >= ${minChanges}
    order by h.feed::numeric - ${indexed} desc limit ${inlined(limit)}`)
  return rows.map(({ organization_id }) => organization_id)
}

/** Organizations with entries that an older version has written. */
export const organizationsToRenew = async (db: Queryable, limit: number): Promise<string[]> => {
  const rows = await db.rows<{ organization_id: string }>(sql`
    select organization_id from search_progress where renewed < indexed
    limit ${inlined(limit)}`)
  return rows.map(({ organization_id }) => organization_id)
}

/** How far an organization's index is, and its feed. */
interface IndexProgress {
  indexed: bigint
  renewed: bigint
  feed: bigint
}

/** Locks the organization's index for this transaction; undefined if another one has locked it. */
export const lockSearchIndex = async (
  tx: Connection,
  organization: string,
): Promise<IndexProgress | undefined> => {
  await tx.run(sql`
    insert into search_progress (organization_id, indexed) values (${organization}, 0)
    on conflict do nothing`)
  const locked = await tx.rows(sql`
    select 1 from search_progress where organization_id = ${organization} for update skip locked`)
  if (locked.length === 0) return undefined
  // A later statement than the lock. Positions are assigned in commit order, so everything up to
  // the current feed position is visible.
  const row = await tx.row<IndexProgress>(sql`
    select ${indexed} as indexed, s.renewed, h.feed from search_progress s
    join organization_counters h on h.organization_id = s.organization_id
    where s.organization_id = ${organization}`)
  return row
}

/** The positions of documents that came in a range of the feed, which are where they came. */
const createdPositions = (
  organization: string,
  { from, to }: { from: bigint; to: bigint },
): SqlQuery => sql`
  select v.position, v.position as feed from document_views v
  where v.organization_id = ${organization} and v.position > ${from} and v.position <= ${to}`

interface IndexRound {
  documents: SearchDocumentRow[]
  /** The feed position up to which they are complete. */
  to: bigint
}

/** The documents to index in one round: those of the feed range, or the first of them. */
export const documentsToIndex = async (
  tx: Queryable,
  organization: string,
  { from, to }: { from: bigint; to: bigint },
): Promise<IndexRound> => {
  const { documents, end } = await firstDocumentsOf(
    tx,
    organization,
    sql`
      ${createdPositions(organization, { from, to })}
      union all
      select position, max(feed) as feed
      from (${changedPositions(organization, { from, to })}) e group by position`,
  )
  return { documents, to: end ?? to }
}

/** The documents whose entries to renew in one round: the next of a range, at most `limit`. */
export const documentsToRenew = async (
  tx: Queryable,
  organization: string,
  { from, to, limit }: { from: bigint; to: bigint; limit: number },
): Promise<IndexRound> => {
  const { documents, end } = await firstDocumentsOf(
    tx,
    organization,
    sql`
      ${createdPositions(organization, { from, to })}
      order by v.position limit ${inlined(limit)}`,
  )
  const isFull = documents.length === limit
  return { documents, to: end ?? (isFull ? documents.at(-1)!.position : to) }
}

/**
 * The documents at places of the feed, or the first of them with as much content as a page may
 * have; `end` is then the place of the last.
 */
const firstDocumentsOf = async (
  tx: Queryable,
  organization: string,
  places: SqlQuery,
): Promise<{ documents: SearchDocumentRow[]; end: bigint | undefined }> => {
  const rows = await tx.rows<SearchDocumentRow & { feed: bigint; count: bigint }>(sql`
    select ${searchableNames}, feed, count from (
      select ${searchableColumns}, b.feed, count(*) over () as count,
        sum(octet_length(d.content)) over (order by b.feed
          rows between unbounded preceding and 1 preceding) as bytes_before
      from (${places}) b
      join document_views v on v.organization_id = ${organization} and v.position = b.position
      join documents d on d.id = v.document_id) s
    where coalesce(bytes_before, 0) < ${inlined(limits.pageContentMaxBytes)}
    order by feed`)
  const isCut = rows.length < Number(rows[0]?.count ?? 0n)
  const documents = new Map(rows.map((row) => [row.position, row]))
  return { documents: [...documents.values()], end: isCut ? rows.at(-1)!.feed : undefined }
}

export interface SearchEntry {
  position: bigint
  /** Lexemes, separated by blanks. */
  words: string
}

export const saveEntries = async (
  tx: Queryable,
  organization: string,
  entries: readonly SearchEntry[],
): Promise<void> => {
  await tx.run(sql`
    insert into search_entries (organization_id, position, words)
    select ${organization}, u.position, array_to_tsvector(string_to_array(u.words, ' '))
    from ${unnest(entries, { position: 'bigint', words: 'text' })}
    on conflict (organization_id, position) do update set words = excluded.words`)
  await mergeSearchWords(tx)
}

/** Must follow every change of entries in its transaction: see sql/0012-search.sql. */
export const mergeSearchWords = (tx: Queryable): Promise<unknown> =>
  tx.rows(sql`select merge_search_words()`)

export const setIndexedPosition = (
  tx: Queryable,
  organization: string,
  indexed: bigint,
): Promise<number> =>
  tx.run(sql`
    update search_progress
    set indexed = ${indexed}, renewed = case when renewed = indexed then ${indexed} else renewed end
    where organization_id = ${organization}`)

export const setRenewedPosition = (
  tx: Queryable,
  organization: string,
  renewed: bigint,
): Promise<number> =>
  tx.run(sql`
    update search_progress set renewed = ${renewed} where organization_id = ${organization}`)
