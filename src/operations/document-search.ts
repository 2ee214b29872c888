/**
 * Pages of a search (contract 8), newest first: what the index finds, and what is still behind it,
 * in one order. A page ends where either of the two was not looked further into: it may be short,
 * and the cursor goes on from there.
 */
import { invalidRequest } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import {
  type SearchQuery,
  bucketNamePlaceholder,
  bucketOf,
  bucketTsquery,
  bucketRuns,
  bucketStart,
  bucketsTsquery,
  searchableWords,
  matchesQuery,
  bucketNamesOf,
  searchQueryOf,
  queryWords,
} from '../core/documents/search-terms.ts'
import type { Queryable } from '../database/sql.ts'
import {
  type DocumentListRequest,
  type DocumentListPage,
  documentsAtPositions,
} from '../store/documents/document-list.ts'
import {
  counterpartyNames,
  unindexedDocuments,
  endOfFeed,
  indexedPosition,
  searchHits,
  termsInNewest,
} from '../store/documents/search-index.ts'

export const searchDocuments = async (
  session: Queryable,
  text: string,
  request: DocumentListRequest,
): Promise<DocumentListPage> => {
  const words = checkedWords(text)
  const { organization, before = endOfFeed } = request
  const [indexed, names] = await Promise.all([
    indexedPosition(session, organization),
    counterpartyNames(session, organization, limits.searchNamesMax),
  ])
  const query = searchQueryOf(words, names)
  // In this order: what leaves the one place meanwhile is then found in the other.
  const unindexed = await scanUnindexed(session, request, { query, indexed, before })
  const hits = await scanIndex(session, request, {
    query,
    indexed,
    before,
    behind: unindexed.seen.size,
  })
  const end = unindexed.scannedTo > hits.scannedTo ? unindexed.scannedTo : hits.scannedTo
  const found = hits.positions.filter((position) => !unindexed.seen.has(position))
  const positions = [...unindexed.positions, ...found].filter((position) => position >= end)
  const page = await documentsAtPositions(session, request, positions)
  return page.next === null && end > 0n ? { rows: page.rows, next: end } : page
}

const checkedWords = (text: string): string[] => {
  const words = queryWords(text)
  const problem = (message: string, fix: string) =>
    invalidRequest([{ param: 'query', code: 'invalid_value', message, fix }])
  if (words.length === 0) throw problem('There is no letter or digit in it.', 'send words')
  if (words.length > limits.searchQueryMaxWords) {
    const most = `at most ${limits.searchQueryMaxWords} words`
    throw problem(`A search takes ${most} (got ${words.length}).`, `send ${most}`)
  }
  return words
}

interface SearchScope {
  query: SearchQuery
  indexed: bigint
  before: bigint
}

interface SearchHits {
  positions: bigint[]
  /** Nothing was looked at below this position; 0 = everything was. */
  scannedTo: bigint
}

/** What the index does not hold yet, or holds as it was. */
const scanUnindexed = async (
  session: Queryable,
  { organization }: DocumentListRequest,
  { query, indexed, before }: SearchScope,
): Promise<SearchHits & { seen: Set<bigint> }> => {
  const most = limits.searchUnindexedMax
  const documents = await unindexedDocuments(session, organization, { from: indexed, before, most })
  return {
    positions: documents
      .filter((document) => matchesQuery(searchableWords(document), query))
      .map(({ position }) => position),
    seen: new Set(documents.map(({ position }) => position)),
    scannedTo: documents.length === most ? documents.at(-1)!.position : 0n,
  }
}

const scanIndex = async (
  session: Queryable,
  { organization, filters, limit, scanMaxRows }: DocumentListRequest,
  { query, indexed, before, behind }: SearchScope & { behind: number },
): Promise<SearchHits> => {
  const upTo = before <= indexed ? before - 1n : indexed
  const top = bucketOf(upTo)
  const isFiltered = Object.keys(filters).length > 0
  const most = isFiltered ? scanMaxRows : limit + 1 + behind
  const below = top > 0n ? top - 1n : top
  const [newestName, nameBelow] = bucketNamesOf(organization, [top, below])
  const newest = await termsInNewest(session, organization, {
    terms: query.map((term) => [
      bucketTsquery(newestName!, [term]),
      bucketTsquery(nameBelow!, [term]),
    ]),
    starts: [bucketStart(top), bucketStart(below)],
    before,
    most: limits.searchNewestEntries,
  })
  const recent = intersectionOf(newest)
  if (recent.length >= most) {
    return { positions: recent.slice(0, most), scannedTo: recent[most - 1]! }
  }
  // What none of the newest entries holds is rare: the index is asked for that alone, as it would
  // collect all that a common word is in first.
  const rare = query.filter((_, i) => newest[i]!.length === 0)
  const isRare = rare.length > 0
  const prefilter = isRare ? rare : query
  const bottom = isRare
    ? top - BigInt(limits.searchBucketsPerPage) + 1n
    : bucketOf(upTo - BigInt(limits.searchCommonPositionsPerPage))
  const last = bottom > 0n ? bottom : 0n
  const runs = bucketRuns(top, last)
  const runQuery = (bucketRuns: readonly bigint[][]) => {
    const named = bucketRuns.map((run) => bucketNamesOf(organization, run))
    return searchHits(session, organization, {
      prefilters: named.map((names) => bucketsTsquery(names, prefilter)),
      entriesMax: bucketRuns.map((run) => (run.length === 1 ? 0 : limits.searchRunEntriesMax)),
      query: bucketTsquery(bucketNamePlaceholder, query),
      bucketNames: named.flat(),
      topPosition: bucketRuns[0]![0]!,
      before,
      most,
    })
  }
  const { positions, givenUp } = await runQuery(runs)
  if (givenUp === undefined) return hitsDownTo(positions, most, last)
  // It is in very many of these: the first one by itself is enough for a page.
  const [first] = runs[givenUp]!
  const more = await runQuery([[first!]])
  return hitsDownTo([...positions, ...more.positions].slice(0, most), most, first!)
}

/** As many as are wanted, or all down to the start of the last bucket. */
const hitsDownTo = (positions: bigint[], most: number, last: bigint): SearchHits => ({
  positions,
  scannedTo: positions.length === most ? positions.at(-1)! : bucketStart(last),
})

const intersectionOf = ([first = [], ...others]: readonly bigint[][]): bigint[] => {
  const sets = others.map((positions) => new Set(positions))
  return first.filter((position) => sets.every((positions) => positions.has(position)))
}
