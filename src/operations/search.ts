/** Search over everything that the caller may read, best first (contract 12). */
import type { Call } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { isAdminRole } from '../contract/roles.ts'
import { SearchQuery, SearchResults, searchedTypes } from '../contract/shapes/search.ts'
import { textsSatisfy } from '../core/documents/search-restrictions.ts'
import { type SearchField, bestMatchOf, leastWholeScore } from '../core/search-ranking.ts'
import { shortenedText } from '../core/shortened-text.ts'
import { type ValidSearch, rankedText, validSearch } from './documents/search-with-operators.ts'
import { operation } from './operation.ts'
import { type FoundRecord, type FoundRecords, type Source, sources } from './search-sources.ts'

const foundOf = async (call: Call, source: Source, search: ValidSearch): Promise<FoundRecords> => {
  const { records, isCut } = await source.find(call, search)
  if (source.takesOperators === true) return { records, isCut }
  const satisfying = records.filter(({ fields }) =>
    textsSatisfy(
      fields.map(({ value }) => value),
      search.restrictions,
    ),
  )
  return { records: satisfying, isCut }
}

/** A name is also found with a typing error. */
const nameOf = ({ fields }: FoundRecord): SearchField => fields.find(({ kind }) => kind === 'name')!

const mayFind = ({ context, credential, scopes }: Call, source: Source): boolean =>
  context.config.families.has(source.family) &&
  ((source.scope !== undefined && scopes.has(source.scope)) ||
    (source.isForAdmins === true && credential.user !== null && isAdminRole(credential.user.role)))

export const search = operation({
  id: 'search',
  method: 'GET',
  path: '/v1/search',
  family: 'documents',
  workClass: 'heavy',
  summary: 'Search documents, connections, payments, keys, endpoints and requests',
  description:
    'Returns the best results first: whole numbers and references, then amounts, beginnings, parties, and texts. It finds what your scopes may read, and no more. Documents are found by their total too, to the cent: `1,234.50`, `1.234,50`, `EUR 1234.50`. Payments are found by their amount or id, requests by their id. [Operators](#searching), such as `status:paid`, restrict it to documents. If `has_more` is true, use `query` of the document list to find the others.',
  since: '1.16.0',
  allowed: 'any',
  query: SearchQuery,
  response: SearchResults,
  summaryFields: ['object', 'id', 'title', 'subtitle'],
}).reads(async (call, { query }) => {
  const { type = searchedTypes, limit = limits.searchResultsDefault } = query
  const search = validSearch(query.q.trim(), 'q')
  const text = rankedText(search)
  const searched = searchedTypes.filter((name) => type.includes(name))
  const found: FoundRecord[] = []
  let isCut = false
  for (const name of searched) {
    if (!mayFind(call, sources[name])) continue
    const some = await foundOf(call, sources[name], search)
    isCut ||= some.isCut
    found.push(...some.records)
  }
  const ranked = found
    .flatMap((record) => {
      const match = bestMatchOf(text, record.fields)
      // The index found a document by all words, although no single field may have them.
      const isWhole = match !== undefined && match.score >= leastWholeScore
      if (!isWhole && record.object !== 'document') return []
      return [{ record, match: match ?? { score: 0, ...nameOf(record) } }]
    })
    .toSorted((a, b) => b.match.score - a.match.score)
  const data = ranked
    .slice(0, limit)
    .map(({ record: { object, id, title, subtitle }, match: { field, value } }) => ({
      object,
      id,
      title,
      subtitle,
      match: { field, value: shortenedText(value) },
    }))
  return { body: { data, next_cursor: null, has_more: isCut || ranked.length > limit } }
})
