/**
 * Searches documents (contract 8), newest first: merges hits of the index with hits among documents
 * that it does not cover yet. A page ends where the scan of either source stopped; it may be short,
 * and its cursor continues from there.
 */
import { limits } from '../../contract/limits.ts'
import type { AmountOwner } from '../../core/documents/search-amounts.ts'
import {
  type QueryWord,
  type SearchQuery,
  matchesQuery,
  searchQueryOf,
} from '../../core/documents/search-terms.ts'
import {
  bucketNamePlaceholder,
  bucketOf,
  bucketTsquery,
  bucketRuns,
  bucketStart,
  bucketsTsquery,
  bucketNamesOf,
} from '../../core/documents/search-index.ts'
import { inTurns } from '../../database/in-turns.ts'
import type { Queryable } from '../../database/sql.ts'
import {
  type DocumentListRequest,
  type DocumentListPage,
  documentsAtPositions,
} from '../../store/documents/document-list.ts'
import * as store from '../../store/documents/search-index.ts'

/** `owner` says whose amount an amount in the text is: that of the document, or of its payments. */
export type SearchRequest = DocumentListRequest & { owner?: AmountOwner }

export const searchDocuments = async (
  db: Queryable,
  words: readonly QueryWord[],
  request: SearchRequest,
): Promise<DocumentListPage> => {
  const { before = store.endOfFeed, owner = 'document' } = request
  const organization = request.viewer.id
  const [indexed, names] = await Promise.all([
    store.indexedPosition(db, organization),
    store.counterpartyNames(db, organization, limits.searchNamesMax),
  ])
  const query = searchQueryOf(words, names, owner)
  // In this order, a document that is indexed between the two scans cannot be missed.
  const unindexed = await scanUnindexed(db, request, { query, indexed, before })
  const hits = await scanIndex(db, request, {
    query,
    indexed,
    before,
    unindexedCount: unindexed.scanned.size,
  })
  const end = unindexed.scannedTo > hits.scannedTo ? unindexed.scannedTo : hits.scannedTo
  const indexHits = hits.positions.filter((position) => !unindexed.scanned.has(position))
  const positions = [...unindexed.positions, ...indexHits].filter((position) => position >= end)
  const page = await documentsAtPositions(db, request, positions)
  return page.next === null && end > 0n ? { rows: page.rows, next: end } : page
}

interface SearchScope {
  query: SearchQuery
  indexed: bigint
  before: bigint
}

interface SearchHits {
  positions: bigint[]
  /** The position down to which documents were scanned; 0 = all of them. */
  scannedTo: bigint
}

/** Scans documents that are missing from the index or outdated in it. */
const scanUnindexed = async (
  db: Queryable,
  { viewer }: DocumentListRequest,
  { query, indexed, before }: SearchScope,
): Promise<SearchHits & { scanned: Set<bigint> }> => {
  const limit = limits.searchUnindexedMax
  const range = { from: indexed, before, limit }
  const { documents, isCut } = await store.unindexedDocuments(db, viewer.id, range)
  return {
    positions: await inTurns(matchingOf(documents, query)),
    scanned: new Set(documents.map(({ position }) => position)),
    scannedTo: isCut ? documents.at(-1)!.position : 0n,
  }
}

/** As steps, since they may have half a megabyte of text. */
function* matchingOf(
  documents: readonly store.SearchDocumentRow[],
  query: SearchQuery,
): Generator<void, bigint[]> {
  const positions: bigint[] = []
  for (const document of documents) {
    if (matchesQuery(store.wordsOf(document), query)) positions.push(document.position)
    yield
  }
  return positions
}

const scanIndex = async (
  db: Queryable,
  { viewer, filters, limit, scanMaxRows }: DocumentListRequest,
  { query, indexed, before, unindexedCount }: SearchScope & { unindexedCount: number },
): Promise<SearchHits> => {
  const organization = viewer.id
  const upTo = before <= indexed ? before - 1n : indexed
  const top = bucketOf(upTo)
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined)
  const hitsMax = isFiltered ? scanMaxRows : limit + 1 + unindexedCount
  const below = top > 0n ? top - 1n : top
  const [topName, belowName] = bucketNamesOf(organization, [top, below])
  const newest = await store.termsInNewest(db, organization, {
    terms: query.map((term) => [
      bucketTsquery(topName!, [term]),
      bucketTsquery(belowName!, [term]),
    ]),
    starts: [bucketStart(top), bucketStart(below)],
    before,
    limit: limits.searchNewestEntries,
  })
  const recent = intersectionOf(newest)
  if (recent.length >= hitsMax) {
    return { positions: recent.slice(0, hitsMax), scannedTo: recent[hitsMax - 1]! }
  }
  // Terms that are in none of the newest entries are rare. Only they are looked up in the index,
  // which would collect every entry of a common term first.
  const rareTerms = query.filter((_, i) => newest[i]!.length === 0)
  const hasRareTerm = rareTerms.length > 0
  const prefilter = hasRareTerm ? rareTerms : query
  const bottom = hasRareTerm
    ? top - BigInt(limits.searchBucketsPerPage) + 1n
    : bucketOf(upTo - BigInt(limits.searchCommonPositionsPerPage))
  const lastBucket = bottom > 0n ? bottom : 0n
  const runs = bucketRuns(top, lastBucket)
  const searchRuns = (selected: readonly bigint[][]) => {
    const bucketNames = selected.map((run) => bucketNamesOf(organization, run))
    return store.searchHits(db, organization, {
      prefilters: bucketNames.map((names) => bucketsTsquery(names, prefilter)),
      entriesMax: selected.map((run) => (run.length === 1 ? 0 : limits.searchRunEntriesMax)),
      query: bucketTsquery(bucketNamePlaceholder, query),
      bucketNames: bucketNames.flat(),
      topPosition: selected[0]![0]!,
      before,
      limit: hitsMax,
    })
  }
  const { positions, givenUp } = await searchRuns(runs)
  if (givenUp === undefined) return hitsDownTo(positions, hitsMax, lastBucket)
  // This run has too many hits; its first bucket alone fills a page.
  const [firstBucket] = runs[givenUp]!
  const more = await searchRuns([[firstBucket!]])
  return hitsDownTo([...positions, ...more.positions].slice(0, hitsMax), hitsMax, firstBucket!)
}

/** Either `hitsMax` hits, or all hits down to the start of the last bucket. */
const hitsDownTo = (positions: bigint[], hitsMax: number, lastBucket: bigint): SearchHits => ({
  positions,
  scannedTo: positions.length === hitsMax ? positions.at(-1)! : bucketStart(lastBucket),
})

const intersectionOf = ([first = [], ...others]: readonly bigint[][]): bigint[] => {
  const sets = others.map((positions) => new Set(positions))
  return first.filter((position) => sets.every((positions) => positions.has(position)))
}
