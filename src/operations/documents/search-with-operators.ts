/**
 * Searches documents by a text with operators (docs/decisions/0170). What the list can filter by
 * becomes a filter; the words of the other operators narrow the index search, and each document of
 * a page is checked after it was loaded. A page may be short, as that of any search.
 */
import type { Call } from '../../context.ts'
import { owedStatuses } from '../../contract/document-phases.ts'
import { invalidRequest } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { addDays } from '../../core/dates.ts'
import { sideOf } from '../../core/documents/document-visibility.ts'
import { parseContent } from '../../core/documents/content.ts'
import {
  type ParsedSearch,
  type Restriction,
  parseSearch,
} from '../../core/documents/search-operators.ts'
import {
  type CheckedDocument,
  indexedWords,
  satisfiesAll,
} from '../../core/documents/search-restrictions.ts'
import { type QueryWord, queryWords } from '../../core/documents/search-terms.ts'
import type { DocumentListFilters } from '../../store/documents/document-filters.ts'
import { type DocumentListPage, listDocuments } from '../../store/documents/document-list.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'
import { callersToday } from './replies.ts'
import { type SearchRequest, searchDocuments } from './search.ts'

export type ValidSearch = Pick<ParsedSearch, 'text' | 'restrictions'>

/** What a search asks for, unless it cannot be answered: too many words, or an unknown operator. */
export const validSearch = (written: string, param: string): ValidSearch => {
  const { text, restrictions, problems } = parseSearch(written)
  const refusal = (message: string, fix: string) =>
    invalidRequest({ param, code: 'invalid_value', message, fix })
  const [problem] = problems
  if (problem !== undefined) throw refusal(problem.message, problem.fix)
  const count =
    queryWords(text).length +
    restrictions.reduce((sum, one) => sum + ('text' in one ? queryWords(one.text).length : 1), 0)
  if (count === 0) throw refusal('Must contain a letter or a digit.', 'send at least one word')
  if (count > limits.searchQueryMaxWords) {
    const accepted = `at most ${limits.searchQueryMaxWords} words`
    throw refusal(`A search takes ${accepted} (got ${count}).`, `send ${accepted}`)
  }
  return { text, restrictions }
}

/** What ranks the results: the words, and those that operators look for in a text. */
export const rankedText = ({ text, restrictions }: ValidSearch): string =>
  [
    text,
    ...restrictions.flatMap((one) =>
      'text' in one && one.operator !== 'without' ? [one.text] : [],
    ),
  ]
    .join(' ')
    .trim()

export const searchWithOperators = async (
  call: Call,
  { text, restrictions }: ValidSearch,
  request: SearchRequest,
): Promise<DocumentListPage> => {
  if (restrictions.length === 0) return searchDocuments(call.pages, queryWords(text), request)
  const { organization } = call
  const today = callersToday(call)
  const filters = restrictions.reduce(
    (all, one) => narrowed(all, filtersOf(one, today)),
    request.filters,
  )
  const isImpossible = Object.values(filters).some((one) => Array.isArray(one) && one.length === 0)
  if (isImpossible) return { rows: [], next: null }
  const words = distinct([
    ...queryWords(text),
    ...restrictions.flatMap((one) => indexedWords(one, organization.name)),
  ])
  const isFilter = ({ operator }: Restriction) => ['status', 'type', 'currency'].includes(operator)
  // A page of which documents may be left out reads more of them.
  const limit = restrictions.every(isFilter) ? request.limit : limits.pageMax
  const wider = { ...request, filters, limit }
  const page = await (words.length === 0
    ? listDocuments(call, wider)
    : searchDocuments(call.pages, words, wider))
  const rows = page.rows.filter((row) =>
    satisfiesAll(checkedOf(row, organization.id, today), restrictions),
  )
  if (rows.length <= request.limit) return { rows, next: page.next }
  const kept = rows.slice(0, request.limit)
  return { rows: kept, next: positionOf(kept.at(-1)!, organization.id) }
}

const distinct = (words: readonly QueryWord[]): QueryWord[] => [
  ...new Map(words.map((one) => [`${one.word} ${one.amount?.minor}`, one])).values(),
]

/** What of a restriction the list can filter by. Whatever is left out here is checked later. */
const filtersOf = (restriction: Restriction, today: string): DocumentListFilters => {
  switch (restriction.operator) {
    case 'status':
      return { statuses: restriction.values }
    case 'type':
      return { types: restriction.values }
    case 'currency':
      return { currencies: restriction.values }
    case 'is': {
      const [value, other] = restriction.values
      if (other !== undefined) return {}
      return value === 'draft'
        ? { statuses: ['draft'] }
        : { statuses: owedStatuses, dueTo: addDays(today, -1) }
    }
    case 'due': {
      const { comparison, date } = restriction
      if (comparison === '=') return { dueFrom: date, dueTo: date }
      // To the day: what is due on it is left to the check.
      return comparison.startsWith('<') ? { dueTo: date } : { dueFrom: date }
    }
    case 'total':
      return { totals: [restriction] }
    default:
      return {}
  }
}

/** Both filters at once. */
const narrowed = (all: DocumentListFilters, more: DocumentListFilters): DocumentListFilters => {
  const lists = (['statuses', 'types', 'currencies'] as const).flatMap((name) => {
    const [one, other] = [all[name], more[name]]
    if (other === undefined) return []
    return [[name, one === undefined ? other : one.filter((value) => other.includes(value))]]
  })
  const froms = [all.dueFrom, more.dueFrom].filter((day) => day !== undefined)
  const tos = [all.dueTo, more.dueTo].filter((day) => day !== undefined)
  const totals = [...(all.totals ?? []), ...(more.totals ?? [])]
  return {
    ...all,
    ...Object.fromEntries(lists),
    dueFrom: froms.toSorted().at(-1),
    dueTo: tos.toSorted().at(0),
    totals: totals.length === 0 ? undefined : totals,
  }
}

const checkedOf = (
  document: LoadedDocument,
  organization: string,
  today: string,
): CheckedDocument => {
  const side = sideOf(document, organization)!
  const { issuer_number, content, total } = document
  const number = side === 'issuer' ? issuer_number : document.counterparty_number!
  const { currency } = parseContent(content)
  const fields = { side, number, issuer_number, content, total, currency }
  return { fields: { ...fields, payment_amounts: null }, record: document, today }
}

const positionOf = (document: LoadedDocument, organization: string): bigint =>
  sideOf(document, organization) === 'issuer'
    ? document.issuer_position
    : document.counterparty_position!
