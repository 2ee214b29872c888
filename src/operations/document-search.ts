/**
 * Pages of a search (contract 8), newest first: what the index finds, and what is still behind it,
 * in one order. A page ends where either of the two was not looked further into: it may be short,
 * and the cursor goes on from there.
 */
import { invalid } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import {
  type Query,
  anyBucket,
  bucketOf,
  bucketQuery,
  bucketRuns,
  bucketStart,
  bucketsQuery,
  findableWords,
  isFound,
  namesOf,
  queryOf,
  queryWords,
} from '../core/documents/search-terms.ts'
import type { Session } from '../database/sql.ts'
import { type ListRequest, type ListResult, documentsAt } from '../store/documents/document-list.ts'
import {
  counterpartyNames,
  documentsBehind,
  endOfFeed,
  indexedUpTo,
  searchHits,
  termsInNewest,
} from '../store/documents/search-index.ts'

export const searchDocuments = async (
  session: Session,
  text: string,
  request: ListRequest,
): Promise<ListResult> => {
  const words = checkedWords(text)
  const { organization, before = endOfFeed } = request
  const [indexed, names] = await Promise.all([
    indexedUpTo(session, organization),
    counterpartyNames(session, organization, limits.searchNamesMax),
  ])
  const query = queryOf(words, names)
  // In this order: what leaves the one place meanwhile is then found in the other.
  const behind = await lookBehind(session, request, { query, indexed, before })
  const hits = await lookUp(session, request, { query, indexed, before, behind: behind.seen.size })
  const end = behind.end > hits.end ? behind.end : hits.end
  const found = hits.positions.filter((position) => !behind.seen.has(position))
  const positions = [...behind.positions, ...found].filter((position) => position >= end)
  const page = await documentsAt(session, request, positions)
  return page.next === null && end > 0n ? { rows: page.rows, next: end } : page
}

const checkedWords = (text: string): string[] => {
  const words = queryWords(text)
  const problem = (message: string, fix: string) =>
    invalid([{ param: 'query', code: 'invalid_value', message, fix }])
  if (words.length === 0) throw problem('There is no letter or digit in it.', 'send words')
  if (words.length > limits.searchQueryMaxWords) {
    const most = `at most ${limits.searchQueryMaxWords} words`
    throw problem(`A search takes ${most} (got ${words.length}).`, `send ${most}`)
  }
  return words
}

interface Looking {
  query: Query
  indexed: bigint
  before: bigint
}

interface Found {
  positions: bigint[]
  /** Nothing was looked at below this position; 0 = everything was. */
  end: bigint
}

/** What the index does not hold yet, or holds as it was. */
const lookBehind = async (
  session: Session,
  { organization }: ListRequest,
  { query, indexed, before }: Looking,
): Promise<Found & { seen: Set<bigint> }> => {
  const most = limits.searchBehindMax
  const documents = await documentsBehind(session, organization, { from: indexed, before, most })
  return {
    positions: documents
      .filter((document) => isFound(findableWords(document), query))
      .map(({ created }) => created),
    seen: new Set(documents.map(({ created }) => created)),
    end: documents.length === most ? documents.at(-1)!.created : 0n,
  }
}

const lookUp = async (
  session: Session,
  { organization, filters, limit, scanMaxRows }: ListRequest,
  { query, indexed, before, behind }: Looking & { behind: number },
): Promise<Found> => {
  const upTo = before <= indexed ? before - 1n : indexed
  const top = bucketOf(upTo)
  const isFiltered = Object.keys(filters).length > 0
  const most = isFiltered ? scanMaxRows : limit + 1 + behind
  const below = top > 0n ? top - 1n : top
  const [newestName, nameBelow] = namesOf(organization, [top, below])
  const newest = await termsInNewest(session, organization, {
    terms: query.map((term) => [bucketQuery(newestName!, [term]), bucketQuery(nameBelow!, [term])]),
    starts: [bucketStart(top), bucketStart(below)],
    before,
    most: limits.searchNewestEntries,
  })
  const recent = inAll(newest)
  if (recent.length >= most) {
    return { positions: recent.slice(0, most), end: recent[most - 1]! }
  }
  // What none of the newest entries holds is rare: the index is asked for that alone, as it would
  // collect all that a common word is in first.
  const rare = query.filter((_, i) => newest[i]!.length === 0)
  const isRare = rare.length > 0
  const bait = isRare ? rare : query
  const bottom = isRare
    ? top - BigInt(limits.searchBucketsPerPage) + 1n
    : bucketOf(upTo - BigInt(limits.searchCommonPositionsPerPage))
  const last = bottom > 0n ? bottom : 0n
  const runs = bucketRuns(top, last)
  const hunt = (asked: readonly bigint[][]) => {
    const named = asked.map((run) => namesOf(organization, run))
    return searchHits(session, organization, {
      baits: named.map((names) => bucketsQuery(names, bait)),
      allowed: asked.map((run) => (run.length === 1 ? 0 : limits.searchRunEntriesMax)),
      query: bucketQuery(anyBucket, query),
      names: named.flat(),
      top: asked[0]![0]!,
      before,
      most,
    })
  }
  const { positions, givenUp } = await hunt(runs)
  if (givenUp === undefined) return ended(positions, most, last)
  // It is in very many of these: the first one by itself is enough for a page.
  const [first] = runs[givenUp]!
  const more = await hunt([[first!]])
  return ended([...positions, ...more.positions].slice(0, most), most, first!)
}

/** As many as are wanted, or all down to the start of the last bucket. */
const ended = (positions: bigint[], most: number, last: bigint): Found => ({
  positions,
  end: positions.length === most ? positions.at(-1)! : bucketStart(last),
})

const inAll = ([first = [], ...others]: readonly bigint[][]): bigint[] => {
  const sets = others.map((positions) => new Set(positions))
  return first.filter((position) => sets.every((positions) => positions.has(position)))
}
